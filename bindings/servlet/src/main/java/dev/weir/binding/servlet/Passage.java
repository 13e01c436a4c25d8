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
 * One request on its way through the filter: decided once, in one stage or in two, and followed to the end of its
 * response, also if that is made asynchronously.
 */
final class Passage implements AsyncListener {
    /** Longer than any decision takes: the engine answers in its own time. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Logger LOG = System.getLogger(Passage.class.getName());
    private static final int SERVER_ERROR = 500;

    private final WeirFilter.Setup setup;
    private Map<String, String> attributes = Map.of();
    private @Nullable TwoStageCheck stages;
    /** On their way while the request waits without a thread: of the first filter, and of the second. */
    private @Nullable Answer<Verdict> pending;

    private @Nullable Answer<Verdict> pendingSecond;

    private volatile @Nullable LimitedResponse limited;
    private volatile @Nullable CapturedResponse captured;
    private volatile boolean wentAsync;
    private boolean isDecided;
    /** Of which limits wait for the status of the response; null once that was reported. */
    private final AtomicReference<@Nullable Outcome> awaitingStatus = new AtomicReference<>();

    private @Nullable HttpServletResponse reporting;

    Passage(WeirFilter.Setup setup) {
        this.setup = setup;
    }

    /** Whether nothing is left for the second filter to do. */
    boolean isDecided() {
        return isDecided && pendingSecond == null;
    }

    /** The request arrives. */
    void begin(HttpServletRequest arriving, HttpServletResponse response, FilterChain chain, boolean inTwoStages)
            throws IOException, ServletException {
        HttpServletRequest request = withBody(arriving);
        if (setup.reader().refuses(request)) {
            isDecided = true;
            Answering.reject(
                    Problem.tooLarge(
                            "the body is longer than the " + setup.reader().bodyBound() + " bytes that are looked at"),
                    response);
            return;
        }
        try {
            attributes = setup.reader().early(request);
        } catch (IllegalArgumentException e) {
            isDecided = true;
            Answering.reject(Problem.badRequest(String.valueOf(e.getMessage())), response);
            return;
        }
        Map<String, String> late = setup.reader().late(request);
        boolean isComplete =
                !inTwoStages || !late.isEmpty() || setup.reader().lateNames().isEmpty();
        Supplier<Answer<Verdict>> question;
        if (isComplete) {
            attributes.putAll(late);
            question = () -> decide(request, () -> setup.weir().checkAsync(request()));
        } else {
            question = this::decideEarly;
        }
        isDecided = isComplete;
        askAndAct(question, answer -> pending = answer, request, response, chain);
    }

    /** The request is authenticated, as far as it ever will be. */
    void goOn(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<Verdict> awaited = pendingSecond;
        if (awaited != null) {
            pendingSecond = null;
            arrived(awaited).act(request, response, chain);
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

    /** The same request is dispatched again: nothing is charged. */
    void comeAgain(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<Verdict> awaited = pending;
        if (awaited != null) {
            pending = null;
            arrived(awaited).act(request, response, chain);
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

    /** Something that the application did for this request was limited, too. */
    void alsoDecided(HttpServletRequest request, Outcome outcome) {
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

    /** Finds the body that the first filter has read below the wrappers of filters in between. */
    private static HttpServletRequest buffered(HttpServletRequest request) {
        HttpServletRequest found = request;
        while (!(found instanceof BufferedRequest)
                && found instanceof ServletRequestWrapper wrapper
                && wrapper.getRequest() instanceof HttpServletRequest inner) {
            found = inner;
        }
        return found instanceof BufferedRequest ? found : request;
    }

    private Answer<Verdict> decideEarly() {
        return Answers.map(setup.weir().checkInStages(request(), setup.reader().lateNames()), check -> {
            stages = check;
            return verdict(check.first(), null);
        });
    }

    private Answer<Verdict> decide(HttpServletRequest request, Supplier<Answer<Outcome>> check) {
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
                                failure -> Answer.of(Verdict.reject(IdempotencyGate.unavailable())));
                    }
                    if (finding instanceof Finding.Rejected rejected) {
                        return Answers.map(withdraw(), done -> Verdict.reject(rejected.problem()));
                    }
                    return Answers.map(check.get(), outcome -> verdict(outcome, null));
                },
                failure -> Answer.of(Verdict.reject(IdempotencyGate.unavailable())));
    }

    /** The key is taken: whatever happens until the application has the request, it is given back. */
    private Answer<Verdict> begun(IdempotentWork work, Supplier<Answer<Outcome>> check) {
        Answer<Outcome> outcome;
        try {
            outcome = check.get();
        } catch (RuntimeException e) {
            CapturedResponse.await(work.abandon());
            throw e;
        }
        return Answers.then(
                outcome,
                decided -> decided.allowed()
                        ? Answer.of(verdict(decided, work))
                        : Answers.map(work.abandon(), free -> verdict(decided, null)));
    }

    /** Gives back what the first stage took, for a request that is not done. */
    private Answer<Boolean> withdraw() {
        TwoStageCheck begun = stages;
        return begun == null ? Answer.of(true) : begun.giveBack();
    }

    /** @param work under an idempotency key, whose response is remembered; null if it is none */
    private Verdict verdict(Outcome outcome, @Nullable IdempotentWork work) {
        return outcome.allowed()
                ? (request, response, chain) -> proceed(outcome, work, request, response, chain)
                : (request, response, chain) -> Answering.refuse(outcome, setup.refusal(), request, response);
    }

    /** It was done before: the same response again, with the limits as they are now. */
    private static Verdict replay(StoredResponse stored, Outcome present) {
        return (request, response, chain) -> Answering.replay(stored, present, request, response);
    }

    /** Acts now, or gives the thread back and keeps the answer: once it is here, the request is dispatched again. */
    private void askAndAct(
            Supplier<Answer<Verdict>> question,
            Consumer<Answer<Verdict>> keep,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        Answer<Verdict> answer;
        try {
            answer = question.get();
        } catch (IllegalArgumentException e) {
            withdraw();
            Answering.reject(Problem.badRequest(String.valueOf(e.getMessage())), response);
            return;
        }
        if (answer.isDone() || setup.waits() || !request.isAsyncSupported()) {
            arrived(answer).act(request, response, chain);
            return;
        }
        keep.accept(answer);
        AsyncContext context = request.startAsync(request, response);
        context.setTimeout(PATIENCE.toMillis());
        answer.whenDone((verdict, failure) -> context.dispatch());
    }

    private static Verdict arrived(Answer<Verdict> answer) {
        try {
            return answer.await(PATIENCE);
        } catch (StoreException e) {
            return Verdict.reject(
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
        boolean isCrossOrigin = Answering.isCrossOrigin(request);
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

    /** The response, reporting its status if limits wait for that. */
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

    /** Waits for the store: the client must not see its response before the limits know of it. */
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

    /** The application goes on without this thread; its end comes as an event. */
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
        // Of a request that went on asynchronously the container still decides on the status, and then completes it.
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
