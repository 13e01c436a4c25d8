package dev.weir.spring;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.spring.web.FilterOrders;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Logs once at startup which limits apply, and where the filters and the store are. */
final class StartupReport implements SmartInitializingSingleton {
    private static final Log LOG = LogFactory.getLog(StartupReport.class);
    private static final int MOST_NAMES = 20;

    private final Weir weir;
    private final boolean hasBackend;
    private final ObjectProvider<FilterOrders> orders;

    /**
     * Creates the report.
     *
     * @param hasBackend whether a bean provides the store, instead of the configuration
     * @param orders the orders of the filters, if there are any
     */
    StartupReport(Weir weir, boolean hasBackend, ObjectProvider<FilterOrders> orders) {
        this.weir = weir;
        this.hasBackend = hasBackend;
        this.orders = orders;
    }

    @Override
    public void afterSingletonsInstantiated() {
        String store = hasBackend
                ? weir.store().delegate().getClass().getSimpleName()
                : withoutSecrets(weir.configuration().store());
        LOG.info(text(weir.configuration(), store, orders.getIfAvailable()));
    }

    static String text(Configuration configuration, String store, @Nullable FilterOrders orders) {
        if (!configuration.enabled()) {
            return "Weir is switched off by weir.enabled=false";
        }
        List<LimitRule> limits = configuration.limits();
        return "Weir: " + limits.size() + (limits.size() == 1 ? " limit (" : " limits (") + names(limits) + "), store "
                + store + ", " + filters(orders);
    }

    private static String names(List<LimitRule> limits) {
        return limits.stream().limit(MOST_NAMES).map(LimitRule::name).collect(Collectors.joining(", "))
                + (limits.size() > MOST_NAMES ? " and " + (limits.size() - MOST_NAMES) + " more" : "");
    }

    private static String filters(@Nullable FilterOrders orders) {
        if (orders == null) {
            return "no web filter";
        }
        return orders.second() == null
                ? "web filter at order " + orders.first()
                : "web filters at orders " + orders.first() + " and " + orders.second();
    }

    /** Removes user and password (before the last '@') and tokens (behind the '?'). */
    static String withoutSecrets(String store) {
        return store.replaceFirst("//.*@", "//").replaceFirst("[?#].*", "");
    }
}
