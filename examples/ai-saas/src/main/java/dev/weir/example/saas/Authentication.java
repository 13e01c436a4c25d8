package dev.weir.example.saas;

import dev.weir.binding.servlet.Extractor;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;

/**
 * A filter that authenticates requests and finds the plan. It runs between the two filters of the limits: those that
 * need no member are decided before it, the others behind it.
 */
final class Authentication extends HttpFilter {
    private final Members members;

    Authentication(Members members) {
        this.members = members;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!needsMember(request.getRequestURI())) {
            chain.doFilter(request, response);
            return;
        }
        Optional<Members.Member> member = memberOf(request);
        if (member.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer");
            response.sendError(HttpServletResponse.SC_UNAUTHORIZED);
            return;
        }
        request.setAttribute(Extractor.CLAIMS, Map.of("plan", member.get().plan()));
        chain.doFilter(as(member.get(), request), response);
    }

    /**
     * Returns the member of the request's token. A browser cannot set headers on a WebSocket, so its token is in the
     * query.
     */
    Optional<Members.Member> memberOf(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        if (header != null) {
            return members.byAuthorization(header);
        }
        String token = request.getRequestURI().equals(LiveConnections.PATH) ? request.getParameter("token") : null;
        return token == null ? Optional.empty() : members.byToken(token);
    }

    private static boolean needsMember(String path) {
        boolean isOpen = path.startsWith("/api/auth/") || path.startsWith("/api/webhooks/");
        return (path.startsWith("/api/") && !isOpen) || path.equals(LiveConnections.PATH);
    }

    private static HttpServletRequest as(Members.Member member, HttpServletRequest request) {
        Principal principal = member::name;
        return new HttpServletRequestWrapper(request) {
            @Override
            public Principal getUserPrincipal() {
                return principal;
            }
        };
    }
}
