package dev.weir.binding.servlet;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.TwoStageCheck;
import dev.weir.engine.http.Problem;
import dev.weir.engine.idempotency.IdempotencyGate;
import dev.weir.engine.idempotency.IdempotencyGate.Finding;
import dev.weir.engine.idempotency.IdempotentWork;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.remote.Answers;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One filtered request. It is decided once, in one stage or two, and tracked to the end of its response, also if the
 * application completes it asynchronously.
 */
final class FilteredRequest implements AsyncListener {
    /*
     * States and transitions.
     *
     * The first dispatch starts the decision, in the first filter. Either all attributes are known and one check
     * decides (isDecided), or the first stage of a TwoStageCheck charges the early limits and the second filter
     * continues with it.
     *
     * A decision becomes an action: continue, refuse, replay a stored response, or reject. If the answer is complete,
     * or the thread may wait, the action runs at once. Otherwise the answer is kept in "pending" (first filter) or
     * "pendingSecond" (second filter), asynchronous processing starts, and completion of the answer dispatches the
     * request again. That dispatch takes the field, sets it to null and runs the action. So each action runs exactly
     * once.
     *
     * The first stage ends once (TwoStageCheck ensures this), in one of three ways:
     * - finish: the second stage decides. If it refuses, the charges of the first stage are given back.
     * - give back: the request is not executed, as its response is replayed or its idempotency key is rejected.
     * - leave: the request ended before the second filter, for example in a failed login. The charges stand.
     *
     * An idempotency key that was begun is either completed with the response (CapturedResponse.finish) or abandoned:
     * on a refusal, an exception, a timeout or an error.
     *
     * Threads: the container runs one dispatch at a time, so most fields need no lock. "limited", "captured" and
     * "wentAsync" are volatile because asynchronous listeners and application threads read them. The status is reported
     * once: "awaitingStatus" is an atomic reference that the first reporter empties.
     */

    /** Upper bound of the wait for a decision. The engine has its own, shorter timeouts. */
    private static final Duration DECISION_TIMEOUT = Duration.ofMinutes(5);

    private static final Logger LOG = System.getLogger(FilteredRequest.class.getName());
    private static final int SERVER_ERROR = 500;

    private final WeirFilter.Setup setup;
    private Map<String, String> attributes = Map.of();
    private @Nullable TwoStageCheck stages;
    /** Answers in flight while the request has no thread; this one of the first filter, the next one of the second. */
    private @Nullable Answer<FilterAction> pending;

    private @Nullable Answer<FilterAction> pendingSecond;

    private volatile @Nullable LimitedResponse limited;
    private volatile @Nullable CapturedResponse captured;
    private volatile boolean wentAsync;
    private boolean isDecided;
    /** The outcome whose limits wait for the status of the response; null once the status is reported. */
    private final AtomicReference<@Nullable Outcome> awaitingStatus = new AtomicReference<>();

    private @Nullable HttpServletResponse reporting;

    FilteredRequest(WeirFilter.Setup setup) {
        this.setup = setup;
    }

    /** Whether the second filter has nothing left to do. */
    boolean isDecided() {
        return isDecided && pendingSecond == null;
    }

    /** Starts the first stage, on the first dispatch of the request. */
    void begin(HttpServletRequest arriving, HttpServletResponse response, FilterChain chain, boolean inTwoStages)
            throws IOException, ServletException {
        HttpServletRequest request = withBody(arriving);
        if (setup.reader().refuses(request)) {
            isDecided = true;
            FilterResponses.reject(
                    Problem.tooLarge(
                            "the body is longer than the " + setup.reader().bodyBound() + " bytes that are read"),
                    response);
            return;
        }
        try {
            attributes = setup.reader().early(request);
        } catch (IllegalArgumentException e) {
            isDecided = true;
            FilterResponses.reject(Problem.badRequest(String.valueOf(e.getMessage())), response);
            return;
        }
        Map<String, String> late = setup.reader().late(request);
        boolean isComplete =
                !inTwoStages || !late.isEmpty() || setup.reader().lateNames().isEmpty();
        Supplier<Answer<FilterAction>> question;
        if (isComplete) {
            attributes.putAll(late);
            question = () -> decide(request, () -> setup.weir().checkAsync(request()));
        } else {
            question = this::decideEarly;
        }
        isDecided = isComplete;
        askAndAct(question, answer -> pending = answer, request, response, chain);
    }

    /** Continues in the second filter, behind authentication. The user may still be unknown. */
    void continueAuthenticated(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<FilterAction> awaited = pendingSecond;
        if (awaited != null) {
            pendingSecond = null;
            awaitAction(awaited).act(request, response, chain);
            return;
        }
        isDecided = true;
        TwoStageCheck begun = stages;
        if (begun == null) {
            chain.doFilter(request, response);
            return;
        }
        Map<String, String> late = setup.reader().late(request);
        Map<String, String> all = new HashMap<>(late);
        all.putAll(attributes);
        attributes = all;
        HttpServletRequest bodied = buffered(request);
        askAndAct(
                () -> decide(bodied, () -> begun.finish(late)),
                answer -> pendingSecond = answer,
                request,
                response,
                chain);
    }

    /** Handles a repeated dispatch of the same request. It charges nothing. */
    void redispatch(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<FilterAction> awaited = pending;
        if (awaited != null) {
            pending = null;
            awaitAction(awaited).act(request, response, chain);
            return;
        }
        LimitedResponse told = limited;
        if (request.getDispatcherType() == DispatcherType.ERROR && told != null) {
            told.apply();
        }
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error e) {
            fail();
            throw e;
        }
        CapturedResponse capture = captured;
        boolean isLast = request.getDispatcherType() == DispatcherType.ASYNC && !request.isAsyncStarted();
        if (isLast && capture != null) {
            capture.finish();
        }
    }

    /** Adds the outcome of another decision that the application made for this request. */
    void addOutcome(HttpServletRequest request, Outcome outcome) {
        Outcome both =
                request.getAttribute(WeirFilter.OUTCOME) instanceof Outcome earlier ? outcome.after(earlier) : outcome;
        request.setAttribute(WeirFilter.OUTCOME, both);
        LimitedResponse telling = limited;
        if (telling != null) {
            telling.tell(both);
        }
    }

    private HttpServletRequest withBody(HttpServletRequest request) throws IOException {
        Idempotency rules = setup.idempotency();
        int bound = setup.reader().wantsBody(request) ? setup.reader().bodyBound() : -1;
        if (rules != null && rules.wantsBody(request)) {
            bound = Math.max(bound, rules.largestRequest());
        }
        return bound < 0 ? request : BufferedRequest.read(request, bound);
    }

    /** Returns the request with the body that the first filter read, below the wrappers of the filters in between. */
    private static HttpServletRequest buffered(HttpServletRequest request) {
        HttpServletRequest found = request;
        while (!(found instanceof BufferedRequest)
                && found instanceof ServletRequestWrapper wrapper
                && wrapper.getRequest() instanceof HttpServletRequest inner) {
            found = inner;
        }
        return found instanceof BufferedRequest ? found : request;
    }

    private Answer<FilterAction> decideEarly() {
        return Answers.map(setup.weir().checkInStages(request(), setup.reader().lateNames()), check -> {
            stages = check;
            return verdict(check.first(), null);
        });
    }

    private Answer<FilterAction> decide(HttpServletRequest request, Supplier<Answer<Outcome>> check) {
        Idempotency rules = setup.idempotency();
        if (rules == null || !rules.applies().test(request)) {
            return Answers.map(check.get(), outcome -> verdict(outcome, null));
        }
        List<String> lines = new ArrayList<>(Collections.list(request.getHeaders(rules.header())));
        return Answers.then(
                rules.gate().ask(lines, attributes, () -> rules.digest(request)),
                finding -> {
                    if (finding instanceof Finding.Fresh fresh) {
                        return begun(fresh.work(), check);
                    }
                    if (finding instanceof Finding.Known known) {
                        return Answers.then(
                                withdraw(),
                                done -> Answers.map(
                                        setup.weir().peekAsync(Request.of(attributes)),
                                        present -> replay(known.response(), present)),
                                failure -> Answer.of(FilterAction.reject(IdempotencyGate.unavailable())));
                    }
                    if (finding instanceof Finding.Rejected rejected) {
                        return Answers.map(withdraw(), done -> FilterAction.reject(rejected.problem()));
                    }
                    return Answers.map(check.get(), outcome -> verdict(outcome, null));
                },
                failure -> Answer.of(FilterAction.reject(IdempotencyGate.unavailable())));
    }

    /** Runs the check under a key that was begun. The key is abandoned unless the application gets the request. */
    private Answer<FilterAction> begun(IdempotentWork work, Supplier<Answer<Outcome>> check) {
        Answer<Outcome> outcome;
        try {
            outcome = check.get();
        } catch (RuntimeException e) {
            return Answers.then(work.abandon(), free -> {
                throw e;
            });
        }
        return Answers.then(
                outcome,
                decided -> decided.allowed()
                        ? Answer.of(verdict(decided, work))
                        : Answers.map(work.abandon(), free -> verdict(decided, null)));
    }

    /** Gives back the charges of the first stage, for a request that is not executed. */
    private Answer<Boolean> withdraw() {
        TwoStageCheck begun = stages;
        return begun == null ? Answer.of(true) : begun.giveBack();
    }

    /** @param work the work under an idempotency key, whose response is stored; null without a key */
    private FilterAction verdict(Outcome outcome, @Nullable IdempotentWork work) {
        return outcome.allowed()
                ? (request, response, chain) -> proceed(outcome, work, request, response, chain)
                : (request, response, chain) -> FilterResponses.refuse(outcome, setup.refusal(), request, response);
    }

    /** Replays a stored response, with the current state of the limits in its headers. */
    private static FilterAction replay(StoredResponse stored, Outcome present) {
        return (request, response, chain) -> FilterResponses.replay(stored, present, request, response);
    }

    /**
     * Acts now if it can. Otherwise keeps the answer and releases the thread; the completed answer dispatches again.
     */
    private void askAndAct(
            Supplier<Answer<FilterAction>> question,
            Consumer<Answer<FilterAction>> keep,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        Answer<FilterAction> answer;
        try {
            answer = question.get();
        } catch (IllegalArgumentException e) {
            withdraw();
            FilterResponses.reject(Problem.badRequest(String.valueOf(e.getMessage())), response);
            return;
        }
        if (answer.isDone() || setup.waits() || !request.isAsyncSupported()) {
            awaitAction(answer).act(request, response, chain);
            return;
        }
        keep.accept(answer);
        AsyncContext context = request.startAsync(request, response);
        context.setTimeout(DECISION_TIMEOUT.toMillis());
        answer.whenDone((verdict, failure) -> context.dispatch());
    }

    private static FilterAction awaitAction(Answer<FilterAction> answer) {
        try {
            return answer.await(DECISION_TIMEOUT);
        } catch (StoreException e) {
            return FilterAction.reject(
                    e.getCause() instanceof IllegalArgumentException misuse
                            ? Problem.badRequest(String.valueOf(misuse.getMessage()))
                            : IdempotencyGate.unavailable());
        }
    }

    private void proceed(
            Outcome outcome,
            @Nullable IdempotentWork work,
            HttpServletRequest request,
            HttpServletResponse given,
            FilterChain chain)
            throws IOException, ServletException {
        HttpServletResponse response = reporting(outcome, given);
        request.setAttribute(WeirFilter.OUTCOME, outcome);
        request.setAttribute(WeirFilter.ATTRIBUTES, Collections.unmodifiableMap(attributes));
        boolean isCrossOrigin = FilterResponses.isCrossOrigin(request);
        LimitedResponse before = limited;
        if (before != null) {
            before.tell(outcome);
        }
        LimitedResponse answering;
        CapturedResponse capturing = null;
        if (work == null) {
            answering = before == null ? new LimitedResponse(response, outcome, isCrossOrigin) : before;
        } else {
            capturing = new CapturedResponse(response, outcome, isCrossOrigin, work);
            answering = capturing;
        }
        limited = answering;
        captured = capturing;
        run(
                new TrackedRequest(request, this, capturing),
                before != null && capturing == null ? response : answering,
                chain);
    }

    /** Returns a response that reports its status, if limits wait for it. */
    private HttpServletResponse reporting(Outcome outcome, HttpServletResponse response) {
        if (!outcome.awaitsStatus()) {
            return response;
        }
        awaitingStatus.set(outcome);
        if (reporting != null) {
            return response;
        }
        reporting = response;
        return new StatusResponse(response, this::reportStatus);
    }

    /** Reports the status and waits for the store, so that the client cannot see its response before the limits do. */
    private void reportStatus(int status) {
        Outcome outcome = awaitingStatus.getAndSet(null);
        if (outcome != null) {
            try {
                boolean isGivenBack = setup.weir().complete(outcome, status);
                LimitedResponse telling = limited;
                if (isGivenBack && telling != null) {
                    telling.complete(status);
                }
            } catch (StoreException e) {
                LOG.log(Level.WARNING, "the status of a response could not be reported; its charge stands", e);
            }
        }
    }

    private void reportStatus(boolean failed) {
        HttpServletResponse response = reporting;
        if (response != null) {
            int status = response.getStatus();
            reportStatus(failed && status < 400 ? SERVER_ERROR : status);
        }
    }

    private Request request() {
        return Request.of(attributes).reportingStatus();
    }

    private void run(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error e) {
            fail();
            throw e;
        }
        if (!wentAsync) {
            end();
        }
    }

    /** Records that the application continues asynchronously. The end then arrives as a listener event. */
    void wentAsync(AsyncContext context) {
        if (!wentAsync) {
            wentAsync = true;
            context.addListener(this);
        }
    }

    private void end() {
        CapturedResponse capture = captured;
        if (capture != null) {
            capture.finish();
        }
        reportStatus(false);
        leave();
    }

    private void fail() {
        CapturedResponse capture = captured;
        if (capture != null) {
            capture.abandon();
        }
        // For an asynchronous request the container still decides on the status, and then completes the request.
        if (!wentAsync) {
            reportStatus(true);
        }
        leave();
    }

    private void leave() {
        TwoStageCheck begun = stages;
        if (begun != null) {
            begun.leave();
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        fail();
    }

    @Override
    public void onError(AsyncEvent event) {
        fail();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
