package dev.weir.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts questions together into one call of the script: every key and every policy once, however many name it.
 *
 * <p>{@code 1-call.lua} and {@code 11-answer.lua} tell the form. Not safe for use by several threads.
 */
final class CallWriter {
    private final long wallMillis;
    private final Map<KeyName, Integer> keys = new HashMap<>();
    private final Map<PolicyCode, Integer> policies = new IdentityHashMap<>();
    private final List<byte[]> keysInOrder = new ArrayList<>();
    private final List<byte[]> policiesInOrder = new ArrayList<>();
    private byte[] buffer = new byte[256];
    private int end;

    /** @param wallMillis about when the script will run, for those policies that follow a calendar */
    CallWriter(KeyName clock, long wallMillis) {
        this.wallMillis = wallMillis;
        keysInOrder.add(clock.bytes());
    }

    void question(Question question) {
        int begin = end;
        number(0, 3);
        number(question.verb().number(), 1);
        question.write(this);
        Bytes.write(end - begin - 3L, 3, buffer, begin);
    }

    byte[][] keys() {
        return keysInOrder.toArray(byte[][]::new);
    }

    /** The script's further arguments after a first one. */
    byte[][] arguments(byte[] clock) {
        byte[][] all = new byte[2 + policiesInOrder.size()][];
        all[0] = clock;
        all[1] = Arrays.copyOf(buffer, end);
        for (int i = 0; i < policiesInOrder.size(); i++) {
            all[2 + i] = policiesInOrder.get(i);
        }
        return all;
    }

    void number(long value, int width) {
        makeRoom(width);
        Bytes.write(value, width, buffer, end);
        end += width;
    }

    void count(int value) {
        number(value, 2);
    }

    void amount(long value) {
        number(value, 7);
    }

    void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        count(bytes.length);
        makeRoom(bytes.length);
        System.arraycopy(bytes, 0, buffer, end, bytes.length);
        end += bytes.length;
    }

    void key(KeyName name) {
        Integer known = keys.get(name);
        if (known == null) {
            keysInOrder.add(name.bytes());
            known = keysInOrder.size();
            keys.put(name, known);
        }
        count(known);
    }

    void policy(PolicyCode policy) {
        Integer known = policies.get(policy);
        if (known == null) {
            known = mention(policy);
        }
        count(known);
    }

    /** Tells the script of a policy that no charge names. */
    int mention(PolicyCode policy) {
        policiesInOrder.add(policy.given(wallMillis));
        policies.put(policy, policiesInOrder.size());
        return policiesInOrder.size();
    }

    private void makeRoom(int more) {
        if (end + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(end + more, 2 * buffer.length));
        }
    }
}
