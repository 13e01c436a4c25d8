package dev.weir.binding.grpc;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.engine.connection.ConnectionSlot;
import dev.weir.remote.Answers;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether a call may begin.
 *
 * @param slot the slot that a counted stream holds while it is open; null otherwise; released if the call is refused
 */
record Admission(Outcome outcome, @Nullable ConnectionSlot slot) {

    /**
     * Acquires the slot first, as it can be released: a call without a slot then spends nothing. The answer never
     * fails.
     */
    static Answer<Admission> ask(CallSetup setup, Request request, MethodDescriptor<?, ?> method) {
        ConnectionLimits streams = setup.streams();
        if (streams == null || method.getType() == MethodType.UNARY) {
            return Answers.map(setup.weir().checkAsync(request), outcome -> new Admission(outcome, null));
        }
        return Answers.then(
                streams.admit(request.attributes()),
                slot -> slot.granted()
                        ? Answers.map(setup.weir().checkAsync(request), outcome -> holding(slot, outcome))
                        : Answer.of(new Admission(slot.outcome(), null)));
    }

    private static Admission holding(ConnectionSlot slot, Outcome outcome) {
        if (!outcome.allowed()) {
            slot.release();
        }
        return new Admission(outcome, slot);
    }
}
