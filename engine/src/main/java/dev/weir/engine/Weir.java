package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationChanges;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.AlertEpisode;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.guard.StoreLabel;
import dev.weir.engine.plan.Overrides;
import dev.weir.engine.plan.Plan;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.engine.plan.SeenKeys;
import dev.weir.engine.plan.SkippedLimitWatch;
import dev.weir.engine.plan.SubjectBudgets;
import dev.weir.engine.plan.UnclassifiedValueLog;
import dev.weir.engine.report.AlertService;
import dev.weir.engine.report.OutageLog;
import dev.weir.engine.report.SampledUse;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.spi.Backend;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine: decides requests by their attributes, using the configuration and the current runtime settings.
 *
 * <p>Safe for use by any number of threads. The configuration is compiled to an immutable plan. A new configuration or
 * new settings replace the plan atomically; counts are kept. Every call completes in time: if the store does not answer
 * within its deadline, each limit's {@code on-store-failure} decides.
 *
 * <p>A method that calls the store blocks until the store answers or its deadline passes. Its variant named {@code
 * …Async} makes the same call and returns at once, for event loops and other threads that must not block.
 */
public final class Weir implements AutoCloseable {
    private static final Charge HEALTH = Charge.of(Key.of("weir:health"), TokenBucket.perSecond(1));

    /** The most keys that one call of the store resets. */
    private static final int RESET_AT_ONCE = 100;

    private final GuardedStore store;
    private final Settings settings;
    private final WeirOptions options;
    private final EventBus bus = new EventBus();
    private final Counts counts = new Counts();
    private final UnclassifiedValueLog unclassifiedLog = new UnclassifiedValueLog();
    private final SeenKeys seen = new SeenKeys();
    private final OutcomeReporter reporter;
    private final Holds holds;
    private final AlertService alertService;
    private final Settings.Registration registration;
    private final SettingsExpiry expiry;
    private volatile State state;
    /** Gets the duration of each decision, in nanoseconds; null for none. */
    private volatile @Nullable LongConsumer timer;

    /** Set once, before the engine is published to other threads. */
    private @Nullable ConfigurationFile file;

    private @Nullable ConfigurationReloader reloader;

    private Weir(Configuration configuration, Backend backend, WeirOptions options, StoreLabel label) {
        OutageLog outages = new OutageLog(bus, options.clock());
        this.store = new GuardedStore(backend.store(), options.guard(), outages, label);
        this.settings = backend.settings();
        this.options = options;
        this.reporter = new OutcomeReporter(bus, counts, options.clock(), outages);
        this.holds = new Holds(store, () -> configuration().holds());
        this.alertService = new AlertService(bus, options);
        this.state = state(configuration, settings(), SkippedLimitWatch.ofAll(configuration, options.clock()));
        alertService.follow(configuration.alerts());
        this.expiry = new SettingsExpiry(settings, options.clock(), () -> applySettings());
        this.registration = settings.onChange(snapshot -> settingsChanged(snapshot));
        expiry.follow(settings.current());
    }

    /** All that decides a request; replaced as one value. */
    private record State(Plan plan, @Nullable Penalties penalties, Decider decider) {}

    /**
     * Opens an engine from a configuration file, on the store that the file names. The file is watched: a valid change
     * takes effect within one or two seconds. A change with faults is reported and ignored.
     *
     * @throws dev.weir.engine.config.ConfigurationException with every fault of the file
     */
    public static Weir load(Path file) {
        return load(file, WeirOptions.defaults());
    }

    /** Opens an engine from a configuration file, on the store that the file names. */
    public static Weir load(Path file, WeirOptions options) {
        return load(file, new ConfigurationReader(), options);
    }

    /**
     * Opens an engine from a configuration file, on the store that the file names. The given reader resolves
     * placeholders.
     */
    public static Weir load(Path file, ConfigurationReader reader, WeirOptions options) {
        ConfigurationFile source = new ConfigurationFile(file, reader);
        ConfigurationReader.Result read = source.read();
        Weir weir = open(read.orThrow(), options);
        ConfigurationReloader.logWarnings(read);
        weir.file = source;
        weir.reloader = new ConfigurationReloader(
                source, changed -> weir.replace(onStore(changed, options)), weir.bus, options.clock());
        if (options.followsFile()) {
            source.follow(weir.reloader::take);
        }
        return weir;
    }

    /**
     * Opens an engine from a configuration, on the store that the options or else the configuration name.
     *
     * @throws IllegalArgumentException if no module on the class path supports the store
     * @throws StoreException if the store cannot be reached
     */
    public static Weir open(Configuration configuration, WeirOptions options) {
        Configuration effective = onStore(configuration, options);
        StoreLabel label =
                StoreLabel.ofUri(effective.shownStore(), options.guard().deadline() != null);
        return new Weir(effective, BackendFactory.open(effective, options.data()), options, label);
    }

    private static Configuration onStore(Configuration configuration, WeirOptions options) {
        return options.store() == null ? configuration : configuration.withStore(options.store());
    }

    /** Opens an engine on a memory store, whatever store the configuration names. */
    public static Weir inMemory(Configuration configuration) {
        return of(configuration, MemoryStore.create(), new InMemorySettings());
    }

    /** Creates an engine on a store and settings. The engine closes both. */
    public static Weir of(Configuration configuration, Store store, Settings settings) {
        return of(configuration, store, settings, WeirOptions.defaults());
    }

    /** Creates an engine on a store and settings. The engine closes both. */
    public static Weir of(Configuration configuration, Store store, Settings settings, WeirOptions options) {
        return of(configuration, new Backend(store, settings), options);
    }

    /**
     * Creates an engine on a store and settings. The engine closes both. The deadline is the store's, unless the
     * options set one.
     */
    public static Weir of(Configuration configuration, Backend backend, WeirOptions options) {
        return new Weir(configuration, backend, options, StoreLabel.of(backend.store()));
    }

    /** The configuration in force. */
    public Configuration configuration() {
        return state.plan.configuration;
    }

    /** Determines client addresses behind the proxies that the present configuration trusts. */
    public ClientAddress clients() {
        return state.plan.addresses();
    }

    /** The bus on which the engine publishes its events. */
    public EventBus events() {
        return bus;
    }

    /** The number of decisions since the start, by outcome and by limit. */
    public Counts counts() {
        return counts;
    }

    /**
     * The limits that matched requests since the configuration was loaded, and were skipped each time because the
     * requests lacked an attribute.
     */
    public List<SkippedLimit> skippedLimits() {
        return state.plan.skips.values().stream()
                .map(SkippedLimitWatch::report)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The alerts whose condition holds. */
    public synchronized List<AlertEpisode> alerts() {
        return alertService.episodes();
    }

    /**
     * Sends nothing about this alert to webhooks until then; its events are still published. Only this engine is muted,
     * until it is closed.
     *
     * @param name the alert's name
     * @param subject the subject that caused it; empty for an alert about all requests
     * @param until null lets it send again
     */
    public synchronized void muteAlert(String name, Map<String, String> subject, @Nullable Instant until) {
        alertService.mute(name, subject, until);
    }

    /** The store with its deadline and circuit breaker. */
    public GuardedStore store() {
        return store;
    }

    /**
     * Replaces the configuration; counts are kept.
     *
     * @throws IllegalArgumentException if it names another store, which needs a new engine
     */
    public synchronized void reconfigure(Configuration configuration) {
        if (!configuration.store().equals(state.plan.configuration.store())) {
            throw new IllegalArgumentException("store was changed; that needs a restart");
        }
        State next = state(configuration, settings(), SkippedLimitWatch.ofAll(configuration, options.clock()));
        alertService.follow(configuration.alerts());
        state = next;
    }

    /** Replaces the configuration, and returns what is different. */
    private synchronized List<String> replace(Configuration configuration) {
        Configuration before = configuration();
        reconfigure(configuration);
        return ConfigurationChanges.between(before, configuration);
    }

    /**
     * Reads the file again, now.
     *
     * @return the faults of the file; empty if it is in force
     * @throws IllegalStateException if the engine was not loaded from a file
     */
    public List<Fault> reload() {
        if (file == null || reloader == null) {
            throw new IllegalStateException("this engine was not loaded from a file");
        }
        return reloader.take(file.read());
    }

    /** Decides a request and spends: either every limit that applies admits the request, or nothing is spent. */
    public Outcome check(Map<String, String> attributes) {
        return check(Request.of(attributes));
    }

    /** Decides a request and spends: either every limit that applies admits the request, or nothing is spent. */
    public Outcome check(Request request) {
        return checkAsync(request).await();
    }

    /** Like {@link #check(Request)}, without blocking. The answer never fails. */
    public Answer<Outcome> checkAsync(Request request) {
        State present = state;
        return check(present, request, present.plan.prepare(request, false));
    }

    /**
     * Decides by the named limits alone, for callers that choose the limits themselves. Their conditions need not hold,
     * and no other limit is checked. The answer never fails.
     *
     * @param limits the names of limits
     * @throws IllegalArgumentException if a name is not that of a limit, or the request lacks an attribute of a limit's
     *     key or its cost
     */
    public Answer<Outcome> checkAsync(Request request, Set<String> limits) {
        State present = state;
        return check(present, request, present.plan.prepareOnly(request, limits));
    }

    /**
     * Decides several requests as one, in one atomic step: all of them spend, or none does. The outcome is that of all
     * together; it is counted and published once. The answer never fails.
     *
     * @param parts the requests; none is a request to which no limit applies
     * @param counting whether a refused part is counted
     * @throws IllegalArgumentException if a part names a limit that does not exist, or lacks an attribute of its key
     */
    public Answer<CombinedCheck.Result> checkTogether(List<CombinedCheck.Part> parts, CombinedCheck.Counting counting) {
        State present = state;
        CombinedCheck check = new CombinedCheck(store, present.decider, counting, parts, present.plan);
        if (check.appliesNone()) {
            reporter.reportUnlimited(
                    present.plan,
                    parts.isEmpty() ? Request.of(Map.of()) : parts.get(0).request());
            return Answer.of(check.result(Outcome.untouched()));
        }
        LongConsumer timing = timer;
        long began = timing == null ? 0 : System.nanoTime();
        return Answers.map(check.decide(), outcome -> {
            if (timing != null) {
                timing.accept(System.nanoTime() - began);
            }
            return check.result(outcome);
        });
    }

    private Answer<Outcome> check(State present, Request request, @Nullable PreparedRequest prepared) {
        if (prepared == null) {
            reporter.reportUnlimited(present.plan, request);
            return Outcome.untouched();
        }
        LongConsumer timing = timer;
        if (timing == null) {
            return present.decider.decide(prepared, present.decider.check);
        }
        long began = System.nanoTime();
        Answer<Outcome> answer = present.decider.decide(prepared, present.decider.check);
        if (answer.isDone()) {
            timing.accept(System.nanoTime() - began);
        } else {
            answer.whenDone((outcome, failure) -> timing.accept(System.nanoTime() - began));
        }
        return answer;
    }

    /** Sets the timer that is called with the nanoseconds of each check from now on; null removes it. */
    public void timeDecisions(@Nullable LongConsumer newTimer) {
        timer = newTimer;
    }

    /** Sets what gets the use of each request from now on; null removes it. */
    public void sampleUse(@Nullable SampledUse use) {
        reporter.use = use;
    }

    /** Sets the tracer of each decision from now on; null removes it. Peeks are not traced. */
    public void trace(@Nullable DecisionTracer tracer) {
        reporter.tracer = tracer;
    }

    /**
     * Decides and spends in two stages. The first stage, now, checks the limits that do not depend on an attribute that
     * becomes known later, such as the user. The second stage checks the other limits; if one of them refuses, what the
     * first stage spent is refunded.
     *
     * @param later the names of the attributes that are not known yet; a caller should use only a few different sets
     */
    public Answer<TwoStageCheck> checkInStages(Request request, Set<String> later) {
        State present = state;
        return TwoStageCheck.begin(present.plan, present.decider, store, reporter, request, later);
    }

    /**
     * Reports the status of the response to a request that was checked with {@link Request#reportingStatus}. Limits
     * with {@code charge} refund what they took if the status does not count. Only the first call has an effect. After
     * ten minutes without a report the charge stands, whatever the status was.
     *
     * @return false if something could not be refunded, and stays spent
     */
    public boolean complete(Outcome outcome, int status) {
        return completeAsync(outcome, status).await();
    }

    /** Like {@link #complete}, without blocking. The answer never fails. */
    public Answer<Boolean> completeAsync(Outcome outcome, int status) {
        return new StatusCharges(store).complete(outcome, status);
    }

    /** Returns what {@link #check(Map)} would return. Spends nothing and counts no violation. */
    public Outcome peek(Map<String, String> attributes) {
        return peek(Request.of(attributes));
    }

    /** Returns what {@link #check(Request)} would return. Spends nothing and counts no violation. */
    public Outcome peek(Request request) {
        return peekAsync(request).await();
    }

    /** Like {@link #peek(Request)}, without blocking. The answer never fails. */
    public Answer<Outcome> peekAsync(Request request) {
        State present = state;
        PreparedRequest prepared = present.plan.prepare(request, false);
        return prepared == null ? Outcome.untouched() : present.decider.decide(prepared, present.decider.peek);
    }

    /** Explains what {@link #check(Request)} would return. Spends nothing. The answer never fails. */
    public Answer<Explanation> explainAsync(Request request) {
        State present = state;
        SettingsSnapshot now = settings();
        Map<String, String> attributes = OutcomeReporter.attributes(present.plan, request);
        String exempt = present.plan.exemptBy(request);
        List<Explanation.Skipped> skipped = present.plan.skipped(request);
        return Answers.map(
                peekAsync(request),
                outcome -> new Explanation(
                        attributes,
                        outcome.limits().stream()
                                .map(limit -> matched(limit, attributes, now))
                                .toList(),
                        skipped,
                        exempt,
                        outcome));
    }

    private static Explanation.Matched matched(
            LimitResult limit, Map<String, String> attributes, SettingsSnapshot settings) {
        for (Map.Entry<Subject, Map<String, Map<String, String>>> override :
                settings.overrides().entrySet()) {
            Subject subject = override.getKey();
            String rate =
                    override.getValue().getOrDefault(limit.name(), Map.of()).get(limit.row());
            if (rate != null && subject.value().equals(attributes.get(subject.attribute()))) {
                return new Explanation.Matched(limit, subject, rate);
            }
        }
        return new Explanation.Matched(limit, null, null);
    }

    /**
     * Returns the state of every limit that can apply to a caller with these attributes, including concurrency limits,
     * budgets and shadow limits. Conditions on attributes that are not given count as fulfilled. Returns an empty list
     * for an exempt caller.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public List<LimitResult> status(Map<String, String> attributes) {
        return statusAsync(attributes).await();
    }

    /** Like {@link #status}, without blocking. */
    public Answer<List<LimitResult>> statusAsync(Map<String, String> attributes) {
        Plan plan = state.plan;
        PreparedRequest survey = plan.survey(attributes);
        if (survey == null || !plan.configuration.enabled() || plan.isExempt(survey.values())) {
            return Answer.of(List.of());
        }
        return Answers.map(store.peek(survey.charges()), decision -> new LimitResults(survey, decision).limits());
    }

    /**
     * Resets every budget of the subject that has all these attributes: those of each limit whose key contains one of
     * the attributes, and that can apply to requests with all of them. Slots are freed, whichever lease holds them. The
     * violations of the subject are set to zero.
     *
     * <p>A key may have parts that are not given. Their values are those that the configuration names, and those that
     * this engine has seen lately. {@link ResetReport#incomplete} names the limits for which other values may exist.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public ResetReport resetSubject(Map<String, String> attributes) {
        return resetSubjectAsync(attributes).await();
    }

    /** Like {@link #resetSubject}; returns the number of budgets that were reset. */
    public int reset(Map<String, String> attributes) {
        return resetAsync(attributes).await();
    }

    /** Like {@link #reset}, without blocking. */
    public Answer<Integer> resetAsync(Map<String, String> attributes) {
        return Answers.map(resetSubjectAsync(attributes), ResetReport::count);
    }

    /** Like {@link #resetSubject}, without blocking. */
    public Answer<ResetReport> resetSubjectAsync(Map<String, String> attributes) {
        State present = state;
        SubjectBudgets found = present.plan.budgetsOf(attributes);
        List<Key> keys = new ArrayList<>(found.keys());
        found.subjects().forEach(subject -> keys.add(OpenReservations.key(subject)));
        List<String> penaltySubject = present.plan.penaltySubject(attributes);
        if (present.penalties != null && penaltySubject != null) {
            keys.add(present.penalties.key(penaltySubject));
        }
        return Answers.map(resetFrom(keys, 0), done -> found.report());
    }

    /** Resets the keys in batches, so that no call of the store takes long. */
    private Answer<Boolean> resetFrom(List<Key> keys, int from) {
        if (from >= keys.size()) {
            return Answer.of(true);
        }
        int to = Math.min(keys.size(), from + RESET_AT_ONCE);
        return Answers.then(store.reset(keys.subList(from, to)), done -> resetFrom(keys, to), Promise::failed);
    }

    /**
     * Spends an estimate that is settled or cancelled later. After {@code ttl} without either the estimate stands,
     * unless the reservation is prolonged. Closing the result cancels a reservation that was not settled. If the store
     * does not answer, each limit's {@code on-store-failure} decides.
     */
    public Hold reserve(Request request, Duration ttl) {
        return reserveAsync(request, ttl).await();
    }

    /** Like {@link #reserve}, without blocking. The answer never fails. */
    public Answer<Hold> reserveAsync(Request request, Duration ttl) {
        State present = state;
        return holds.reserve(present.plan.prepare(request, false), present.decider, ttl);
    }

    /**
     * Spends an estimate of the named limits alone, like {@link #checkAsync(Request, Set)}: their conditions need not
     * hold, and no other limit is checked.
     *
     * @throws IllegalArgumentException if a name is not that of a limit, or the request lacks an attribute of a limit's
     *     key or its cost
     */
    public Answer<Hold> reserveAsync(Request request, Set<String> limits, Duration ttl) {
        State present = state;
        return holds.reserve(present.plan.prepareOnly(request, limits), present.decider, ttl);
    }

    /**
     * Replaces the estimates of a reservation by the actual costs. Only the first call has an effect.
     *
     * @param costs actual costs by limit name; limits that are not named keep their estimate
     * @throws IllegalArgumentException if the reservation holds nothing for one of the limits
     * @throws StoreException if the store failed or did not answer in time
     */
    public Settlement settle(String id, Map<String, Long> costs) {
        return Holds.settled(settleAsync(id, costs));
    }

    /** Like {@link #settle}, without blocking. */
    public Answer<Settlement> settleAsync(String id, Map<String, Long> costs) {
        return holds.settle(id, costs);
    }

    /**
     * Refunds everything that a reservation holds. Only the first call has an effect.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public Settlement cancel(String id) {
        return cancelAsync(id).await();
    }

    /** Like {@link #cancel}, without blocking. */
    public Answer<Settlement> cancelAsync(String id) {
        return holds.cancel(id);
    }

    /**
     * Keeps a reservation open for {@code ttl} from now. Returns false if it is closed, expired or unknown.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean prolong(String id, Duration ttl) {
        return prolongAsync(id, ttl).await();
    }

    /** Like {@link #prolong}, without blocking. */
    public Answer<Boolean> prolongAsync(String id, Duration ttl) {
        return holds.prolong(id, ttl);
    }

    /**
     * Takes a slot of every {@code concurrency} limit that applies, until {@code ttl} has passed without a renewal.
     * Closing the result releases the slots. If the store does not answer, each limit's {@code on-store-failure}
     * decides.
     */
    public Hold acquire(Request request, Duration ttl) {
        return acquireAsync(request, ttl).await();
    }

    /** Like {@link #acquire}, without blocking. The answer never fails. */
    public Answer<Hold> acquireAsync(Request request, Duration ttl) {
        State present = state;
        return holds.acquire(present.plan.prepare(request, true), present.decider, ttl);
    }

    /**
     * Holds a lease for {@code ttl} from now. Returns false if the lease is no longer held.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean renew(String id, Duration ttl) {
        return renewAsync(id, ttl).await();
    }

    /** Like {@link #renew}, without blocking. */
    public Answer<Boolean> renewAsync(String id, Duration ttl) {
        return holds.renew(id, ttl);
    }

    /**
     * Releases the slots of a lease. Returns false, without an effect, if the lease was not held.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean release(String id) {
        return releaseAsync(id).await();
    }

    /** Like {@link #release}, without blocking. */
    public Answer<Boolean> releaseAsync(String id) {
        return holds.release(id);
    }

    /**
     * Returns the penalty state of a subject, given by the values of {@code penalty.per}. It is {@link
     * PenaltyState#NONE} if the configuration has no penalty.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public PenaltyState penaltyState(String... subject) {
        return penaltyStateAsync(subject).await();
    }

    /** Like {@link #penaltyState}, without blocking. */
    public Answer<PenaltyState> penaltyStateAsync(String... subject) {
        Penalties penalties = state.penalties;
        return penalties == null ? Answer.of(PenaltyState.NONE) : penalties.penaltyState(List.of(subject));
    }

    /**
     * Returns the candidates that are not throttled, for schedulers, in one call of the store. Returns all candidates
     * if the store does not answer, so that work continues.
     */
    public <T> List<T> withoutThrottled(List<T> candidates, Function<T, String> subject) {
        Penalties penalties = state.penalties;
        if (penalties == null || candidates.isEmpty()) {
            return List.copyOf(candidates);
        }
        List<List<String>> subjects = candidates.stream()
                .map(candidate -> List.of(subject.apply(candidate)))
                .toList();
        try {
            List<PenaltyState> penaltyStates = penalties.penaltyStates(subjects).await();
            List<T> free = new ArrayList<>();
            for (int i = 0; i < candidates.size(); i++) {
                if (!penaltyStates.get(i).throttled()) {
                    free.add(candidates.get(i));
                }
            }
            return free;
        } catch (StoreException e) {
            return List.copyOf(candidates);
        }
    }

    /** The runtime settings as this node knows them, without those whose time is over. */
    public SettingsSnapshot settings() {
        return settings.current().at(options.clock().instant());
    }

    /**
     * Applies a change of the runtime settings. It is in force on this node when the method returns. Blocks until the
     * change is durable.
     *
     * @throws IllegalArgumentException if the change does not fit the configuration, such as an invalid rate; nothing
     *     changed
     * @throws dev.weir.spi.settings.SettingsException if the change could not be made durable; nothing changed
     */
    public SettingsSnapshot change(SettingsChange change) {
        Overrides.check(configuration(), change);
        return settings.apply(change);
    }

    /** The latest changes of the runtime settings, newest first. */
    public List<AuditEntry> audit(int count) {
        return settings.audit(count);
    }

    /**
     * Verifies the stored audit log: reports the line that was changed, removed or added outside the engine. Blocks.
     *
     * @return null if there is no fault, or if the settings are stored where it cannot be determined
     */
    public @Nullable String auditFault() {
        return settings.auditFault();
    }

    /** Whether the store answers. If the circuit breaker is open, this call may be its trial call and close it. */
    public boolean isStoreReachable() {
        return isStoreReachableAsync().await();
    }

    /** Like {@link #isStoreReachable}, without blocking. The answer never fails. */
    public Answer<Boolean> isStoreReachableAsync() {
        return Answers.then(store.peek(List.of(HEALTH)), decision -> Answer.of(true), failure -> Answer.of(false));
    }

    /** Closes the store and the settings. Listeners get up to two seconds to process buffered events. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
        registration.close();
        expiry.close();
        synchronized (this) {
            alertService.close();
        }
        bus.close();
        settings.close();
        store.close();
    }

    private void settingsChanged(SettingsSnapshot snapshot) {
        synchronized (this) {
            state = state(state.plan.configuration, snapshot.at(options.clock().instant()), state.plan.skips);
        }
        expiry.follow(snapshot);
        List<AuditEntry> latest = settings.audit(1);
        bus.publish(new Event.SettingsChanged(
                options.clock().instant(),
                snapshot.version(),
                latest.isEmpty() ? null : latest.get(0).change().who()));
    }

    /** Applies the present settings, without those whose time is over. */
    private synchronized void applySettings() {
        state = state(state.plan.configuration, settings(), state.plan.skips);
    }

    private State state(Configuration configuration, SettingsSnapshot snapshot, Map<String, SkippedLimitWatch> skips) {
        Penalties penalties = configuration.penalty() == null ? null : new Penalties(configuration.penalty(), store);
        return new State(
                new Plan(configuration, snapshot, counts, unclassifiedLog, skips, seen),
                penalties,
                new Decider(store, penalties, reporter));
    }
}
