package dev.weir.engine.guard;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How messages name a store, and what they advise when it is late.
 *
 * @param name its URI without secrets, or another name
 * @param slower what to raise for a store that is well and needs longer, such as {@code 'timeout' in its URI}
 */
public record StoreLabel(String name, String slower) {
    private static final String REMEDY = "see that it runs and can be reached";
    /** The first host of a URI without secrets. */
    private static final Pattern HOST = Pattern.compile("//(?:\\.\\.\\.@)?([^:/?,.][^:/?,]*)");

    private static final String DEADLINE = "the engine's deadline (GuardOptions.withDeadline)";

    /** A store that was given as an object. */
    public static StoreLabel of(Object store) {
        return new StoreLabel(store.getClass().getSimpleName(), DEADLINE);
    }

    /**
     * A store that a URI names.
     *
     * @param shown the URI without secrets
     * @param deadlineIsChosen whether the deadline is the engine's and not the store's own
     */
    public static StoreLabel ofUri(String shown, boolean deadlineIsChosen) {
        if (deadlineIsChosen || shown.equals("memory")) {
            return new StoreLabel(shown, DEADLINE);
        }
        return new StoreLabel(shown, "'" + (shown.startsWith("cluster:") ? "patience" : "timeout") + "' in its URI");
    }

    /** What is said of a store that did not answer in time. */
    String late(long millis) {
        return name + " did not answer within " + millis + " ms; " + REMEDY + " or, if it is slow, raise " + slower;
    }

    /** What is said of a store that failed; one that may be well later is worth a look, others say themselves what to do. */
    String failed(String cause, boolean mayPass) {
        return (isNamedIn(cause) ? cause : name + " failed: " + cause) + (mayPass ? "; " + REMEDY : "");
    }

    /** The same of a store that was to be opened. */
    public String notOpened(String cause, boolean mayPass) {
        return "the store " + (isNamedIn(cause) ? "" : name + " ") + "cannot be opened: " + cause
                + (mayPass ? "; " + REMEDY + " from here" : "");
    }

    /** What is said of a store that answers, but not this call. */
    String unanswered(String cause) {
        return isNamedIn(cause) ? cause : name + ": " + cause;
    }

    /** Whether a text names the host already, so that it need not be named twice. */
    private boolean isNamedIn(String text) {
        Matcher host = HOST.matcher(name);
        return host.find() && text.contains(host.group(1));
    }
}
