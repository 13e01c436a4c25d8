package dev.weir.spring.actuate;

import dev.weir.engine.Weir;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.metric.WeirMeters;

/** Adds meters for the limits of a changed configuration. */
final class MeterRefresh implements EventListener, AutoCloseable {
    /** Large enough that refusals, which arrive too, do not displace the configuration events. */
    private static final int CAPACITY = 1024;

    private final WeirMeters meters;
    private final Subscription subscription;

    MeterRefresh(Weir weir, WeirMeters meters) {
        this.meters = meters;
        this.subscription = weir.events().subscribe("meters", CAPACITY, this);
    }

    @Override
    public void on(Event event) {
        if (event instanceof Event.ConfigurationReloaded) {
            meters.refresh();
        }
    }

    @Override
    public boolean wantsAllowed() {
        return false;
    }

    @Override
    public void close() {
        subscription.close();
    }
}
