package dev.weir.spring.servlet;

import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Outcome;
import dev.weir.spring.method.WebCall;
import dev.weir.spring.method.WebCalls;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request that the current thread serves, with the attributes that the filter found. */
final class ServletCalls implements WebCalls {
    private final ObjectProvider<WeirFilter> filter;

    /** @param filter the filter, if there is one */
    ServletCalls(ObjectProvider<WeirFilter> filter) {
        this.filter = filter;
    }

    @Override
    public @Nullable WebCall current() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? new Call(attributes.getRequest(), filter.getIfAvailable())
                : null;
    }

    private record Call(
            HttpServletRequest request, @Nullable WeirFilter filter) implements WebCall {
        @Override
        @SuppressWarnings("unchecked")
        public Map<String, String> attributes() {
            // Absent on a request that the filter skipped.
            Object known = request.getAttribute(WeirFilter.ATTRIBUTES);
            return known == null ? Map.of() : (Map<String, String>) known;
        }

        @Override
        public void decided(Outcome outcome) {
            if (filter != null) {
                filter.tell(request, outcome);
            }
        }
    }
}
