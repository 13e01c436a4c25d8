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
 * Limits the requests of a servlet application: each is decided once, whatever dispatches follow, its response tells how
 * the limits stand, and one that is refused gets a problem document.
 *
 * <p>A filter that runs after authentication, or where the container authenticates, is enough: one call of the store
 * decides all. To have the limits that need no user act before authentication, put this filter before it and {@link
 * #afterAuthentication()} behind it: the second decides the rest, and gives back what the first took if it refuses.
 *
 * <p>Preflights of browsers are never charged. The filter does not close the engine. Safe for use by any number of
 * threads.
 */
public final class WeirFilter implements Filter {
    /** The request attribute with the {@link Outcome} of the request, for the application. */
    public static final String OUTCOME = "dev.weir.outcome";

    /** The request attribute with the attributes by which the request was decided: a map that nobody changes. */
    public static final String ATTRIBUTES = "dev.weir.attributes";

    private static final AtomicInteger FILTERS = new AtomicInteger();

    private final String passageName = "dev.weir.passage." + FILTERS.incrementAndGet();
    private final Setup setup;
    private volatile boolean isInTwoStages;

    private WeirFilter(Setup setup) {
        this.setup = setup;
    }

    /** Limits by the engine, with the attributes {@code ip}, {@code method}, {@code path} and {@code channel}. */
    public static WeirFilter of(Weir weir) {
        return builder(weir).build();
    }

    public static Builder builder(Weir weir) {
        return new Builder(weir);
    }

    /** The second filter, behind authentication: with it, what needs the user waits until it is known. */
    public Filter afterAuthentication() {
        isInTwoStages = true;
        return (request, response, chain) -> second(request, response, chain);
    }

    /** Has the response of a request tell of another decision, too, such as of a limit on a method. */
    public void tell(HttpServletRequest request, Outcome outcome) {
        Passage known = passage(request);
        if (known != null) {
            known.alsoDecided(request, outcome);
        }
    }

    /** Registers the filter for requests, and for the dispatches that it needs to see. */
    public FilterRegistration.Dynamic register(ServletContext context, String... urlPatterns) {
        FilterRegistration.Dynamic registration = context.addFilter(passageName, this);
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
        Passage known = passage(http);
        if (known != null) {
            known.comeAgain(http, answer, chain);
        } else if (http.getDispatcherType() != DispatcherType.REQUEST || isPreflight(http) || setup.skips.test(http)) {
            chain.doFilter(request, response);
        } else {
            Passage passage = new Passage(setup);
            http.setAttribute(passageName, passage);
            passage.begin(http, answer, chain, isInTwoStages);
        }
    }

    private void second(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Passage known = request instanceof HttpServletRequest http ? passage(http) : null;
        if (known == null || known.isDecided() || !(response instanceof HttpServletResponse answer)) {
            chain.doFilter(request, response);
        } else {
            known.goOn((HttpServletRequest) request, answer, chain);
        }
    }

    private @Nullable Passage passage(HttpServletRequest request) {
        return (Passage) request.getAttribute(passageName);
    }

    /** What a browser sends by itself to ask whether it may send what it is about to. */
    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeader("Origin") != null
                && request.getHeader("Access-Control-Request-Method") != null;
    }

    /** What every request is treated by. */
    record Setup(
            Weir weir,
            AttributeReader reader,
            @Nullable Idempotency idempotency,
            Refusal refusal,
            Predicate<HttpServletRequest> skips,
            boolean waits) {}

    /** Says how. For one thread. */
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

        /** Where the value of an attribute is found. */
        public Builder attribute(String name, Extractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /** How many bytes of a body are read for {@link Extractor#jsonBody}; a field that comes later is absent. */
        public Builder bodyUpTo(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("bodyUpTo is " + bytes + "; it must be at least 0");
            }
            body = bytes;
            return this;
        }

        /**
         * Refuses with 413 a request whose body is longer than {@link #bodyUpTo} where an attribute may be in it. Without
         * this, a client can repeat the name of a field behind the bound, where it counts for the application alone.
         */
        public Builder refusingLongerBodies() {
            refusesLongerBodies = true;
            return this;
        }

        /** Does requests with an idempotency key once, and answers repeated ones without spending. */
        public Builder idempotency(Idempotency newIdempotency) {
            idempotency = newIdempotency;
            return this;
        }

        /** Answers refused requests in another way. */
        public Builder onRefusal(Refusal newRefusal) {
            refusal = newRefusal;
            return this;
        }

        /** Lets some requests pass untouched, such as those for health. */
        public Builder skipping(Predicate<HttpServletRequest> newSkips) {
            skips = newSkips;
            return this;
        }

        /**
         * Gives the thread back while a store that is elsewhere is asked: the request goes on by an asynchronous dispatch,
         * which filters and servlets behind this one must support.
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
