package dev.weir.engine;

/**
 * A request's path in the one form that rules are written for, so that no spelling of a path slips past its limit.
 *
 * <p>The query and the fragment are cut off, escaped letters, digits and {@code -._~/} are unescaped once, empty and dot
 * segments are resolved, and a slash at the end is dropped.
 */
final class RequestPath {
    private RequestPath() {}

    static String normalize(String path) {
        return isPlain(path) ? path : resolve(unescape(cut(path)));
    }

    /** Whether there is nothing to do, which is nearly always. */
    private static boolean isPlain(String path) {
        int length = path.length();
        if (length == 0 || path.charAt(0) != '/' || (length > 1 && path.charAt(length - 1) == '/')) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = path.charAt(i);
            boolean startsOddSegment =
                    c == '/' && i + 1 < length && (path.charAt(i + 1) == '/' || path.charAt(i + 1) == '.');
            if (c == '%' || c == '?' || c == '#' || c == ';' || c == '\\' || startsOddSegment) {
                return false;
            }
        }
        return true;
    }

    private static String cut(String path) {
        int end = path.length();
        for (char sign : new char[] {'?', '#'}) {
            int at = path.indexOf(sign);
            end = at >= 0 ? Math.min(end, at) : end;
        }
        return path.substring(0, end);
    }

    private static String unescape(String path) {
        StringBuilder plain = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            int code = c == '%' && i + 2 < path.length() ? hex(path, i + 1) : -1;
            if (code >= 0 && isUnreserved((char) code)) {
                plain.append((char) code);
                i += 2;
            } else {
                plain.append(c == '\\' ? '/' : c);
            }
        }
        return plain.toString();
    }

    private static int hex(String text, int at) {
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    private static boolean isUnreserved(char c) {
        return c < 0x80 && (Character.isLetterOrDigit(c) || "-._~/".indexOf(c) >= 0);
    }

    private static String resolve(String path) {
        StringBuilder resolved = new StringBuilder(path.length() + 1);
        for (String segment : path.split("/", -1)) {
            // A path parameter (";jsessionid=…") names the same resource.
            int parameter = segment.indexOf(';');
            String name = parameter >= 0 ? segment.substring(0, parameter) : segment;
            if (name.equals("..")) {
                resolved.setLength(Math.max(0, resolved.lastIndexOf("/")));
            } else if (!name.isEmpty() && !name.equals(".")) {
                resolved.append('/').append(name);
            }
        }
        return resolved.isEmpty() ? "/" : resolved.toString();
    }
}
