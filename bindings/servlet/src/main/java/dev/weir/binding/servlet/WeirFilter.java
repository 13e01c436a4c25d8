package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A servlet filter that limits the requests of an application. Each request is decided once, however often the
 * container dispatches it. Its response carries the rate-limit headers; a refused request gets a problem document (RFC
 * 9457).
 *
 * <p>One filter is enough if it runs after authentication, or if the container authenticates: one store call decides
 * all limits. To apply the limits that need no user before authentication, put this filter before it and {@link
 * #afterAuthentication()} behind it. The second filter decides the remaining limits. If these refuse, it gives back the
 * charges of the first stage.
 *
 * <p>CORS preflight requests are never charged. The filter does not close the engine. Thread-safe.
 */
public final class WeirFilter implements Filter {
    /*
     * How one request passes the filters.
     *
     * States of a request. They are in one object per request, which a request attribute holds:
     * - new: no object yet. doFilter creates it on the first REQUEST dispatch and stores it before the decision starts.
     *   Other dispatches without the object, preflights and skipped requests go straight to the chain.
     * - first stage pending: only with withoutWaiting() and a store call in flight. The thread is returned to the
     *   container; the completed answer dispatches the request again, and doFilter finds the object and acts.
     * - first stage done: the limits that need no late attribute (such as the user) have charged the request. The chain
     *   runs through authentication to the second filter.
     * - decided: no charge is made any more. Later ASYNC and ERROR dispatches only run the chain and restore headers.
     *
     * A request skips from "new" to "decided" if there is no second filter, if no attribute is late, or if the late
     * attributes are known already. Each filter has its own attribute name, so that two filters of one application do
     * not share the object.
     *
     * Safe without locks: a container runs one dispatch of a request at a time and orders it before the next one. Only
     * isInTwoStages is shared among requests. It is volatile and changes once, at setup.
     */

    /** The request attribute that holds the {@link Outcome} of the request. */
    public static final String OUTCOME = "dev.weir.outcome";

    /** The request attribute that holds the attributes used for the decision, as an unmodifiable map. */
    public static final String ATTRIBUTES = "dev.weir.attributes";

    private static final AtomicInteger FILTERS = new AtomicInteger();

    private final String filteredRequestName = "dev.weir.request." + FILTERS.incrementAndGet();
    private final Setup setup;
    private volatile boolean isInTwoStages;

    private WeirFilter(Setup setup) {
        this.setup = setup;
    }

    /** Returns a filter with the attributes {@code ip}, {@code method}, {@code path} and {@code channel}. */
    public static WeirFilter of(Weir weir) {
        return builder(weir).build();
    }

    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    /**
     * Returns the second filter, for use behind authentication. With it, limits that need the user are decided there.
     */
    public Filter afterAuthentication() {
        isInTwoStages = true;
        return (request, response, chain) -> second(request, response, chain);
    }

    /** Adds the outcome of another decision to the response, such as that of a limit on a method. */
    public void tell(HttpServletRequest request, Outcome outcome) {
        FilteredRequest known = filteredRequest(request);
        if (known != null) {
            known.addOutcome(request, outcome);
        }
    }

    /** Registers this filter for REQUEST, ASYNC and ERROR dispatches, with asynchronous support. */
    public FilterRegistration.Dynamic register(ServletContext context, String... urlPatterns) {
        FilterRegistration.Dynamic registration = context.addFilter(filteredRequestName, this);
        registration.setAsyncSupported(true);
        registration.addMappingForUrlPatterns(
                EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR), false, urlPatterns);
        return registration;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
            return;
        }
        FilteredRequest known = filteredRequest(http);
        if (known != null) {
            known.redispatch(http, answer, chain);
        } else if (http.getDispatcherType() != DispatcherType.REQUEST || isPreflight(http) || setup.skips.test(http)) {
            chain.doFilter(request, response);
        } else {
            FilteredRequest filteredRequest = new FilteredRequest(setup);
            http.setAttribute(filteredRequestName, filteredRequest);
            filteredRequest.begin(http, answer, chain, isInTwoStages);
        }
    }

    private void second(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        FilteredRequest known = request instanceof HttpServletRequest http ? filteredRequest(http) : null;
        if (known == null || known.isDecided() || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
        } else {
            known.continueAuthenticated((HttpServletRequest) request, answer, chain);
        }
    }

    private @Nullable FilteredRequest filteredRequest(HttpServletRequest request) {
        return (FilteredRequest) request.getAttribute(filteredRequestName);
    }

    /** Whether the request is a CORS preflight, which a browser sends by itself before the actual request. */
    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeader("Origin") != null
                && request.getHeader("Access-Control-Request-Method") != null;
    }

    /** The settings that all requests share. */
    record Setup(
            Weir weir,
            AttributeReader reader,
            @Nullable Idempotency idempotency,
            Refusal refusal,
            Predicate<HttpServletRequest> skips,
            boolean waits) {}

    /** Builder. Not thread-safe. */
    public static final class Builder {
        private static final int BODY = 64 * 1024;

        private final Weir weir;
        private final Map<String, Extractor> extractors = new LinkedHashMap<>();
        private @Nullable Idempotency idempotency;
        private Refusal refusal = Refusal.PROBLEM;
        private Predicate<HttpServletRequest> skips = request -> false;
        private int body = BODY;
        private boolean refusesLongerBodies;
        private boolean waits = true;

        private Builder(Weir weir) {
            this.weir = weir;
        }

        /** Sets the source of an attribute. */
        public Builder attribute(String name, Extractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /**
         * Sets how many bytes of a body are read for {@link Extractor#jsonBody}. A field beyond this bound is absent.
         */
        public Builder bodyUpTo(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("bodyUpTo is " + bytes + "; it must be at least 0");
            }
            body = bytes;
            return this;
        }

        /**
         * Refuses with 413 a request whose body is longer than {@link #bodyUpTo}, if an attribute may be in the body.
         * Without this, a client can repeat a field beyond the bound: the application sees the second value, the limits
         * the first.
         */
        public Builder refusingLongerBodies() {
            refusesLongerBodies = true;
            return this;
        }

        /**
         * Executes requests with the same idempotency key once. Repeated requests get the stored response and spend
         * nothing.
         */
        public Builder idempotency(Idempotency newIdempotency) {
            idempotency = newIdempotency;
            return this;
        }

        /** Sets the response to refused requests. */
        public Builder onRefusal(Refusal newRefusal) {
            refusal = newRefusal;
            return this;
        }

        /** Excludes requests from limits, such as health checks. */
        public Builder skipping(Predicate<HttpServletRequest> newSkips) {
            skips = newSkips;
            return this;
        }

        /**
         * Releases the thread while a remote store decides. The request continues by an asynchronous dispatch, which
         * the filters and servlets behind this one must support.
         */
        public Builder withoutWaiting() {
            waits = false;
            return this;
        }

        public WeirFilter build() {
            return new WeirFilter(new Setup(
                    weir,
                    new AttributeReader(weir, extractors, body, refusesLongerBodies),
                    idempotency,
                    refusal,
                    skips,
                    waits));
        }
    }
}
