package dev.weir.algorithm;

/** A calendar window as a start and a used count: any limit. */
final class CalendarWindowLedger extends Ledger {
    private final CalendarWindowMath math;
    private long start;
    private long used;

    CalendarWindowLedger(CalendarWindowMath math) {
        this.math = math;
    }

    @Override
    public long available(long now) {
        return math.available(math.counted(start, used, now));
    }

    @Override
    public long retryAfter(long cost, long now) {
        return math.effective(start, now).end() - now;
    }

    @Override
    public long resetAfter(long now) {
        return math.counted(start, used, now) == 0
                ? 0
                : math.effective(start, now).end() - now;
    }

    @Override
    public void spend(long cost, long now) {
        used = math.spent(math.counted(start, used, now), cost);
        start = math.effective(start, now).start();
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        long counted = math.counted(start, used, now);
        long effectiveStart = math.effective(start, now).start();
        if (counted > 0 && spentAt >= effectiveStart) {
            used = Math.max(0, counted - cost);
            start = effectiveStart;
        }
    }
}
