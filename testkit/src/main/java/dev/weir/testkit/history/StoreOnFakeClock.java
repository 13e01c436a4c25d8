package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A store under test that reads a {@link FakeClock}, by default in microseconds since the epoch. */
public abstract class StoreOnFakeClock implements StoreUnderTest {
    /** A charge that spends nothing; the store still reads its clock for it. */
    static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

    private static final Duration LONG = Duration.ofSeconds(90);

    protected final FakeClock clock = new FakeClock();

    @Override
    public Timing timing() {
        return Timing.sinceEpoch(Resolution.MICROS, FakeClock.START);
    }

    @Override
    public final void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public final void stepBack(Duration by) {
        // A clock step back has an effect only if the store has read the later time.
        look();
        clock.stepBack(by);
        look();
    }

    @Override
    public final void stepWall(Duration by) {
        clock.stepWall(by);
    }

    /** The wall-clock time. */
    public final Instant wall() {
        return clock.wall();
    }

    private void look() {
        store().peek(PROBE).await(LONG);
    }
}
