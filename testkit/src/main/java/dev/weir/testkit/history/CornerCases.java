package dev.weir.testkit.history;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Short histories, written by hand, of refunds and policy changes that are easy to get wrong. */
final class CornerCases {
    private static final Key KEY = Key.of("k0");
    private static final Key OTHER = Key.of("k1");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy SLOW_BUCKET = TokenBucket.of(10, 1, Duration.ofDays(1));
    private static final Policy HOURLY = FixedWindow.of(10, HOUR);
    private static final Policy LARGE = FixedWindow.of(100, HOUR);

    /** Policies whose windows end within a minute, or with the calendar's next period. */
    private static final List<Policy> WINDOWS = List.of(
            FixedWindow.of(10, MINUTE),
            SlidingWindow.of(10, MINUTE),
            SlidingWindow.of(1_000, MINUTE),
            new CalendarWindow(10, ChronoUnit.MINUTES, ZoneOffset.UTC),
            new Streak(MINUTE));

    private static final List<Policy> EVERY_KIND = List.of(
            SLOW_BUCKET,
            HOURLY,
            SlidingWindow.of(10, HOUR),
            SlidingWindow.of(1_000, HOUR),
            new CalendarWindow(10, ChronoUnit.DAYS, ZoneOffset.UTC),
            new Streak(HOUR));

    private CornerCases() {}

    static List<List<Step>> all() {
        List<List<Step>> all = new ArrayList<>();
        for (Policy window : WINDOWS) {
            all.add(refundedAfterItsWindowEnded(window));
            all.add(settledAfterItsWindowEnded(window));
        }
        all.add(refundedToAnotherPolicyInTime());
        all.add(settledOnAWholeKey());
        all.add(initialFill());
        for (Policy policy : EVERY_KIND) {
            all.add(givenBackAfterAReset(policy));
        }
        all.add(refundedAfterItExpired());
        all.add(reservedAgain());
        return all;
    }

    private static List<Step> refundedAfterItsWindowEnded(Policy window) {
        return List.of(
                new Step.Consume(1, List.of(new Charge(KEY, window, 1))),
                advance(30),
                new Step.Consume(2, List.of(new Charge(KEY, window, 5))),
                advance(61),
                new Step.Consume(3, List.of(new Charge(KEY, SLOW_BUCKET, 10))),
                new Step.Refund(1),
                new Step.Refund(2),
                peek(KEY, SLOW_BUCKET));
    }

    private static List<Step> settledAfterItsWindowEnded(Policy window) {
        return List.of(
                new Step.Reserve("r0", List.of(new Charge(KEY, window, 4)), HOUR),
                new Step.Reserve("r1", List.of(new Charge(KEY, window, 5)), HOUR),
                advance(61),
                new Step.Consume(1, List.of(new Charge(KEY, SLOW_BUCKET, 10))),
                new Step.Settle("r0", Map.of("k0", 1L)),
                new Step.Cancel("r1"),
                peek(KEY, SLOW_BUCKET));
    }

    private static List<Step> refundedToAnotherPolicyInTime() {
        return List.of(
                new Step.Consume(1, List.of(new Charge(KEY, FixedWindow.of(10, MINUTE), 4))),
                new Step.Advance(MINUTE.minus(Duration.ofNanos(1_000))),
                new Step.Consume(2, List.of(new Charge(KEY, SLOW_BUCKET, 6))),
                new Step.Refund(1),
                peek(KEY, SLOW_BUCKET));
    }

    private static List<Step> settledOnAWholeKey() {
        return List.of(
                new Step.Reserve("r0", List.of(new Charge(KEY, HOURLY, 1)), HOUR),
                new Step.Consume(1, List.of(new Charge(KEY, TokenBucket.perSecond(100), 1))),
                advance(10),
                new Step.Settle("r0", Map.of("k0", 6L)),
                advance(1),
                peek(KEY, HOURLY));
    }

    private static List<Step> initialFill() {
        Policy filling = TokenBucket.of(10, 1, MINUTE).withInitial(2);
        return List.of(
                new Step.Consume(1, List.of(new Charge(KEY, filling, 1))),
                peek(KEY, LARGE),
                advance(90),
                peek(KEY, LARGE),
                new Step.Consume(2, List.of(new Charge(KEY, LARGE, 1))),
                peek(KEY, filling),
                peek(OTHER, filling));
    }

    private static List<Step> givenBackAfterAReset(Policy policy) {
        return List.of(
                new Step.Reserve("r0", List.of(new Charge(KEY, policy, 5)), HOUR),
                new Step.Consume(1, List.of(new Charge(KEY, policy, 2))),
                new Step.Reset(List.of(KEY)),
                new Step.Consume(2, List.of(new Charge(KEY, policy, 3))),
                new Step.Reset(List.of(KEY)),
                new Step.Reserve("r1", List.of(new Charge(KEY, policy, 10)), HOUR),
                new Step.Cancel("r0"),
                new Step.Refund(1),
                new Step.Refund(2),
                peek(KEY, policy),
                advance(1),
                new Step.Settle("r1", Map.of("k0", 4L)),
                peek(KEY, policy));
    }

    private static List<Step> refundedAfterItExpired() {
        return List.of(
                new Step.Reserve("r0", List.of(new Charge(KEY, HOURLY, 4)), MINUTE),
                new Step.Reserve("r1", List.of(new Charge(KEY, HOURLY, 3)), MINUTE),
                new Step.Prolong("r1", HOUR),
                advance(60),
                new Step.RefundReserved("r0"),
                new Step.RefundReserved("r1"),
                peek(KEY, HOURLY));
    }

    private static List<Step> reservedAgain() {
        List<Charge> charges =
                List.of(new Charge(KEY, HOURLY, 1), new Charge(OTHER, HOURLY, 2), new Charge(KEY, HOURLY, 3));
        List<Charge> changed =
                List.of(new Charge(KEY, LARGE, 9), new Charge(OTHER, HOURLY, 1), new Charge(KEY, LARGE, 20));
        return List.of(
                new Step.Reserve("r0", charges, HOUR),
                advance(1),
                new Step.Consume(1, List.of(new Charge(KEY, HOURLY, 2))),
                new Step.Reserve("r0", charges, HOUR),
                new Step.Reserve("r0", changed, HOUR),
                new Step.Cancel("r0"),
                peek(KEY, HOURLY));
    }

    private static Step advance(int seconds) {
        return new Step.Advance(Duration.ofSeconds(seconds));
    }

    private static Step peek(Key key, Policy policy) {
        return new Step.Peek(List.of(Charge.of(key, policy)));
    }
}
