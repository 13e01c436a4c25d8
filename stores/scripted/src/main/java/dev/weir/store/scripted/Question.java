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
final class Question {
    /**
     * Weight of a request in a batch: one, plus one for each key and each KiB of its name. A further request of a run
     * is light.
     */
    static final Weigher<Question> WEIGHER = new Weigher<>() {
        @Override
        public int weight(Question question) {
            return question.weight;
        }

        @Override
        public boolean isLightBeside(Question other, Question question) {
            Priced run = question.runs();
            return run != null && run.equals(other.runs());
        }
    };

    private final Verb verb;
    private final int tag;
    private final List<Priced> charges;
    private final Consumer<CallWriter> body;
    /** Policies for which the script requested additional data. */
    private final List<PolicyCode> explained;

    private final int weight;

    private Question(
            Verb verb,
            int tag,
            List<Priced> charges,
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

    private Question(Verb verb, int tag, List<Priced> charges, Consumer<CallWriter> body) {
        this(verb, tag, charges, body, List.of(), weight(charges));
    }

    /** A request whose reply has no readings. */
    private Question(Verb verb, int tag, int weight, Consumer<CallWriter> body) {
        this(verb, tag, List.of(), body, List.of(), weight);
    }

    static Question consume(List<Priced> charges) {
        return new Question(Verb.CONSUME, tag(charges), charges, out -> writeCharges(charges, out));
    }

    static Question peek(List<Priced> charges) {
        return new Question(Verb.PEEK, tag(charges), charges, out -> writeCharges(charges, out));
    }

    /** Refunds charges, given the readings from when they were spent. */
    static Question giveBack(List<Priced> charges, Reply.Read spent) {
        return new Question(Verb.GIVE_BACK, tag(charges), weight(charges), out -> {
            out.amount(spent.moment().micros());
            out.number(spent.moment().wallMillis(), 6);
            out.count(charges.size());
            for (int i = 0; i < charges.size(); i++) {
                writeCharge(charges.get(i), out);
                out.amount(microsUntilWhole(charges.get(i), spent.readings().get(i)));
                out.count(spent.resetsSeen().isEmpty() ? 0 : spent.resetsSeen().get(i));
            }
        });
    }

    /** Microseconds until the charged window ended; 0 for a bucket, whose refund does not depend on it. */
    private static long microsUntilWhole(Priced charge, Reading reading) {
        return charge.charge().policy() instanceof TokenBucket
                ? 0
                : reading.resetAfter().toNanos() / 1_000;
    }

    static Question reset(List<KeyName> keys) {
        int weight = 1;
        for (KeyName key : keys) {
            weight += weight(key);
        }
        return new Question(Verb.RESET, keys.get(0).tag(), weight, out -> {
            out.count(keys.size());
            keys.forEach(out::key);
        });
    }

    /** @param verb {@code RESERVE}, or {@code LOOK_AT_RESERVE} to peek at its result without spending */
    static Question reserve(Verb verb, KeyName record, List<Priced> charges, long ttlMicros) {
        return new Question(verb, record.tag(), charges, out -> {
            out.key(record);
            out.amount(ttlMicros);
            writeCharges(charges, out);
        });
    }

    /** @param costs actual costs by scope; scopes are escaped as in key names */
    static Question settle(KeyName record, Map<String, Long> costs) {
        return new Question(Verb.SETTLE, record.tag(), List.of(), out -> {
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
    static Question cancel(KeyName record, long reservedAt, boolean forget) {
        return new Question(Verb.CANCEL, record.tag(), List.of(), out -> {
            out.key(record);
            out.amount(reservedAt);
            out.number(forget ? 1 : 0, 1);
        });
    }

    /** @param verb {@code ACQUIRE}, or {@code LOOK_AT_ACQUIRE} to peek at its result without holding anything */
    static Question acquire(Verb verb, KeyName record, String lease, List<Priced> charges, long ttlMicros) {
        return new Question(verb, record.tag(), charges, out -> {
            out.key(record);
            out.amount(ttlMicros);
            out.text(lease);
            writeCharges(charges, out);
        });
    }

    /** @param verb {@code RENEW} for a lease, {@code PROLONG} for a reservation */
    static Question until(Verb verb, KeyName record, long ttlMicros) {
        return new Question(verb, record.tag(), List.of(), out -> {
            out.key(record);
            out.amount(ttlMicros);
        });
    }

    static Question release(KeyName record) {
        return new Question(Verb.RELEASE, record.tag(), List.of(), out -> out.key(record));
    }

    static Question meet(KeyName meeting) {
        return new Question(Verb.MEET, meeting.tag(), List.of(), out -> out.key(meeting));
    }

    /** The same request with additional data about a policy. */
    Question explaining(PolicyCode policy) {
        List<PolicyCode> more = new ArrayList<>(explained);
        more.add(policy);
        return new Question(verb, tag, charges, body, List.copyOf(more), weight);
    }

    Verb verb() {
        return verb;
    }

    int tag() {
        return tag;
    }

    /** The charges whose readings the reply contains. */
    List<Priced> charges() {
        return charges;
    }

    private static int weight(List<Priced> charges) {
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
    Priced runs() {
        if (verb != Verb.CONSUME || charges.size() != 1 || !explained.isEmpty()) {
            return null;
        }
        Priced single = charges.get(0);
        return single.policy().plain() == null ? null : single;
    }

    void write(CallWriter out) {
        for (PolicyCode policy : explained) {
            int unused = out.mention(policy);
        }
        body.accept(out);
    }

    private static void writeCharges(List<Priced> charges, CallWriter out) {
        out.count(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            writeCharge(charges.get(i), out);
        }
    }

    private static void writeCharge(Priced charge, CallWriter out) {
        out.key(charge.key());
        out.policy(charge.policy());
        out.amount(charge.amount());
    }

    private static int tag(List<Priced> charges) {
        return charges.get(0).key().tag();
    }
}
