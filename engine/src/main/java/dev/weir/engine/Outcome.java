package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.DurationText;
import dev.weir.StoreException;
import dev.weir.engine.plan.HeldCharges;
import dev.weir.engine.plan.MissingKey;
import dev.weir.engine.plan.PreparedRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request. It is its own {@link Answer}, so that a store in this process needs no future. Immutable;
 * the results of single limits are computed on first use.
 */
public final class Outcome implements Answer<Outcome> {
    private static final Outcome UNTOUCHED = new Outcome(true, Reason.ALLOWED, null, 0, null, null, List.of());

    private final boolean allowed;
    private final Reason reason;
    private final @Nullable Duration retryAfter;
    private final long violations;
    private final @Nullable PreparedRequest prepared;
    private final @Nullable LimitResults limitResults;
    /** Computed on first use; a race computes the same value twice, which is harmless. */
    private @Nullable List<LimitResult> limits;

    private @Nullable List<Warning> warnings;
    /** Set before the outcome is published. */
    private List<HeldCharges> held = List.of();

    /** Set before the outcome is published. */
    private @Nullable String fullBecause;

    private Outcome(
            boolean allowed,
            Reason reason,
            @Nullable Duration retryAfter,
            long violations,
            @Nullable PreparedRequest prepared,
            @Nullable LimitResults limitResults,
            @Nullable List<LimitResult> limits) {
        this.allowed = allowed;
        this.reason = reason;
        this.retryAfter = retryAfter;
        this.violations = violations;
        this.prepared = prepared;
        this.limitResults = limitResults;
        this.limits = limits;
    }

    /** The outcome when no limit applies: limiting is disabled, the request is exempt, or no limit matches. */
    static Outcome untouched() {
        return UNTOUCHED;
    }

    static Outcome allowed(LimitResults limitResults) {
        Outcome outcome = new Outcome(true, Reason.ALLOWED, null, 0, limitResults.prepared, limitResults, null);
        HeldCharges held = limitResults.prepared.held();
        return held == null ? outcome : outcome.holding(List.of(held));
    }

    /** The same outcome for a decision that holds these charges. */
    Outcome holding(List<HeldCharges> charges) {
        held = charges;
        return this;
    }

    static Outcome denied(
            PreparedRequest prepared, List<LimitResult> limits, @Nullable Duration retryAfter, long violations) {
        Reason reason = retryAfter == null ? Reason.IMPOSSIBLE : Reason.LIMITED;
        return new Outcome(false, reason, retryAfter, violations, prepared, null, limits);
    }

    /** A limit refuses because an attribute is missing: waiting does not help, and no violation is counted. */
    static Outcome missing(PreparedRequest prepared) {
        List<LimitResult> limits =
                prepared.missing().stream().map(MissingKey::result).toList();
        return denied(prepared, limits, null, 0);
    }

    static Outcome penalized(PreparedRequest prepared, Duration retryAfter, long violations) {
        return new Outcome(false, Reason.PENALIZED, retryAfter, violations, prepared, null, List.of());
    }

    /** The store did not answer: the request is refused if a limit that applies fails secure. */
    static Outcome unavailable(PreparedRequest prepared, Duration wait) {
        boolean secure = prepared.deniesOnStoreFailure();
        List<LimitResult> limits = secure ? LimitResults.unavailable(prepared, wait) : List.of();
        return new Outcome(!secure, Reason.UNAVAILABLE, secure ? wait : null, 0, prepared, null, limits);
    }

    /** The store has no room for this request: every limit that applies refuses it. */
    static Outcome full(PreparedRequest prepared, Duration wait, String cause) {
        Outcome outcome =
                new Outcome(false, Reason.UNAVAILABLE, wait, 0, prepared, null, LimitResults.full(prepared, wait));
        outcome.fullBecause = cause;
        return outcome;
    }

    /**
     * Combines this and an earlier outcome of the same request into one, with the limits of both. The earlier one must
     * have allowed the request.
     */
    public Outcome after(Outcome earlier) {
        if (earlier.isUntouched() || earlier == this) {
            return this;
        }
        if (isUntouched()) {
            return earlier;
        }
        Outcome both = new Outcome(
                allowed, reason, retryAfter, violations, prepared, null, joined(earlier.limits(), limits()));
        both.held = joined(earlier.held, held);
        both.fullBecause = fullBecause;
        both.warnings = allowed ? joined(earlier.warnings(), warnings()) : List.of();
        return both;
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Whether the request is allowed; if not, nothing was spent. */
    public boolean allowed() {
        return allowed;
    }

    /**
     * The reason of the outcome. It is {@link Reason#UNAVAILABLE} also if the request is allowed only because its
     * limits fail open.
     */
    public Reason reason() {
        return reason;
    }

    /**
     * Whether the request was refused because there is no room for another reservation: in the store, or for this
     * subject ({@code holds.open-reservations}). The reason is then {@link Reason#UNAVAILABLE}, although the store
     * answers other requests.
     */
    public boolean isFull() {
        return fullBecause != null;
    }

    /** What is full, in words; null unless {@link #isFull}. */
    @Nullable
    String fullBecause() {
        return fullBecause;
    }

    /** How long to wait before the next attempt; null if the request is allowed, or if waiting does not help. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** The subject's consecutive violations, this one included; 0 without a penalty. */
    public long violations() {
        return violations;
    }

    /**
     * The results of all limits that applied, outermost first, shadow limits last. If the store did not answer, only
     * the limits that refused for that reason; nothing is reported that is not known.
     */
    public List<LimitResult> limits() {
        List<LimitResult> made = limits;
        if (made == null) {
            made = limitResults == null ? List.of() : limitResults.limits();
            limits = made;
        }
        return made;
    }

    /**
     * The limit that is most relevant to the client: the outermost limit that refused, else the tightest. If the store
     * did not answer, it is the outermost limit that refuses for that reason ({@code on-store-failure: deny}), with
     * nothing remaining. Null if no limit has a result: none applied, a penalty refused the request, or the store did
     * not answer and all limits fail open.
     */
    public @Nullable LimitResult decisive() {
        return LimitResults.decisive(limits());
    }

    /** The limits that this request took beyond their warning mark; each crossing is reported once. */
    public List<Warning> warnings() {
        List<Warning> made = warnings;
        if (made == null) {
            made = limitResults == null || !allowed ? List.of() : List.copyOf(limitResults.warnings());
            warnings = made;
        }
        return made;
    }

    /**
     * The missing attributes for which the request was refused by {@code on-missing: deny}; alternatives are joined by
     * {@code |}. Empty if that was not the reason.
     */
    public List<String> missing() {
        if (prepared == null || !prepared.lacksKey()) {
            return List.of();
        }
        return prepared.missing().stream()
                .filter(missing -> !missing.result().shadow())
                .flatMap(missing -> missing.attributes().stream())
                .distinct()
                .toList();
    }

    /** The attributes that the configuration derived, such as {@code tier}. */
    public Map<String, String> derived() {
        return prepared == null ? Map.of() : prepared.plan().derived(prepared.values());
    }

    /** The charges that wait for the status of the response. */
    List<HeldCharges> held() {
        return held;
    }

    /**
     * The same outcome after {@link Weir#complete} has reported this status: limits that do not charge for it show
     * their charge as refunded. For the headers of the response.
     */
    public Outcome completed(int status) {
        Set<String> givenBack = new HashSet<>();
        held.forEach(charges -> givenBack.addAll(charges.costs(status).keySet()));
        if (givenBack.isEmpty()) {
            return this;
        }
        List<LimitResult> now = limits().stream()
                .map(limit -> !limit.shadow() && givenBack.contains(limit.name()) ? limit.givenBack() : limit)
                .toList();
        Outcome completed = new Outcome(allowed, reason, retryAfter, violations, prepared, null, now);
        completed.warnings = warnings();
        return completed;
    }

    /** Whether limits wait for the status of the response; {@link Weir#complete} reports it. */
    public boolean awaitsStatus() {
        return !held.isEmpty() || awaitsForShadow();
    }

    private boolean awaitsForShadow() {
        return limitResults != null && !limitResults.shadowsAwaitingStatus().isEmpty();
    }

    /** The results of the limits, if the store was called and the request is allowed. */
    @Nullable
    LimitResults limitResults() {
        return limitResults;
    }

    /** Whether no limit applied. */
    public boolean isUntouched() {
        return prepared == null;
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public Outcome now() {
        return this;
    }

    @Override
    public Outcome await(Duration timeout) {
        return this;
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable Outcome, ? super @Nullable StoreException> callback) {
        callback.accept(this, null);
    }

    /** Contains nothing about the subject. */
    @Override
    public String toString() {
        LimitResult decisive = decisive();
        return "Outcome[" + reason + (allowed ? ", allowed" : ", denied")
                + (decisive == null ? "" : ", " + decisive.name() + " " + decisive.remaining() + " left")
                + (retryAfter == null ? "" : ", retry after " + DurationText.of(retryAfter)) + "]";
    }
}
