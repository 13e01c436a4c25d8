package dev.weir.engine;

import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the overrides and exemptions whose time is over. Each node stops applying them by its own clock, whether or not
 * the store answers. A moment later one node removes them from the stored settings, which records the end in the audit.
 * Two nodes that do so at the same time both appear there.
 *
 * <p>Its thread exists only once a setting ends by itself. Thread-safe.
 */
final class SettingsExpiry implements AutoCloseable {
    /** The author of these changes in the audit. */
    static final String WHO = "weir";

    private static final Logger LOG = System.getLogger(Weir.class.getName());
    /** The clock may be set meanwhile, so the time is checked at least so often. */
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);
    /** Removals are spread over this time, so that usually only one of several nodes makes them. */
    private static final Duration SPREAD = Duration.ofSeconds(2);

    private static final Duration RETRY = Duration.ofSeconds(30);

    private final Settings settings;
    private final InstantSource clock;
    private final Runnable ended;
    /** Guarded by this, like the fields below; null until a setting ends by itself. */
    private @Nullable ScheduledExecutorService timer;

    private boolean isClosed;
    private @Nullable ScheduledFuture<?> next;
    /** The settings that were in force when {@link #ended} was last called, or when they were changed. */
    private @Nullable SettingsSnapshot inForce;
    /** When settings that are over are removed from the store; null if there are none. */
    private @Nullable Instant removeAt;

    /** @param ended applies the settings again, without those that are over */
    SettingsExpiry(Settings settings, InstantSource clock, Runnable ended) {
        this.settings = settings;
        this.clock = clock;
        this.ended = ended;
    }

    /** Takes note of changed settings. */
    synchronized void follow(SettingsSnapshot snapshot) {
        inForce = snapshot.at(clock.instant());
        schedule(snapshot);
    }

    private synchronized void schedule(SettingsSnapshot snapshot) {
        Instant end = snapshot.firstEnd();
        if (next != null) {
            next.cancel(false);
            next = null;
        }
        if (end == null || isClosed) {
            return;
        }
        if (timer == null) {
            timer = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "weir-settings-expiry");
                thread.setDaemon(true);
                return thread;
            });
        }
        Duration left = Duration.between(clock.instant(), end);
        Duration sleep = left.isNegative() || left.compareTo(LONGEST_SLEEP) > 0 ? LONGEST_SLEEP : left.plusMillis(1);
        try {
            next = timer.schedule(this::look, sleep.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            next = null; // Closed.
        }
    }

    private void look() {
        SettingsSnapshot current = settings.current();
        try {
            Instant now = clock.instant();
            SettingsSnapshot valid = current.at(now);
            boolean isChanged;
            synchronized (this) {
                isChanged = !valid.equals(inForce);
                inForce = valid;
            }
            if (isChanged) {
                ended.run();
            }
            if (isTimeToRemove(current, now)) {
                remove(current, now);
            }
        } catch (SettingsException e) {
            LOG.log(Level.WARNING, "settings that are over could not be removed; they do not apply: " + e.getMessage());
            synchronized (this) {
                removeAt = clock.instant().plus(RETRY);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "settings that are over could not be ended", e);
        } finally {
            schedule(settings.current());
        }
    }

    private synchronized boolean isTimeToRemove(SettingsSnapshot current, Instant now) {
        Instant end = current.firstEnd();
        if (end == null || now.isBefore(end)) {
            removeAt = null;
            return false;
        }
        if (removeAt == null) {
            removeAt = now.plusMillis(ThreadLocalRandom.current().nextLong(SPREAD.toMillis()));
        }
        return !now.isBefore(removeAt);
    }

    private void remove(SettingsSnapshot current, Instant now) {
        current.overrideValidity().forEach((subject, validity) -> {
            if (validity.isOver(now)) {
                settings.apply(new SettingsChange.ExpireOverride(WHO, now, subject));
            }
        });
        current.exemptValidity().forEach((subject, validity) -> {
            if (validity.isOver(now)) {
                settings.apply(new SettingsChange.ExpireExempt(WHO, now, subject));
            }
        });
        synchronized (this) {
            removeAt = null;
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (timer != null) {
            timer.shutdownNow();
        }
    }
}
