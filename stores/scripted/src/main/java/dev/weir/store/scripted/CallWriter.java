package dev.weir.store.scripted;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes a batch of requests as one call of the script.
 *
 * <p>Wire format, all integers unsigned and big-endian ({@code call.lua}, {@code policy.lua} and {@code answer.lua}
 * define it):
 *
 * <pre>
 * keys       the clock's key, then every key that a request names, each once; entries refer to them by number from 1
 * argument   number of policies (2 bytes), each with its length (2 bytes); then the entries
 * entry      length of what follows (3 bytes), command (1 byte), body
 * charge     number of the key (2 bytes), number of the policy (2 bytes), amount (7 bytes)
 * </pre>
 *
 * <p>Counts, numbers and lengths have 2 bytes. Amounts, durations and times have 7 bytes, times in microseconds;
 * wall-clock times have 6 bytes, in milliseconds. Every value stays below 2^53, where the script's doubles are exact.
 *
 * <p>Entries are decided in their order. Equal charges on one token bucket become one entry, a run, whose count is
 * raised for each further request. A run may move a later request before others, which is correct: all requests of a
 * batch are concurrent, so any order among them is allowed. A request that cannot join a run ends all runs begun so
 * far, so no request moves across it.
 *
 * <p>Not safe for use by several threads. A writer serves one call.
 */
final class CallWriter {
    private final long wallMillis;
    private final Map<KeyName, Integer> keys = new HashMap<>();
    private final Map<PolicyCode, Integer> policies = new HashMap<>();
    private final List<byte[]> keysInOrder = new ArrayList<>();
    private final List<byte[]> policiesInOrder = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<ScriptCharge, Entry> runs = new HashMap<>();
    private byte[] buffer = new byte[256];
    private int end;

    /** @param wallMillis estimated wall-clock time of the script, in milliseconds since 1970, for calendar windows */
    CallWriter(KeyName clock, long wallMillis) {
        this.wallMillis = wallMillis;
        keysInOrder.add(clock.bytes());
    }

    /**
     * One encoded entry: a request, or equal requests as a run.
     *
     * @param number its index among all entries, from 0
     * @param request the request; the first one of a run
     * @param begin its offset in the buffer
     */
    record Entry(int number, ScriptRequest request, int begin) {}

    /** All entries, in the order in which the script decides them. */
    List<Entry> entries() {
        return entries;
    }

    /** Encodes a request and returns the number of the entry that carries its reply. */
    int request(ScriptRequest request) {
        ScriptCharge single = request.runs();
        if (single == null) {
            runs.clear();
            return write(request.verb(), request).number;
        }
        Entry run = runs.get(single);
        if (run == null) {
            run = write(ScriptCommand.RUN, request);
            runs.put(single, run);
        } else {
            int countAt = run.begin + 4;
            Bytes.write(Bytes.read(buffer, countAt, 2) + 1, 2, buffer, countAt);
        }
        return run.number;
    }

    private Entry write(ScriptCommand verb, ScriptRequest request) {
        int begin = end;
        number(0, 3);
        number(verb.number(), 1);
        request.write(this);
        Bytes.write(end - begin - 3L, 3, buffer, begin);
        Entry entry = new Entry(entries.size(), request, begin);
        entries.add(entry);
        return entry;
    }

    byte[][] keys() {
        return keysInOrder.toArray(byte[][]::new);
    }

    /** The script's first argument: the policies, then the entries. */
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

    /** Adds a policy to the call, even if no charge names it, and returns its number. */
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
