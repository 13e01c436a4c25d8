package dev.weir.algorithm;

/** A calendar window as a start and a used count, for any limit. */
final class CalendarWindowLedger extends Ledger {
    private final CalendarWindowMath math;
    private long start;
    private long used;

    CalendarWindowLedger(CalendarWindowMath math, long start, long used) {
        this.math = math;
        this.start = start;
        this.used = used;
    }

    @Override
    public long available(long now) {
        notice(now);
        return math.available(counted(now));
    }

    @Override
    public long retryAfter(long cost, long now) {
        notice(now);
        return effective(now).end() - now;
    }

    @Override
    public long resetAfter(long now) {
        return counted(now) == 0 ? 0 : effective(now).end() - now;
    }

    @Override
    public void spend(long cost, long now) {
        long before = counted(now);
        start = effective(now).start();
        used = math.spent(before, cost);
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        long before = counted(now);
        long effectiveStart = effective(now).start();
        if (before > 0 && spentAt >= effectiveStart) {
            used = Math.max(0, before - cost);
            start = effectiveStart;
        }
    }

    @Override
    public long[] state() {
        return new long[] {start, used};
    }

    private void notice(long now) {
        start = math.noticedStart(start, now);
    }

    private long counted(long now) {
        return math.counted(start, used, now);
    }

    private CalendarSpan effective(long now) {
        return math.effective(start, used, now);
    }
}
