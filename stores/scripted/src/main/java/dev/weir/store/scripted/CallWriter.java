package dev.weir.store.scripted;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts questions together into one call of the script: every key and every policy once, however many name it, and equal
 * charges on one bucket as one run. All of them are in flight at the same time, so that equal ones may be asked together;
 * what is not equal stays where it is.
 *
 * <p>{@code call.lua} and {@code answer.lua} tell the form. Not safe for use by several threads.
 */
final class CallWriter {
    private final long wallMillis;
    private final Map<KeyName, Integer> keys = new HashMap<>();
    private final Map<PolicyCode, Integer> policies = new HashMap<>();
    private final List<byte[]> keysInOrder = new ArrayList<>();
    private final List<byte[]> policiesInOrder = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Priced, Entry> runs = new HashMap<>();
    private byte[] buffer = new byte[256];
    private int end;

    /** @param wallMillis about when the script will run, for those policies that follow a calendar */
    CallWriter(KeyName clock, long wallMillis) {
        this.wallMillis = wallMillis;
        keysInOrder.add(clock.bytes());
    }

    /**
     * What is written once: a question, or equal ones as a run.
     *
     * @param number its place among all that is written
     * @param question the first one
     * @param begin where it stands
     */
    record Entry(int number, Question question, int begin) {}

    /** All that is written, in its order. */
    List<Entry> entries() {
        return entries;
    }

    /** Writes a question; answers the number of the entry under which its answer comes. */
    int question(Question question) {
        Priced single = question.runs();
        if (single == null) {
            runs.clear();
            return write(question.verb(), question).number;
        }
        Entry run = runs.get(single);
        if (run == null) {
            run = write(Verb.RUN, question);
            runs.put(single, run);
        } else {
            int countAt = run.begin + 4;
            Bytes.write(Bytes.read(buffer, countAt, 2) + 1, 2, buffer, countAt);
        }
        return run.number;
    }

    private Entry write(Verb verb, Question question) {
        int begin = end;
        number(0, 3);
        number(verb.number(), 1);
        question.write(this);
        Bytes.write(end - begin - 3L, 3, buffer, begin);
        Entry entry = new Entry(entries.size(), question, begin);
        entries.add(entry);
        return entry;
    }

    byte[][] keys() {
        return keysInOrder.toArray(byte[][]::new);
    }

    /** The script's first argument: the policies, then the questions. */
    byte[] argument() {
        int length = 2 + end;
        for (byte[] policy : policiesInOrder) {
            length += 2 + policy.length;
        }
        byte[] all = new byte[length];
        Bytes.write(policiesInOrder.size(), 2, all, 0);
        int at = 2;
        for (byte[] policy : policiesInOrder) {
            Bytes.write(policy.length, 2, all, at);
            System.arraycopy(policy, 0, all, at + 2, policy.length);
            at += 2 + policy.length;
        }
        System.arraycopy(buffer, 0, all, at, end);
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
