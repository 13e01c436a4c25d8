package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Moment;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BookTest {
    private static final Policy TEN = FixedWindow.of(10, Duration.ofMinutes(1));

    private final Meters meters = new Meters();

    private static Moment at(long millis) {
        return new Moment(1_700_000_000_000_000L + 1_000 * millis, 1_700_000_000_000L + millis);
    }

    private Question consume(String key, Policy policy, long cost) {
        return Question.of(Verb.CONSUME, "", List.of(new Line(key, meters.of(policy), cost)), 0);
    }

    private Question reset(String key) {
        return Question.of(Verb.RESET, "", List.of(new Line(key, meters.of(TEN), 1)), 0);
    }

    private byte[] batch(long client, long sequence, long answeredBelow, Question... questions) {
        return Batch.write(client, sequence, answeredBelow, List.of(questions));
    }

    private static boolean admitted(byte[] reply) {
        BytesIn in = new BytesIn(reply);
        in.number();
        in.number();
        assertThat(in.u8()).isEqualTo(Book.OK);
        return (in.u8() & Book.ADMITTED) != 0;
    }

    @Test
    void batch_thatComesAgain_isAnsweredAsBeforeAndCountsOnce() {
        Book book = SoloLog.newBook(Book.MOST_BUDGETS);
        byte[] batch = batch(7, 1, 1, consume("k", TEN, 6));
        byte[] reply = book.apply(batch, at(0));
        assertThat(admitted(reply)).isTrue();
        assertThat(book.apply(batch, at(500))).isEqualTo(reply);
        assertThat(admitted(book.apply(batch(7, 2, 1, consume("k", TEN, 4)), at(600))))
                .isTrue();
        assertThat(book.apply(batch, at(700))).isEqualTo(reply);
        assertThat(admitted(book.apply(batch(7, 3, 3, consume("k", TEN, 1)), at(800))))
                .isFalse();
        assertThat(book.apply(batch, at(900))).as("answered long ago").isEmpty();
        assertThat(admitted(book.apply(batch(8, 1, 1, consume("k", TEN, 1)), at(900))))
                .as("another client's")
                .isFalse();
    }

    @Test
    void clients_thatFellSilent_areForgotten() {
        Book book = SoloLog.newBook(Book.MOST_BUDGETS);
        for (long client = 1; client <= 2_000; client++) {
            book.apply(batch(client, 1, 1, consume("k" + client, TEN, 1)), at(client));
        }
        assertThat(book.sessions.all()).hasSizeLessThanOrEqualTo(1_024);
        book.apply(batch(9_999, 1, 1, consume("k", TEN, 1)), at(3_600_000));
        assertThat(book.sessions.all()).hasSize(1);
    }

    @Test
    void book_thatIsFull_letsNewKeysShareAndLosesNobodysCount() {
        Book book = SoloLog.newBook(100);
        Policy slow = TokenBucket.of(2, 1, Duration.ofDays(1));
        long sequence = 0;
        for (int i = 0; i < 100; i++) {
            sequence++;
            assertThat(admitted(book.apply(batch(1, sequence, sequence, consume("s:own" + i, slow, 2)), at(i))))
                    .isTrue();
        }
        int more = 0;
        for (int i = 0; i < 5_000; i++) {
            sequence++;
            more += admitted(book.apply(batch(1, sequence, sequence, consume("s:new" + i, slow, 1)), at(200))) ? 1 : 0;
        }
        assertThat(more).as("256 shared budgets of 2").isBetween(500, 512);
        assertThat(book.budgets.size()).isLessThanOrEqualTo(100 + 256);
        for (int i = 0; i < 100; i++) {
            sequence++;
            assertThat(admitted(book.apply(batch(1, sequence, sequence, consume("s:own" + i, slow, 1)), at(300))))
                    .isFalse();
        }
        sequence++;
        assertThat(admitted(book.apply(batch(1, sequence, sequence, consume("s:new1", slow, 1)), at(4 * 86_400_000L))))
                .as("once all is whole again")
                .isTrue();
    }

    @Test
    void book_thatIsFull_countsKeysOfOneRequestThatShareABudgetTogether() {
        Book book = SoloLog.newBook(1);
        Policy once = TokenBucket.of(1, 1, Duration.ofDays(1));
        assertThat(admitted(book.apply(batch(1, 1, 1, consume("s:own", once, 1)), at(0))))
                .isTrue();
        List<Line> charges = new ArrayList<>();
        for (int i = 0; i < 257; i++) {
            charges.add(new Line("s:new" + i, meters.of(once), 1));
        }
        assertThat(admitted(book.apply(batch(1, 2, 2, Question.of(Verb.CONSUME, "", charges, 0)), at(1))))
                .as("257 keys on 256 shared budgets of 1")
                .isFalse();
    }

    @Test
    void books_thatAreGivenTheSame_areTheSameToTheByte() {
        SplittableRandom random = new SplittableRandom(3);
        Book one = SoloLog.newBook(50);
        Book other = SoloLog.newBook(50);
        List<Policy> policies = List.of(
                TEN,
                TokenBucket.of(5, 7, Duration.ofSeconds(3)),
                SlidingWindow.of(3, Duration.ofSeconds(5)),
                new Streak(Duration.ofSeconds(9)));
        long millis = 0;
        for (int i = 1; i < 3_000; i++) {
            millis += random.nextInt(300);
            List<Question> questions = new ArrayList<>();
            for (int j = random.nextInt(1, 4); j > 0; j--) {
                int policy = random.nextInt(policies.size());
                questions.add(consume("p" + policy + ":k" + random.nextInt(80), policies.get(policy), 1));
            }
            if (random.nextInt(10) == 0) {
                questions.add(reset("p0:k" + random.nextInt(80)));
            }
            byte[] batch = Batch.write(random.nextInt(3), i, i, questions);
            assertThat(one.apply(batch, at(millis))).isEqualTo(other.apply(batch, at(millis)));
            if (i % 500 == 0) {
                byte[] snapshot = BookSnapshot.write(one);
                assertThat(BookSnapshot.write(other)).isEqualTo(snapshot);
                other = SoloLog.newBook(50);
                BookSnapshot.read(snapshot, other);
                assertThat(BookSnapshot.write(other)).isEqualTo(snapshot);
            }
        }
    }

    /** A node that starts from a snapshot must not give back what the others do not. */
    @Test
    void reset_inASnapshot_stillEndsWhatWasSpentBefore() {
        Policy slow = TokenBucket.of(10, 1, Duration.ofDays(1));
        Line five = new Line("k", meters.of(slow), 5);
        Book book = SoloLog.newBook(Book.MOST_BUDGETS);
        book.apply(batch(1, 1, 1, Question.of(Verb.RESERVE, "r", List.of(five), 60_000_000)), at(0));
        book.apply(batch(1, 2, 2, reset("k"), consume("k", slow, 10)), at(0));
        Book other = SoloLog.newBook(Book.MOST_BUDGETS);
        BookSnapshot.read(BookSnapshot.write(book), other);
        other.apply(batch(1, 3, 3, Question.of(Verb.CANCEL, "r", List.of(), 0)), at(1));
        assertThat(admitted(other.apply(batch(1, 4, 4, consume("k", slow, 1)), at(1))))
                .isFalse();
    }

    /** Bounded: what is forgotten for want of room counts for every key. */
    @Test
    void resets_ofMoreKeysThanThereIsRoomFor_neverLetMoreBeGivenBack() {
        Resets resets = new Resets();
        for (int i = 1; i <= Resets.MOST + 10; i++) {
            resets.put("k" + i, at(i));
        }
        assertThat(resets.size()).isEqualTo(Resets.MOST);
        assertThat(resets.cameAfter("k1", 0, at(70_000))).isTrue();
        assertThat(resets.cameAfter("another", 9, at(70_000))).isTrue();
        assertThat(resets.cameAfter("another", 10, at(70_000))).isFalse();
        assertThat(resets.cameAfter("k20", 19, at(70_000))).isTrue();
        assertThat(resets.cameAfter("k20", 20, at(70_000))).isFalse();
        Moment later = new Moment(at(70_000).micros() + ResetMark.REMEMBERED, 0);
        assertThat(resets.cameAfter("k1", 0, later)).isFalse();
        resets.put("k1", later);
        assertThat(resets.size()).isEqualTo(1);
    }

    @Test
    void bytes_ofAnyKind_areRefusedAndNothingElse() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] good = batch(1, 1, 1, consume("k", TEN, 1), consume("l", TEN, 2));
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int j = random.nextInt(1, 4); j > 0; j--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(bad, random.nextInt(bad.length + 1));
            try {
                SoloLog.newBook(Book.MOST_BUDGETS).apply(cut, at(0));
            } catch (MalformedException | IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThatThrownBy(() -> SoloLog.newBook(Book.MOST_BUDGETS).apply(new byte[0], at(0)))
                .isInstanceOf(MalformedException.class);
    }
}
