package dev.weir.engine.guard;

import dev.weir.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a store in messages, and the advice when it is slow.
 *
 * @param name its URI without secrets, or another name
 * @param slower the setting to raise if a healthy store needs more time, such as {@code 'timeout' in its URI}
 */
public record StoreLabel(String name, String slower) {
    private static final String REMEDY = "see that it runs and can be reached";
    /** The first host of a URI without secrets. */
    private static final Pattern HOST = Pattern.compile("//(?:\\.\\.\\.@)?([^:/?,.][^:/?,]*)");

    private static final String DEADLINE = "the engine's deadline (GuardOptions.withDeadline)";

    /** The label of a store that was given as an object. */
    public static StoreLabel of(Object store) {
        return new StoreLabel(store.getClass().getSimpleName(), DEADLINE);
    }

    /**
     * The label of a store that a URI names.
     *
     * @param shown the URI without secrets
     * @param deadlineIsChosen whether the engine's options set the deadline, instead of the store
     */
    public static StoreLabel ofUri(String shown, boolean deadlineIsChosen) {
        if (deadlineIsChosen || shown.equals("memory")) {
            return new StoreLabel(shown, DEADLINE);
        }
        return new StoreLabel(shown, "'" + (shown.startsWith("cluster:") ? "patience" : "timeout") + "' in its URI");
    }

    /** The message for a store that did not answer in time. */
    String late(Duration deadline) {
        return name + " did not answer within " + DurationText.of(deadline) + "; " + REMEDY
                + " or, if it is slow, raise " + slower;
    }

    /** The message for a store that failed. A transient failure gets advice; other causes contain their own advice. */
    String failed(String cause, boolean mayPass) {
        return (isNamedIn(cause) ? cause : name + " failed: " + cause) + (mayPass ? "; " + REMEDY : "");
    }

    /** The message for a store that could not be opened. */
    public String notOpened(String cause, boolean mayPass) {
        return "the store " + (isNamedIn(cause) ? "" : name + " ") + "cannot be opened: " + cause
                + (mayPass ? "; " + REMEDY + " from here" : "");
    }

    /** The message for a store that works but cannot answer this call. */
    String unanswered(String cause) {
        return isNamedIn(cause) ? cause : name + ": " + cause;
    }

    /** Whether a text already contains the host, so that it is not named twice. */
    private boolean isNamedIn(String text) {
        Matcher host = HOST.matcher(name);
        return host.find() && text.contains(host.group(1));
    }
}
