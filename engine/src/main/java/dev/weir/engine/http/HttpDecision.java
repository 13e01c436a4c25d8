package dev.weir.engine.http;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.RateResult;
import dev.weir.engine.Reason;
import dev.weir.engine.Warning;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Renders a decision for HTTP clients: status, headers and JSON document. The only class that defines their names; it
 * is independent of the server that sends them.
 *
 * <p>Times are Unix seconds and waits are whole seconds, both rounded up, so that a client that waits as told does not
 * come early. Shadow limits are in the document, marked, and never in a header.
 */
public final class HttpDecision {
    public static final int ALLOWED = 200;
    public static final int DENIED = 429;

    /** The media type of {@link #problem}. */
    public static final String PROBLEM_TYPE = "application/problem+json";

    /** The names of all headers here, for browsers of other origins. */
    public static final String EXPOSED =
            "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit-Policy,"
                    + " RateLimit, Retry-After, X-RateLimit-Warning";

    /** Integers of structured fields have at most 15 digits. */
    private static final long LARGEST = 999_999_999_999_999L;

    /** The names of a decision's members, in documents and in frames. */
    private static final Set<String> MEMBERS =
            Set.of(("type title status detail id expires_at allowed reason limit scope"
                            + " remaining capacity retry_after_ms retry_after_secs reset_at limits warnings error message missing"
                            + " details")
                    .split(" "));

    private HttpDecision() {}

    public static int status(Outcome outcome) {
        return outcome.allowed() ? ALLOWED : DENIED;
    }

    /** Passes the headers of a decision, by name, to {@code headers}. */
    public static void headers(Outcome outcome, long nowMillis, BiConsumer<String, String> headers) {
        LimitResult decisive = outcome.decisive();
        if (decisive != null) {
            headers.accept(HeaderName.LIMIT, Long.toString(decisive.capacity()));
            headers.accept(HeaderName.REMAINING, Long.toString(Math.max(0, decisive.remaining())));
            headers.accept(HeaderName.RESET, Long.toString(resetAt(decisive, nowMillis)));
            fields(outcome.limits(), headers);
        }
        Duration wait = outcome.retryAfter();
        if (!outcome.allowed() && wait != null) {
            headers.accept(HeaderName.RETRY_AFTER, Long.toString(Math.max(1, wholeSeconds(wait))));
        }
        List<Warning> warnings = outcome.warnings();
        if (!warnings.isEmpty()) {
            headers.accept(HeaderName.WARNING, warnings(warnings));
        }
    }

    /** Writes the members of a decision's document into an open object. */
    public static void members(Json json, Outcome outcome, long nowMillis) {
        members(json, outcome, outcome.decisive(), nowMillis);
    }

    /** Like {@link #members}, about the limit that warns instead of the tightest. */
    public static void warned(Json json, Outcome outcome, long nowMillis) {
        String name = outcome.warnings().get(0).name();
        LimitResult warning = outcome.limits().stream()
                .filter(limit -> limit.name().equals(name))
                .findFirst()
                .orElse(outcome.decisive());
        members(json, outcome, warning, nowMillis);
    }

    private static void members(Json json, Outcome outcome, @Nullable LimitResult decisive, long nowMillis) {
        json.field("allowed", outcome.allowed()).field("reason", reason(outcome));
        if (decisive == null) {
            json.field("limit", (String) null).field("scope", (String) null);
        } else {
            json.field("limit", decisive.name())
                    .field("scope", decisive.scope())
                    .field("remaining", Math.max(0, decisive.remaining()))
                    .field("capacity", decisive.capacity());
        }
        wait(json, outcome);
        if (decisive != null) {
            json.field("reset_at", resetAt(decisive, nowMillis));
        }
        limits(json, outcome.limits(), nowMillis);
        warnings(json, outcome.warnings());
        if (!outcome.allowed()) {
            json.field("error", "rate_limited").field("message", message(outcome, decisive));
            List<String> missing = outcome.missing();
            if (!missing.isEmpty()) {
                json.field("missing", missing);
            }
        }
        classes(json, outcome);
        if (decisive != null) {
            json.name("details")
                    .open('{')
                    .field("limit", decisive.capacity())
                    .field("reset", resetAt(decisive, nowMillis))
                    .field("bucket_id_type", keyedBy(decisive))
                    .close('}');
        }
    }

    /**
     * Writes the derived attributes, each under the name that the configuration gives it. A name that is a member of
     * decisions is left out.
     */
    public static Json classes(Json json, Outcome outcome) {
        outcome.derived().forEach((name, value) -> {
            if (!MEMBERS.contains(name)) {
                json.field(name, value);
            }
        });
        return json;
    }

    public static byte[] document(Outcome outcome, long nowMillis) {
        Json json = Json.newObject(1024);
        members(json, outcome, nowMillis);
        return json.close('}').bytes();
    }

    /** A refusal as a problem document (RFC 9457); its further members are those of {@link #members}. */
    public static byte[] problem(Outcome outcome, long nowMillis) {
        Json json = Json.newObject(1024)
                .field("type", "about:blank")
                .field("title", "Too Many Requests")
                .field("status", DENIED)
                .field("detail", message(outcome));
        members(json, outcome, nowMillis);
        return json.close('}').bytes();
    }

    /** Writes the results of all limits, as one member. */
    public static void limits(Json json, List<LimitResult> limits, long nowMillis) {
        json.name("limits").open('[');
        for (int i = 0; i < limits.size(); i++) {
            LimitResult limit = limits.get(i);
            json.open('{')
                    .field("name", limit.name())
                    .field("scope", limit.scope())
                    .field("allowed", limit.allowed())
                    .field("capacity", limit.capacity())
                    .field("remaining", Math.max(0, limit.remaining()))
                    .field("reset_at", resetAt(limit, nowMillis))
                    .field("window_secs", wholeSeconds(limit.window()))
                    .field("shadow", limit.shadow())
                    .close('}');
        }
        json.close(']');
    }

    /** When a limit's budget is full again, in Unix seconds: exact for calendar limits, rounded up for others. */
    public static long resetAt(LimitResult limit, long nowMillis) {
        Instant at = limit.resetAt(Instant.ofEpochMilli(nowMillis));
        return at.getEpochSecond() + (at.getNano() > 0 ? 1 : 0);
    }

    public static long unixSeconds(long nowMillis, Duration later) {
        return Math.floorDiv(nowMillis + millis(later) + 999, 1000L);
    }

    public static long wholeSeconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    public static long millis(Duration duration) {
        return duration.getSeconds() * 1000 + (duration.getNano() + 999_999) / 1_000_000;
    }

    /** A refusal as a message for people. Contains nothing about the subject. */
    public static String message(Outcome outcome) {
        return message(outcome, outcome.decisive());
    }

    private static @Nullable String reason(Outcome outcome) {
        return outcome.reason() == Reason.ALLOWED ? null : outcome.reason().text();
    }

    /** Writes 0 if there is no wait, and null if waiting does not help. */
    private static void wait(Json json, Outcome outcome) {
        Duration wait = outcome.retryAfter();
        if (outcome.allowed()) {
            json.field("retry_after_ms", 0).field("retry_after_secs", 0);
        } else if (wait == null) {
            json.name("retry_after_ms").nothing().name("retry_after_secs").nothing();
        } else {
            json.field("retry_after_ms", Math.max(1, millis(wait)))
                    .field("retry_after_secs", Math.max(1, wholeSeconds(wait)));
        }
    }

    private static void warnings(Json json, List<Warning> warnings) {
        json.name("warnings").open('[');
        for (int i = 0; i < warnings.size(); i++) {
            Warning warning = warnings.get(i);
            json.open('{')
                    .field("name", warning.name())
                    .field("remaining", warning.remaining())
                    .field("capacity", warning.capacity())
                    .close('}');
        }
        json.close(']');
    }

    private static String message(Outcome outcome, @Nullable LimitResult decisive) {
        Duration wait = outcome.retryAfter();
        String seconds = wait == null ? "" : Math.max(1, wholeSeconds(wait)) + " s";
        return switch (outcome.reason()) {
            case UNAVAILABLE ->
                outcome.isFull()
                        ? "Too many reservations are open; settle or cancel some, or wait until they expire"
                        : "Rate limiter temporarily unavailable";
            case PENALIZED -> "Too many violations; wait " + seconds;
            case IMPOSSIBLE -> impossible(outcome, decisive);
            default ->
                decisive == null
                        ? "Rate limit exceeded; retry in " + seconds
                        : String.format(
                                Locale.ROOT,
                                "Rate limit '%s' exceeded for this %s; retry in %s",
                                decisive.name(),
                                decisive.scope(),
                                seconds);
        };
    }

    private static String impossible(Outcome outcome, @Nullable LimitResult decisive) {
        String limit = decisive == null ? "" : "'" + decisive.name() + "'";
        List<String> missing = outcome.missing();
        String why = missing.isEmpty()
                ? "The cost is above the capacity" + (decisive == null ? "" : " of limit " + limit)
                : "Limit " + limit + " needs the " + (missing.size() == 1 ? "attribute " : "attributes ")
                        + String.join(", ", missing) + ", which this request lacks";
        return why + "; waiting does not help";
    }

    private static String keyedBy(LimitResult limit) {
        return limit.keyedBy().isEmpty() ? "global" : String.join("+", limit.keyedBy());
    }

    /**
     * Writes the IETF fields: lists of strings with parameters (RFC 9651). Each rate is a policy of its own: a quota,
     * and the seconds in which all of it refills, rounded up. A client that spends the quota once a window is not
     * refused.
     */
    private static void fields(List<LimitResult> limits, BiConsumer<String, String> headers) {
        StringBuilder policy = new StringBuilder(48);
        StringBuilder state = new StringBuilder(48);
        for (int i = 0; i < limits.size(); i++) {
            LimitResult limit = limits.get(i);
            if (!limit.shadow()) {
                List<RateResult> rates = limit.rates();
                for (int rate = 0; rate < rates.size(); rate++) {
                    items(policy, state, rates.get(rate));
                }
            }
        }
        headers.accept(HeaderName.POLICY, policy.toString());
        headers.accept(HeaderName.STATE, state.toString());
    }

    private static void items(StringBuilder policy, StringBuilder state, RateResult rate) {
        item(policy, rate.name());
        policy.append(";q=").append(Math.min(LARGEST, rate.capacity()));
        long window = wholeSeconds(rate.window());
        if (window > 0) {
            policy.append(";w=").append(window);
        }
        item(state, rate.name());
        state.append(";r=").append(Math.min(LARGEST, Math.max(0, rate.remaining())));
        state.append(";t=").append(wholeSeconds(rate.resetAfter()));
    }

    private static String warnings(List<Warning> warnings) {
        StringBuilder text = new StringBuilder();
        for (Warning warning : warnings) {
            item(text, warning.name());
            text.append(";r=").append(Math.min(LARGEST, Math.max(0, warning.remaining())));
            text.append(";q=").append(Math.min(LARGEST, warning.capacity()));
        }
        return text.toString();
    }

    /** Appends the next item of a list: a quoted string, which may contain only plain ASCII. */
    private static void item(StringBuilder list, String name) {
        if (list.length() > 0) {
            list.append(", ");
        }
        list.append('"');
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '"' || c == '\\') {
                list.append('\\').append(c);
            } else {
                list.append(c >= ' ' && c < 0x7f ? c : '?');
            }
        }
        list.append('"');
    }
}
