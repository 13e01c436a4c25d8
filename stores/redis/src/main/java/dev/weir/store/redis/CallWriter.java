package dev.weir.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

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
    private final List<List<Question>> written = new ArrayList<>();
    private final Map<Priced, Run> runs = new HashMap<>();
    private byte[] buffer = new byte[256];
    private int end;

    /** @param wallMillis about when the script will run, for those policies that follow a calendar */
    CallWriter(KeyName clock, long wallMillis) {
        this.wallMillis = wallMillis;
        keysInOrder.add(clock.bytes());
    }

    /** What is written once for one question, or for the equal ones of a run; in their order. */
    List<List<Question>> written() {
        return written;
    }

    void question(Question question) {
        Priced single = question.runs();
        if (single == null) {
            runs.clear();
            write(question.verb(), question, question::write);
            return;
        }
        Run run = runs.get(single);
        if (run == null) {
            int begin = end;
            write(Verb.RUN, question, out -> question.writeRun(out, single));
            runs.put(single, new Run(begin + 4, written.get(written.size() - 1)));
        } else {
            run.askers.add(question);
            Bytes.write(run.askers.size(), 2, buffer, run.countAt);
        }
    }

    private void write(Verb verb, Question question, Consumer<CallWriter> body) {
        int begin = end;
        number(0, 3);
        number(verb.number(), 1);
        body.accept(this);
        Bytes.write(end - begin - 3L, 3, buffer, begin);
        List<Question> askers = new ArrayList<>(1);
        askers.add(question);
        written.add(askers);
    }

    /** Equal charges: where their count stands, and who asks. */
    private record Run(int countAt, List<Question> askers) {}

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
