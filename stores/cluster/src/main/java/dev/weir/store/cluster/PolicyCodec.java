package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.ledger.PolicyFields;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import java.time.DateTimeException;
import java.time.Duration;

/** Encodes policies: a kind, then its fields. */
final class PolicyCodec {
    private static final PolicyFields.Kind[] KINDS = PolicyFields.Kind.values();

    private PolicyCodec() {}

    @SuppressWarnings("EnumOrdinal") // The order of the kinds is the format, counted from 1.
    static void write(BytesOut out, Policy policy) {
        PolicyFields fields = PolicyFields.of(policy);
        out.u8(fields.kind().ordinal() + 1);
        for (Object value : fields.values()) {
            if (value instanceof Duration period) {
                out.number(period.getSeconds());
                out.number(period.getNano());
            } else if (value instanceof Long number) {
                out.number(number);
            } else {
                out.text((String) value);
            }
        }
    }

    static Policy read(BytesIn in) {
        int kind = in.u8();
        if (kind < 1 || kind > KINDS.length) {
            throw new MalformedException("unknown kind of policy " + kind);
        }
        try {
            return PolicyFields.read(KINDS[kind - 1], type -> field(in, type));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new MalformedException("no policy: " + e.getMessage());
        }
    }

    private static Object field(BytesIn in, Class<?> type) {
        if (type == Duration.class) {
            return Duration.ofSeconds(in.number(), in.number());
        }
        return type == Long.class ? (Object) in.number() : in.text();
    }
}
