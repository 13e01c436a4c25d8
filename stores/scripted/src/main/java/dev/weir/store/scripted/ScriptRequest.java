package dev.weir.store.scripted;

import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.remote.Weigher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request to the script. Immutable. */
final class ScriptRequest {
    /**
     * Weight of a request in a batch: one, plus one for each key and each KiB of its name. A further request of a run
     * is light.
     */
    static final Weigher<ScriptRequest> WEIGHER = new Weigher<>() {
        @Override
        public int weight(ScriptRequest request) {
            return request.weight;
        }

        @Override
        public boolean isRepeat(ScriptRequest previous, ScriptRequest request) {
            ScriptCharge run = request.runs();
            return run != null && run.equals(previous.runs());
        }
    };

    private final ScriptCommand verb;
    private final int tag;
    private final List<ScriptCharge> charges;
    private final Consumer<CallWriter> body;
    /** Policies for which the script requested additional data. */
    private final List<PolicyCode> explained;

    private final int weight;

    private ScriptRequest(
            ScriptCommand verb,
            int tag,
            List<ScriptCharge> charges,
            Consumer<CallWriter> body,
            List<PolicyCode> explained,
            int weight) {
        this.weight = weight;
        this.verb = verb;
        this.tag = tag;
        this.charges = charges;
        this.body = body;
        this.explained = explained;
    }

    private ScriptRequest(ScriptCommand verb, int tag, List<ScriptCharge> charges, Consumer<CallWriter> body) {
        this(verb, tag, charges, body, List.of(), weight(charges));
    }

    /** A request whose reply has no readings. */
    private ScriptRequest(ScriptCommand verb, int tag, int weight, Consumer<CallWriter> body) {
        this(verb, tag, List.of(), body, List.of(), weight);
    }

    static ScriptRequest consume(List<ScriptCharge> charges) {
        return new ScriptRequest(ScriptCommand.CONSUME, tag(charges), charges, out -> writeCharges(charges, out));
    }

    static ScriptRequest peek(List<ScriptCharge> charges) {
        return new ScriptRequest(ScriptCommand.PEEK, tag(charges), charges, out -> writeCharges(charges, out));
    }

    /** Refunds charges, given the readings from when they were spent. */
    static ScriptRequest giveBack(List<ScriptCharge> charges, Reply.Read spent) {
        return new ScriptRequest(ScriptCommand.GIVE_BACK, tag(charges), weight(charges), out -> {
            out.amount(spent.scriptTime().micros());
            out.number(spent.scriptTime().wallMillis(), 6);
            out.count(charges.size());
            for (int i = 0; i < charges.size(); i++) {
                writeCharge(charges.get(i), out);
                out.amount(microsUntilWhole(charges.get(i), spent.readings().get(i)));
                out.count(spent.resetsSeen().isEmpty() ? 0 : spent.resetsSeen().get(i));
            }
        });
    }

    /** Microseconds until the charged window ended; 0 for a bucket, whose refund does not depend on it. */
    private static long microsUntilWhole(ScriptCharge charge, Reading reading) {
        return charge.charge().policy() instanceof TokenBucket
                ? 0
                : reading.resetAfter().toNanos() / 1_000;
    }

    static ScriptRequest reset(List<KeyName> keys) {
        int weight = 1;
        for (KeyName key : keys) {
            weight += weight(key);
        }
        return new ScriptRequest(ScriptCommand.RESET, keys.get(0).tag(), weight, out -> {
            out.count(keys.size());
            keys.forEach(out::key);
        });
    }

    /** @param verb {@code RESERVE}, or {@code LOOK_AT_RESERVE} to peek at its result without spending */
    static ScriptRequest reserve(ScriptCommand verb, KeyName record, List<ScriptCharge> charges, long ttlMicros) {
        return new ScriptRequest(verb, record.tag(), charges, out -> {
            out.key(record);
            out.amount(ttlMicros);
            writeCharges(charges, out);
        });
    }

    /** @param costs actual costs by scope; scopes are escaped as in key names */
    static ScriptRequest settle(KeyName record, Map<String, Long> costs) {
        return new ScriptRequest(ScriptCommand.SETTLE, record.tag(), List.of(), out -> {
            out.key(record);
            out.count(costs.size());
            costs.forEach((scope, cost) -> {
                out.text(scope);
                out.amount(cost);
            });
        });
    }

    /**
     * @param reservedAt creation time of the reservation to cancel, in microseconds since 1970; 0 for any
     * @param forget whether to delete the record, so that the id can be used again
     */
    static ScriptRequest cancel(KeyName record, long reservedAt, boolean forget) {
        return new ScriptRequest(ScriptCommand.CANCEL, record.tag(), List.of(), out -> {
            out.key(record);
            out.amount(reservedAt);
            out.number(forget ? 1 : 0, 1);
        });
    }

    /** @param verb {@code ACQUIRE}, or {@code LOOK_AT_ACQUIRE} to peek at its result without holding anything */
    static ScriptRequest acquire(
            ScriptCommand verb, KeyName record, String lease, List<ScriptCharge> charges, long ttlMicros) {
        return new ScriptRequest(verb, record.tag(), charges, out -> {
            out.key(record);
            out.amount(ttlMicros);
            out.text(lease);
            writeCharges(charges, out);
        });
    }

    /** @param verb {@code RENEW} for a lease, {@code PROLONG} for a reservation */
    static ScriptRequest until(ScriptCommand verb, KeyName record, long ttlMicros) {
        return new ScriptRequest(verb, record.tag(), List.of(), out -> {
            out.key(record);
            out.amount(ttlMicros);
        });
    }

    static ScriptRequest release(KeyName record) {
        return new ScriptRequest(ScriptCommand.RELEASE, record.tag(), List.of(), out -> out.key(record));
    }

    static ScriptRequest firstSeen(KeyName name) {
        return new ScriptRequest(ScriptCommand.FIRST_SEEN, name.tag(), List.of(), out -> out.key(name));
    }

    /** The same request with additional data about a policy. */
    ScriptRequest withPolicy(PolicyCode policy) {
        List<PolicyCode> more = new ArrayList<>(explained);
        more.add(policy);
        return new ScriptRequest(verb, tag, charges, body, List.copyOf(more), weight);
    }

    ScriptCommand verb() {
        return verb;
    }

    int tag() {
        return tag;
    }

    /** The charges whose readings the reply contains. */
    List<ScriptCharge> charges() {
        return charges;
    }

    private static int weight(List<ScriptCharge> charges) {
        int weight = 1;
        for (int i = 0; i < charges.size(); i++) {
            weight += weight(charges.get(i).key());
        }
        return weight;
    }

    private static int weight(KeyName key) {
        return 1 + (key.bytes().length >> 10);
    }

    /** The charge of a request that can join a run of equal charges; null for any other request. */
    @Nullable
    ScriptCharge runs() {
        if (verb != ScriptCommand.CONSUME || charges.size() != 1 || !explained.isEmpty()) {
            return null;
        }
        ScriptCharge single = charges.get(0);
        return single.policy().plain() == null ? null : single;
    }

    void write(CallWriter out) {
        for (PolicyCode policy : explained) {
            int unused = out.mention(policy);
        }
        body.accept(out);
    }

    private static void writeCharges(List<ScriptCharge> charges, CallWriter out) {
        out.count(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            writeCharge(charges.get(i), out);
        }
    }

    private static void writeCharge(ScriptCharge charge, CallWriter out) {
        out.key(charge.key());
        out.policy(charge.policy());
        out.amount(charge.amount());
    }

    private static int tag(List<ScriptCharge> charges) {
        return charges.get(0).key().tag();
    }
}
