package dev.weir.binding.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;

/** The path of a request within its application: as it was sent, without the context path. */
final class ServedPath {
    private ServedPath() {}

    /** @throws IllegalArgumentException if some server would resolve the path to another application */
    static String of(HttpServletRequest request) {
        String sent = request.getRequestURI();
        String context = request.getContextPath();
        if (context.isEmpty()) {
            return sent;
        }
        if (!sent.startsWith(context)) {
            return mapped(request);
        }
        String below = sent.substring(context.length());
        if (leaves(below)) {
            throw new IllegalArgumentException("the path leaves the application at " + context + "; it must not");
        }
        return below;
    }

    /** Whether dot segments, in any encoding, may lead above the context path. */
    private static boolean leaves(String below) {
        String plain = below.toLowerCase(Locale.ROOT)
                .replace("%2e", ".")
                .replace("%2f", "\\")
                .replace("%5c", "\\")
                .replace("%3b", ";");
        int depth = 0;
        for (String segment : plain.split("/", -1)) {
            int parents = 0;
            for (String part : segment.split("\\\\", -1)) {
                int parameters = part.indexOf(';');
                parents += (parameters < 0 ? part : part.substring(0, parameters)).equals("..") ? 1 : 0;
            }
            boolean isNamed = !segment.isEmpty() && !segment.startsWith(";") && !segment.equals(".");
            depth += parents > 0 ? -parents : isNamed ? 1 : 0;
            if (depth < 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the path that the container mapped, escaped again; for a context path in another spelling. */
    private static String mapped(HttpServletRequest request) {
        String info = request.getPathInfo();
        String path = request.getServletPath() + (info == null ? "" : info);
        return path.replace("%", "%25")
                .replace("?", "%3F")
                .replace("#", "%23")
                .replace(";", "%3B")
                .replace("\\", "%5C");
    }
}
