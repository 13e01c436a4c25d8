package dev.weir.example.saas;

import dev.weir.engine.Weir;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** The sender of a request as attributes for limits, for code that calls Weir itself. */
@Component
class Caller {
    private final Weir weir;
    private final Authentication authentication;

    Caller(Weir weir, Authentication authentication) {
        this.weir = weir;
        this.authentication = authentication;
    }

    /** Returns the member. */
    Members.Member member(HttpServletRequest request) {
        return authentication
                .memberOf(request)
                .orElseThrow(() -> new IllegalStateException("authentication lets only members pass"));
    }

    /** Returns the attributes that all layers of limits need. */
    Map<String, String> attributes(HttpServletRequest request) {
        Members.Member member = member(request);
        return Map.of(
                "channel", "http",
                "ip",
                        weir.clients()
                                .of(
                                        request.getRemoteAddr(),
                                        lines(request, "Forwarded"),
                                        lines(request, "X-Forwarded-For")),
                "method", request.getMethod(),
                "path", request.getRequestURI(),
                "user", member.name(),
                "plan", member.plan());
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }
}
