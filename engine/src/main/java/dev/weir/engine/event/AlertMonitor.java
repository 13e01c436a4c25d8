package dev.weir.engine.event;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Watches events and raises each alert once per episode.
 *
 * <p>An episode begins when a rule's condition begins to hold. It ends when the number of violations within the
 * duration falls below half of the rule's, or the denied share below four fifths of it. It also ends when too few
 * requests are left to compute a share. So a value that hovers around the mark causes one alert and not one per
 * violation.
 *
 * <p>{@link #look} ends episodes without a further event; without it an episode ends at the next event of its subject.
 *
 * <p>Time is that of the events; a step back counts as no time. At most 60 alerts are raised per rule and minute.
 * Further ones are counted as suppressed; such an episode raises its alert as soon as there is room, if it still lasts.
 * Memory is bounded: see {@link ViolationWatch}. Safe for use by any number of threads. Meant to be a listener on an
 * {@link EventBus}, off the path of decisions.
 */
public final class AlertMonitor implements EventListener {
    /** The most subjects that a rule tracks. */
    static final int MAX_SUBJECTS = 10_000;

    private final List<Watch> watches = new ArrayList<>();
    private final LongAdder suppressed = new LongAdder();

    /**
     * Creates a monitor of these rules.
     *
     * @param alarm called with each alert, in the thread that delivers the event; usually {@link EventBus#publish}
     */
    public AlertMonitor(List<AlertRule> rules, Consumer<? super Event.Alert> alarm) {
        this(rules, alarm, ended -> {});
    }

    /**
     * Creates a monitor of these rules.
     *
     * @param alarm called with each alert, in the thread that delivers the event; usually {@link EventBus#publish}
     * @param over called when an episode ends, in the thread that delivers the event or calls {@link #look}
     */
    public AlertMonitor(
            List<AlertRule> rules, Consumer<? super Event.Alert> alarm, Consumer<? super Event.AlertEnded> over) {
        this(rules, alarm, over, MAX_SUBJECTS);
    }

    AlertMonitor(
            List<AlertRule> rules,
            Consumer<? super Event.Alert> alarm,
            Consumer<? super Event.AlertEnded> over,
            int maxSubjects) {
        for (AlertRule rule : rules) {
            AlertOutlet outlet = new AlertOutlet(alarm, over, suppressed);
            if (rule instanceof AlertRule.Violations violations) {
                watches.add(new ViolationWatch(violations, outlet, maxSubjects));
            } else if (rule instanceof AlertRule.DeniedShare share) {
                watches.add(new ShareWatch(share, outlet));
            }
        }
    }

    @Override
    public synchronized void on(Event event) {
        if (event instanceof Event.OfRequest request) {
            for (Watch watch : watches) {
                watch.see(request);
            }
        }
    }

    /** Ends the episodes whose condition no longer holds at this time. */
    public synchronized void look(Instant now) {
        watches.forEach(watch -> watch.look(now));
    }

    /** Ends all episodes. */
    public synchronized void endAll(Instant now) {
        watches.forEach(watch -> watch.endAll(now));
    }

    /** The episodes that last. */
    public synchronized List<AlertEpisode> episodes() {
        List<AlertEpisode> episodes = new ArrayList<>();
        watches.forEach(watch -> episodes.addAll(watch.episodes()));
        return episodes;
    }

    /** Only the denied share needs the events of allowed requests. */
    @Override
    public boolean wantsAllowed() {
        return watches.stream().anyMatch(watch -> watch instanceof ShareWatch);
    }

    /** The number of alerts that were not raised because there were too many. */
    public long suppressed() {
        return suppressed.sum();
    }

    /** One rule and its state; guarded by the monitor. */
    interface Watch {
        void see(Event.OfRequest event);

        void look(Instant now);

        void endAll(Instant now);

        List<AlertEpisode> episodes();
    }

    /** Raises the alerts of one rule, at most 60 a minute. */
    static final class AlertOutlet {
        private static final int MAX_PER_MINUTE = 60;
        private static final long MINUTE_MILLIS = 60_000;

        private final Consumer<? super Event.Alert> alarm;
        private final Consumer<? super Event.AlertEnded> over;
        private final LongAdder suppressed;
        private long minuteBeganMillis = Long.MIN_VALUE / 2;
        private int raised;

        AlertOutlet(
                Consumer<? super Event.Alert> alarm, Consumer<? super Event.AlertEnded> over, LongAdder suppressed) {
            this.alarm = alarm;
            this.over = over;
            this.suppressed = suppressed;
        }

        void end(AlertEpisode episode, Instant at) {
            over.accept(episode.ended(at));
        }

        /** Raises an alert; returns false if there were too many. */
        boolean raise(Event.Alert alert) {
            long nowMillis = alert.at().toEpochMilli();
            if (nowMillis - minuteBeganMillis >= MINUTE_MILLIS) {
                minuteBeganMillis = nowMillis;
                raised = 0;
            }
            if (raised == MAX_PER_MINUTE) {
                suppressed.increment();
                return false;
            }
            raised++;
            alarm.accept(alert);
            return true;
        }
    }
}
