package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreArguments;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.remote.Answers;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store whose backend runs a script that decides all charges of a request, by the backend's clock, in one call.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>The script is the only writer of budgets, reservations and leases. This class keeps no counts; it caches
 *       encoded policies and key names only. Any number of processes may share one backend.
 *   <li>One call is atomic: it spends every charge of a request or none. The backend's clock supplies the time.
 *   <li>An unpartitioned backend decides every request in one call. A partitioned backend (Redis Cluster, Durable
 *       Objects) keeps the keys of one tag on one node; a call may name keys of one tag only.
 *   <li>A request over several tags first peeks at all groups of charges in parallel. If all admit, it takes one call
 *       for each group, in the order of the charges: the outermost limit first. If one refuses or fails, the groups
 *       that were already charged are refunded. Such a request never admits more than the limits allow, but another
 *       request may be refused for budget that is about to be refunded.
 *   <li>A call is sent at most once. After a timeout or a connection failure the caller does not know whether the
 *       script ran, so nothing is repeated.
 *   <li>A decision can be refunded once, by the store that made it.
 * </ul>
 *
 * <p>Safe for use by several threads. Only the warm-up and {@link #close()} may block; a call that takes longer than
 * {@link #deadline()} fails with a {@link StoreException}. After {@link #close()} every method throws.
 */
public abstract class ScriptedStore implements Store {
    private static final Logger LOG = System.getLogger(ScriptedStore.class.getName());

    /**
     * Maximum number of cached policy codes. Policies come from a configuration, so there are few; others are not
     * cached.
     */
    private static final int MOST_POLICIES = 10_000;

    /** Maximum number of keys that one call resets on a partitioned backend, which bounds the size of a call. */
    private static final int MOST_RESET_TOGETHER = 500;

    private static final int MOST_ATTEMPTS = 3;
    private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);
    private static final int WARM_UP_CALLS = 8;

    private final ScriptLink link;
    private final boolean partitioned;
    private final KeyNames names;
    private final ScriptClient calls;
    private final ChargeGroupDecider steps;
    private final ScriptedHolds holds;
    private final Map<Policy, PolicyCode> policies = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates a store over a connection to a backend.
     *
     * @param link the connection; {@link #close()} closes it
     * @param prefix the prefix of every key
     */
    protected ScriptedStore(ScriptLink link, String prefix, ScriptClock clock) {
        this.link = link;
        this.partitioned = link.isPartitioned();
        this.names = new KeyNames(prefix);
        this.calls = new ScriptClient(link, clock, names);
        this.steps = new ChargeGroupDecider(this, calls);
        this.holds = new ScriptedHolds(new HoldLocator(link, names), names, calls, steps);
    }

    /**
     * Warms up before requests arrive: runs decisions, alone and in batches, to load classes and the script. On a busy
     * machine the first decisions would exceed the timeout of a call. Repeats until a round is fast, for two seconds at
     * most. Each decision either exceeds the capacity or only peeks, so nothing is written.
     */
    protected final void runWarmUpDecision() {
        long fastNanos = link.timeout().toNanos() / 4;
        long endNanos = System.nanoTime() + LONGEST_WARM_UP.toNanos();
        int failures = 0;
        for (long begun = System.nanoTime();
                begun - endNanos < 0 && failures < MOST_ATTEMPTS;
                begun = System.nanoTime()) {
            try {
                warmUp(1); // Loads the script, once.
                warmUp(WARM_UP_CALLS);
                if (System.nanoTime() - begun < fastNanos) {
                    return;
                }
            } catch (StoreException e) {
                // Still too slow, or the backend is unavailable. The next call then fails too and reports it.
                failures++;
                LOG.log(Level.DEBUG, () -> link.name() + " did not answer when the store was opened", e);
            }
        }
    }

    /** Runs this many concurrent decisions. The first is sent alone, the others form a batch. */
    private void warmUp(int calls) {
        List<Answer<Decision>> answers = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            Key key = Key.of("weir", Integer.toString(i));
            long cost = i % 2 == 0 ? 2 : 1;
            List<Charge> charges = List.of(new Charge(key, TokenBucket.perMinute(1), cost));
            answers.add(cost == 2 ? consume(charges) : peek(charges));
        }
        for (Answer<Decision> answer : answers) {
            Decision unused = answer.await(LONGEST_ATTEMPT);
        }
    }

    @Override
    public final Duration deadline() {
        return link.timeout();
    }

    @Override
    public final Answer<Decision> consume(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkConsumed(charges);
        List<Charge> asked = List.copyOf(charges);
        List<ChargeGroup> groups = groups(asked);
        if (groups.size() == 1) {
            ChargeGroup all = groups.get(0);
            return calls.ask(
                    ScriptRequest.consume(all.charges()),
                    reply -> Answer.of(ScriptedDecision.consumed(this, asked, all, (Reply.Read) reply)));
        }
        return steps.peekFirst(
                asked,
                groups,
                steps::peek,
                seen -> steps.take(asked, groups, this::consume, step -> giveBack(step.part())));
    }

    private Answer<ChargeGroupDecider.GroupResult> consume(ChargeGroup group) {
        return calls.ask(ScriptRequest.consume(group.charges()), reply -> {
            Reply.Read read = (Reply.Read) reply;
            return Answer.of(
                    new ChargeGroupDecider.GroupResult(group, read, true, ScriptedDecision.Part.of(group, read)));
        });
    }

    @Override
    public final Answer<Decision> peek(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkCharges(charges);
        return steps.look(List.copyOf(charges), groups(charges));
    }

    @Override
    public final Answer<Boolean> refund(Decision decision) {
        checkOpen();
        if (!(decision instanceof ScriptedDecision own) || !own.isOf(this)) {
            throw StoreArguments.foreignDecision();
        }
        return own.refundOnce() ? refund(own.parts(), 0, false) : Answer.of(false);
    }

    private Answer<Boolean> refund(List<ScriptedDecision.Part> parts, int at, boolean given) {
        if (at == parts.size()) {
            return Answer.of(given);
        }
        return Answers.then(giveBack(parts.get(at)), some -> refund(parts, at + 1, given || some));
    }

    /** Refunds what one call spent. If the part belongs to a reservation, cancels the reservation. */
    private Answer<Boolean> giveBack(ScriptedDecision.Part part) {
        KeyName record = part.record();
        ScriptRequest request = record == null
                ? ScriptRequest.giveBack(part.charges(), part.read())
                : ScriptRequest.cancel(record, part.reservedAt(), false);
        return calls.ask(request, reply -> Answer.of(((Reply.OutcomeCode) reply).number() == 1));
    }

    @Override
    public final Answer<Boolean> reset(List<Key> keys) {
        checkOpen();
        Map<Integer, List<KeyName>> groups = new LinkedHashMap<>();
        for (Key key : keys) {
            KeyName name = names.budget(key);
            groups.computeIfAbsent(partitioned ? name.tag() : 0, tag -> new ArrayList<>())
                    .add(name);
        }
        int most = partitioned ? MOST_RESET_TOGETHER : Integer.MAX_VALUE;
        List<List<KeyName>> together = new ArrayList<>();
        for (List<KeyName> group : groups.values()) {
            for (int i = 0; i < group.size(); i += Math.min(most, group.size())) {
                together.add(group.subList(i, i + Math.min(most, group.size() - i)));
            }
        }
        return reset(together, 0);
    }

    private Answer<Boolean> reset(List<List<KeyName>> groups, int at) {
        if (at == groups.size()) {
            return Answer.of(true);
        }
        return calls.ask(ScriptRequest.reset(groups.get(at)), done -> reset(groups, at + 1));
    }

    @Override
    public final Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkConsumed(charges);
        return holds.reserve(id, List.copyOf(charges), groups(charges), StoreArguments.ttlMicros(ttl));
    }

    @Override
    public final Answer<Settlement> settle(String id, Map<String, Long> costs) {
        checkOpen();
        StoreArguments.checkCosts(costs);
        return holds.settle(id, Map.copyOf(costs));
    }

    @Override
    public final Answer<Settlement> cancel(String id) {
        checkOpen();
        return holds.cancel(id);
    }

    @Override
    public final Answer<Boolean> prolong(String id, Duration ttl) {
        checkOpen();
        return holds.prolong(id, StoreArguments.ttlMicros(ttl));
    }

    @Override
    public final Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkCharges(charges);
        return holds.acquire(id, List.copyOf(charges), groups(charges), StoreArguments.ttlMicros(ttl));
    }

    @Override
    public final Answer<Boolean> renew(String id, Duration ttl) {
        checkOpen();
        return holds.renew(id, StoreArguments.ttlMicros(ttl));
    }

    @Override
    public final Answer<Boolean> release(String id) {
        checkOpen();
        return holds.release(id);
    }

    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            calls.close();
            link.close();
        }
    }

    /** The key names of this store, for data that subclasses keep beside the budgets. */
    protected KeyNames names() {
        return names;
    }

    private List<ChargeGroup> groups(List<Charge> charges) {
        List<ScriptCharge> priced = charges.size() == 1
                ? List.of(priced(charges.get(0)))
                : charges.stream().map(this::priced).toList();
        return partitioned ? ChargeGroup.byTag(priced) : ChargeGroup.inOneCall(priced);
    }

    private ScriptCharge priced(Charge charge) {
        return new ScriptCharge(charge, names.budget(charge.key()), code(charge.policy()));
    }

    private PolicyCode code(Policy policy) {
        PolicyCode known = policies.get(policy);
        if (known == null) {
            known = PolicyCode.of(policy);
            if (policies.size() < MOST_POLICIES) {
                PolicyCode other = policies.putIfAbsent(policy, known);
                known = other == null ? known : other;
            }
        }
        return known;
    }

    private void checkOpen() {
        StoreArguments.checkOpen(closed);
    }
}
