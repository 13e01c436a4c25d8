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
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.guard.StoreLabel;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import dev.weir.spi.Backend;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine: from a request's attributes to an outcome, by a configuration and the settings of the day.
 *
 * <p>Safe for use by any number of threads. The configuration is compiled to an immutable plan; a new one, or new
 * settings, take its place in one step, and counts are kept. Every answer comes in time: a store that does not give one
 * is answered for as its limits say.
 *
 * <p>A method that asks the store waits for it, within the store's deadline. Its twin, named {@code …Async}, returns at once,
 * for event loops and other threads that must not block; both are the same call.
 */
public final class Weir implements AutoCloseable {
    private static final Charge HEALTH = Charge.of(Key.of("weir:health"), TokenBucket.perSecond(1));

    /** As many keys are reset in one call of the store. */
    private static final int RESET_AT_ONCE = 100;

    private final GuardedStore store;
    private final Settings settings;
    private final WeirOptions options;
    private final EventBus bus = new EventBus();
    private final Counts counts = new Counts();
    private final Unclassed unclassed = new Unclassed();
    private final SeenKeys seen = new SeenKeys();
    private final Announcer announcer;
    private final Holds holds;
    private final Alarms alarms;
    private final Settings.Registration registration;
    private volatile State state;
    /** Set once, before anybody else has this engine. */
    private @Nullable ConfigurationFile file;

    private @Nullable Reloading reloading;

    private Weir(Configuration configuration, Backend backend, WeirOptions options, StoreLabel label) {
        Outages outages = new Outages(bus, options.clock());
        this.store = new GuardedStore(backend.store(), options.guard(), outages, label);
        this.settings = backend.settings();
        this.options = options;
        this.announcer = new Announcer(bus, counts, options.clock(), outages);
        this.holds = new Holds(store, () -> configuration().holds());
        this.alarms = new Alarms(bus, options);
        this.state = state(configuration, settings.current(), SkipWatch.ofAll(configuration, options.clock()));
        alarms.follow(configuration.alerts());
        this.registration = settings.onChange(snapshot -> settingsChanged(snapshot));
    }

    /** What a request is decided by; replaced as a whole. */
    private record State(Plan plan, @Nullable Penalties penalties, Decider decider) {}

    /**
     * An engine by a file, on the store that it names. The file is followed: a change is in force within a second or
     * two, and one with faults is reported and changes nothing.
     *
     * @throws dev.weir.engine.config.ConfigurationException with every fault of the file
     */
    public static Weir load(Path file) {
        return load(file, WeirOptions.defaults());
    }

    /** An engine by a file, on the store that it names. */
    public static Weir load(Path file, WeirOptions options) {
        return load(file, new ConfigurationReader(), options);
    }

    /** An engine by a file, read by a reader that knows what its placeholders mean, on the store that it names. */
    public static Weir load(Path file, ConfigurationReader reader, WeirOptions options) {
        ConfigurationFile source = new ConfigurationFile(file, reader);
        ConfigurationReader.Result read = source.read();
        Weir weir = open(read.orThrow(), options);
        Reloading.logWarnings(read);
        weir.file = source;
        weir.reloading = new Reloading(
                source, changed -> weir.reconfigure(onStore(changed, options)), weir.bus, options.clock());
        if (options.followsFile()) {
            source.follow(weir.reloading::take);
        }
        return weir;
    }

    /**
     * An engine by a configuration that is at hand, on the store that it or the options name.
     *
     * @throws IllegalArgumentException if no module on the class path knows the store
     * @throws StoreException if the store cannot be reached
     */
    public static Weir open(Configuration configuration, WeirOptions options) {
        Configuration effective = onStore(configuration, options);
        StoreLabel label =
                StoreLabel.ofUri(effective.shownStore(), options.guard().deadline() != null);
        return new Weir(effective, Backends.open(effective, options.data()), options, label);
    }

    private static Configuration onStore(Configuration configuration, WeirOptions options) {
        return options.store() == null ? configuration : configuration.withStore(options.store());
    }

    /** An engine on a memory store, whatever store the configuration names. */
    public static Weir inMemory(Configuration configuration) {
        return of(configuration, MemoryStore.create(), new InMemorySettings());
    }

    /** An engine on a store and settings that it will close. */
    public static Weir of(Configuration configuration, Store store, Settings settings) {
        return of(configuration, store, settings, WeirOptions.defaults());
    }

    /** An engine on a store and settings that it will close. */
    public static Weir of(Configuration configuration, Store store, Settings settings, WeirOptions options) {
        return of(configuration, new Backend(store, settings), options);
    }

    /** An engine on a store and settings that it will close, with the deadline that the store needs. */
    public static Weir of(Configuration configuration, Backend backend, WeirOptions options) {
        return new Weir(configuration, backend, options, StoreLabel.of(backend.store()));
    }

    /** What it decides by. */
    public Configuration configuration() {
        return state.plan.configuration;
    }

    /** Who a client is behind the proxies that the present configuration trusts. */
    public ClientAddress clients() {
        return state.plan.addresses();
    }

    /** The stream of what happens. */
    public EventBus events() {
        return bus;
    }

    /** How often it has answered what. */
    public Counts counts() {
        return counts;
    }

    /**
     * The limits that matched requests since the configuration was loaded and were skipped each time, because these lacked
     * an attribute.
     */
    public List<NeverApplied> neverApplied() {
        return state.plan.skips.values().stream()
                .map(SkipWatch::report)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The store, behind its deadline and circuit breaker. */
    public GuardedStore store() {
        return store;
    }

    /**
     * Decides by another configuration from now on; counts are kept.
     *
     * @throws IllegalArgumentException if it names another store, which needs a new engine
     */
    public synchronized void reconfigure(Configuration configuration) {
        if (!configuration.store().equals(state.plan.configuration.store())) {
            throw new IllegalArgumentException("store was changed; that needs a restart");
        }
        State next = state(configuration, settings.current(), SkipWatch.ofAll(configuration, options.clock()));
        alarms.follow(configuration.alerts());
        state = next;
    }

    /**
     * Reads the file again, now.
     *
     * @return what is wrong with it; nothing if it is in force
     * @throws IllegalStateException if there is no file
     */
    public List<Fault> reload() {
        if (file == null || reloading == null) {
            throw new IllegalStateException("this engine was not loaded from a file");
        }
        return reloading.take(file.read());
    }

    /** Decides and spends: all limits that apply admit the request, or none is spent from. */
    public Outcome check(Map<String, String> attributes) {
        return check(Request.of(attributes));
    }

    /** Decides and spends: all limits that apply admit the request, or none is spent from. */
    public Outcome check(Request request) {
        return checkAsync(request).await();
    }

    /** Like {@link #check(Request)}, without waiting. The answer never fails. */
    public Answer<Outcome> checkAsync(Request request) {
        State present = state;
        return check(present, present.plan.inquire(request, false));
    }

    /**
     * Decides by these limits alone, for a caller that knows what it limits: their conditions need not hold, and no other
     * limit is asked. The answer never fails.
     *
     * @param limits their names
     * @throws IllegalArgumentException if one of them is no limit, or the request lacks its key or its cost
     */
    public Answer<Outcome> checkAsync(Request request, Set<String> limits) {
        State present = state;
        return check(present, present.plan.inquireOnly(request, limits));
    }

    private Answer<Outcome> check(State present, @Nullable Inquiry inquiry) {
        if (inquiry == null) {
            announcer.tellUntouched();
            return Outcome.untouched();
        }
        return present.decider.decide(inquiry, present.decider.check);
    }

    /**
     * Decides and spends in two stages: now by those limits that depend on nothing that is known only later, such as who
     * the user is; then by the others, and should one of them refuse, what was spent now is given back.
     *
     * @param later the names of the attributes that are not known yet; always the same few sets
     */
    public Answer<TwoStageCheck> checkInStages(Request request, Set<String> later) {
        State present = state;
        return TwoStageCheck.begin(present.plan, present.decider, store, announcer, request, later);
    }

    /**
     * Reports the status of the response to a request that was {@linkplain Request#reportingStatus announced} to be
     * reported: limits with {@code charge} give back what they took if the status does not count. Once; repeating it
     * changes nothing. A status that is not reported within ten minutes counts, whatever it was.
     *
     * @return false if something could not be given back, which then stays spent
     */
    public boolean complete(Outcome outcome, int status) {
        return completeAsync(outcome, status).await();
    }

    /** Like {@link #complete}, without waiting. The answer never fails. */
    public Answer<Boolean> completeAsync(Outcome outcome, int status) {
        return new StatusCharges(store).complete(outcome, status);
    }

    /** What {@link #check(Map)} would answer; spends nothing and penalizes no subject. */
    public Outcome peek(Map<String, String> attributes) {
        return peek(Request.of(attributes));
    }

    /** What {@link #check(Request)} would answer; spends nothing and penalizes no subject. */
    public Outcome peek(Request request) {
        return peekAsync(request).await();
    }

    /** Like {@link #peek(Request)}, without waiting. The answer never fails. */
    public Answer<Outcome> peekAsync(Request request) {
        State present = state;
        Inquiry inquiry = present.plan.inquire(request, false);
        return inquiry == null ? Outcome.untouched() : present.decider.decide(inquiry, present.decider.peek);
    }

    /**
     * How every limit stands that knows this caller, whatever it might ask for: slots, budgets and shadows too. Conditions
     * on attributes that are not given count as held. Nothing for one who is exempt.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public List<LimitResult> status(Map<String, String> attributes) {
        return statusAsync(attributes).await();
    }

    /** Like {@link #status}, without waiting. */
    public Answer<List<LimitResult>> statusAsync(Map<String, String> attributes) {
        Plan plan = state.plan;
        Inquiry survey = plan.survey(attributes);
        if (survey == null || !plan.configuration.enabled() || plan.isExempt(survey.values)) {
            return Answer.of(List.of());
        }
        return Answers.map(store.peek(survey.charges), decision -> new Findings(survey, decision).limits());
    }

    /**
     * Resets every budget of the subject that has all these attributes: of each limit whose key has one of them, and that
     * applies to requests with all of them. Slots are freed, whoever holds them, and the violations of the subject are
     * forgiven.
     *
     * <p>A key may have parts that are not given. Their values are those that the configuration names, and those that this
     * engine has seen lately; {@link ResetReport#incomplete} names the limits where others may exist.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public ResetReport resetSubject(Map<String, String> attributes) {
        return resetSubjectAsync(attributes).await();
    }

    /** Like {@link #resetSubject}; returns how many budgets were reset. */
    public int reset(Map<String, String> attributes) {
        return resetAsync(attributes).await();
    }

    /** Like {@link #reset}, without waiting. */
    public Answer<Integer> resetAsync(Map<String, String> attributes) {
        return Answers.map(resetSubjectAsync(attributes), ResetReport::count);
    }

    /** Like {@link #resetSubject}, without waiting. */
    public Answer<ResetReport> resetSubjectAsync(Map<String, String> attributes) {
        State present = state;
        SubjectBudgets found = present.plan.budgetsOf(attributes);
        List<Key> keys = new ArrayList<>(found.keys());
        found.subjects().forEach(subject -> keys.add(OpenReservations.key(subject)));
        List<String> offender = present.plan.offender(attributes);
        if (present.penalties != null && offender != null) {
            keys.add(present.penalties.key(offender));
        }
        return Answers.map(resetFrom(keys, 0), done -> found.report());
    }

    /** A few at a time, so that no call is long. */
    private Answer<Boolean> resetFrom(List<Key> keys, int from) {
        if (from >= keys.size()) {
            return Answer.of(true);
        }
        int to = Math.min(keys.size(), from + RESET_AT_ONCE);
        return Answers.then(store.reset(keys.subList(from, to)), done -> resetFrom(keys, to), Promise::failed);
    }

    /**
     * Spends an estimate that is settled or cancelled later; after {@code ttl} it stands, unless it is prolonged. Closing the
     * result cancels what was not settled. A store that does not answer is answered for as the limits say.
     */
    public Hold reserve(Request request, Duration ttl) {
        return reserveAsync(request, ttl).await();
    }

    /** Like {@link #reserve}, without waiting. The answer never fails. */
    public Answer<Hold> reserveAsync(Request request, Duration ttl) {
        State present = state;
        return holds.reserve(present.plan.inquire(request, false), present.decider, ttl);
    }

    /**
     * Spends an estimate of these limits alone, as {@link #checkAsync(Request, Set)} spends: their conditions need not
     * hold, and no other limit is asked.
     *
     * @throws IllegalArgumentException if one of them is no limit, or the request lacks its key or its cost
     */
    public Answer<Hold> reserveAsync(Request request, Set<String> limits, Duration ttl) {
        State present = state;
        return holds.reserve(present.plan.inquireOnly(request, limits), present.decider, ttl);
    }

    /**
     * Replaces a reservation's estimates by what was used, once.
     *
     * @param costs by the names of limits; those not named keep their estimate
     * @throws IllegalArgumentException if the reservation holds nothing for one of them
     * @throws StoreException if the store failed or did not answer in time
     */
    public Settlement settle(String id, Map<String, Long> costs) {
        return Holds.settled(settleAsync(id, costs));
    }

    /** Like {@link #settle}, without waiting. */
    public Answer<Settlement> settleAsync(String id, Map<String, Long> costs) {
        return holds.settle(id, costs);
    }

    /**
     * Gives back all that a reservation holds, once.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public Settlement cancel(String id) {
        return cancelAsync(id).await();
    }

    /** Like {@link #cancel}, without waiting. */
    public Answer<Settlement> cancelAsync(String id) {
        return holds.cancel(id);
    }

    /**
     * Keeps a reservation open for so long from now; false when it is closed, expired or unknown.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean prolong(String id, Duration ttl) {
        return prolongAsync(id, ttl).await();
    }

    /** Like {@link #prolong}, without waiting. */
    public Answer<Boolean> prolongAsync(String id, Duration ttl) {
        return holds.prolong(id, ttl);
    }

    /**
     * Takes a slot of every {@code concurrency} limit that applies, for as long as it is renewed. Closing the result releases
     * it. A store that does not answer is answered for as the limits say.
     */
    public Hold acquire(Request request, Duration ttl) {
        return acquireAsync(request, ttl).await();
    }

    /** Like {@link #acquire}, without waiting. The answer never fails. */
    public Answer<Hold> acquireAsync(Request request, Duration ttl) {
        State present = state;
        return holds.acquire(present.plan.inquire(request, true), present.decider, ttl);
    }

    /**
     * Holds a lease for so long from now; false when it is not held any more.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean renew(String id, Duration ttl) {
        return renewAsync(id, ttl).await();
    }

    /** Like {@link #renew}, without waiting. */
    public Answer<Boolean> renewAsync(String id, Duration ttl) {
        return holds.renew(id, ttl);
    }

    /**
     * Gives a lease's slots back; false when it was not held, which harms nothing.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean release(String id) {
        return releaseAsync(id).await();
    }

    /** Like {@link #release}, without waiting. */
    public Answer<Boolean> releaseAsync(String id) {
        return holds.release(id);
    }

    /**
     * How a subject, given by the values of {@code penalty.per}, stands; in good standing without a penalty.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public Standing standing(String... subject) {
        return standingAsync(subject).await();
    }

    /** Like {@link #standing}, without waiting. */
    public Answer<Standing> standingAsync(String... subject) {
        Penalties penalties = state.penalties;
        return penalties == null ? Answer.of(Standing.GOOD) : penalties.standing(List.of(subject));
    }

    /**
     * Those candidates that are not throttled: one line for a scheduler, one call of the store. All of them when the
     * store does not answer: work goes on.
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
            List<Standing> standings = penalties.standings(subjects).await();
            List<T> free = new ArrayList<>();
            for (int i = 0; i < candidates.size(); i++) {
                if (!standings.get(i).throttled()) {
                    free.add(candidates.get(i));
                }
            }
            return free;
        } catch (StoreException e) {
            return List.copyOf(candidates);
        }
    }

    /** The settings as this node knows them. */
    public SettingsSnapshot settings() {
        return settings.current();
    }

    /**
     * Makes a change of settings, in force here when it returns. Blocks until it is durable.
     *
     * @throws IllegalArgumentException if the configuration cannot follow it, such as a rate that is none; nothing changed
     * @throws dev.weir.spi.settings.SettingsException if it could not be made durable; nothing changed
     */
    public SettingsSnapshot change(SettingsChange change) {
        Overrides.check(configuration(), change);
        return settings.apply(change);
    }

    /** The latest changes of settings, newest first. */
    public List<AuditEntry> audit(int count) {
        return settings.audit(count);
    }

    /**
     * What is wrong with the audit as it is kept: which line was changed, removed or added outside the engine. Blocks.
     *
     * @return null if nothing is wrong, or if the settings are kept where it cannot be told
     */
    public @Nullable String auditFault() {
        return settings.auditFault();
    }

    /** Whether the store answers. A store that was given up is tried, so that asking helps it back. */
    public boolean isStoreReachable() {
        return isStoreReachableAsync().await();
    }

    /** Like {@link #isStoreReachable}, without waiting. The answer never fails. */
    public Answer<Boolean> isStoreReachableAsync() {
        return Answers.then(store.peek(List.of(HEALTH)), decision -> Answer.of(true), failure -> Answer.of(false));
    }

    /** Closes the store and the settings, and lets events that wait be heard for up to two seconds. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
        registration.close();
        synchronized (this) {
            alarms.close();
        }
        bus.close();
        settings.close();
        store.close();
    }

    private void settingsChanged(SettingsSnapshot snapshot) {
        synchronized (this) {
            state = state(state.plan.configuration, snapshot, state.plan.skips);
        }
        List<AuditEntry> latest = settings.audit(1);
        bus.publish(new Event.SettingsChanged(
                options.clock().instant(),
                snapshot.version(),
                latest.isEmpty() ? null : latest.get(0).change().who()));
    }

    private State state(Configuration configuration, SettingsSnapshot snapshot, Map<String, SkipWatch> skips) {
        Penalties penalties = configuration.penalty() == null ? null : new Penalties(configuration.penalty(), store);
        return new State(
                new Plan(configuration, snapshot, counts, unclassed, skips, seen),
                penalties,
                new Decider(store, penalties, announcer));
    }
}
