package dev.weir.binding.servlet;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.TwoStageCheck;
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
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
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
            Problem.tooLarge("the body is longer than the " + setup.reader().bodyBound() + " bytes that are looked at")
                    .send(response);
            return;
        }
        try {
            attributes = setup.reader().early(request);
        } catch (IllegalArgumentException e) {
            isDecided = true;
            Problem.badRequest(String.valueOf(e.getMessage())).send(response);
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
        Answer<Verdict> answer = ask(question, response);
        if (answer != null && canAct(answer, request)) {
            act(arrived(answer), request, response, chain);
        } else if (answer != null) {
            pending = answer;
            awaitWithoutThread(answer, request, response);
        }
    }

    /** The request is authenticated, as far as it ever will be. */
    void goOn(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<Verdict> awaited = pendingSecond;
        if (awaited != null) {
            pendingSecond = null;
            act(arrived(awaited), request, response, chain);
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
        Answer<Verdict> answer = ask(() -> decide(bodied, () -> begun.finish(late)), response);
        if (answer != null && canAct(answer, request)) {
            act(arrived(answer), request, response, chain);
        } else if (answer != null) {
            pendingSecond = answer;
            awaitWithoutThread(answer, request, response);
        }
    }

    /** The same request is dispatched again: nothing is charged. */
    void comeAgain(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Answer<Verdict> awaited = pending;
        if (awaited != null) {
            pending = null;
            act(arrived(awaited), request, response, chain);
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
        IdempotencyGate gate = setup.gate();
        int bound = setup.reader().wantsBody(request) ? setup.reader().bodyBound() : -1;
        if (gate != null && gate.wantsBody(request)) {
            bound = Math.max(bound, gate.bodyBound());
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
        IdempotencyGate gate = setup.gate();
        if (gate == null) {
            return Answers.map(check.get(), outcome -> verdict(outcome, null));
        }
        return Answers.then(
                gate.ask(request, attributes),
                finding -> {
                    if (finding instanceof IdempotencyGate.Finding.Fresh fresh) {
                        return begun(fresh.work(), check);
                    }
                    if (finding instanceof IdempotencyGate.Finding.Known known) {
                        return Answers.then(
                                withdraw(),
                                done -> Answers.map(
                                        setup.weir().peekAsync(Request.of(attributes)),
                                        present -> new Verdict.Replay(known.response(), present)),
                                failure -> Answer.of(new Verdict.Reject(Problem.unavailable())));
                    }
                    if (finding instanceof IdempotencyGate.Finding.Rejected rejected) {
                        return Answers.map(withdraw(), done -> new Verdict.Reject(rejected.problem()));
                    }
                    return Answers.map(check.get(), outcome -> verdict(outcome, null));
                },
                failure -> Answer.of(new Verdict.Reject(Problem.unavailable())));
    }

    /** The key is taken: whatever happens until the application has the request, it is given back. */
    private static Answer<Verdict> begun(IdempotentWork work, Supplier<Answer<Outcome>> check) {
        Answer<Outcome> outcome;
        try {
            outcome = check.get();
        } catch (RuntimeException e) {
            work.abandon();
            throw e;
        }
        return Answers.map(outcome, decided -> {
            if (!decided.allowed()) {
                work.abandon();
            }
            return verdict(decided, work);
        });
    }

    /** Gives back what the first stage took, for a request that is not done. */
    private Answer<Boolean> withdraw() {
        TwoStageCheck begun = stages;
        return begun == null ? Answer.of(true) : begun.giveBack();
    }

    private static Verdict verdict(Outcome outcome, @Nullable IdempotentWork work) {
        return outcome.allowed() ? new Verdict.Proceed(outcome, work) : new Verdict.Refuse(outcome);
    }

    /** Null if it cannot even be asked, which has been answered. */
    private @Nullable Answer<Verdict> ask(Supplier<Answer<Verdict>> question, HttpServletResponse response)
            throws IOException {
        try {
            return question.get();
        } catch (IllegalArgumentException e) {
            withdraw();
            Problem.badRequest(String.valueOf(e.getMessage())).send(response);
            return null;
        }
    }

    private boolean canAct(Answer<Verdict> answer, HttpServletRequest request) {
        return answer.isDone() || setup.waits() || !request.isAsyncSupported();
    }

    /** Gives the thread back; the request is dispatched again once the answer is here. */
    private static void awaitWithoutThread(
            Answer<Verdict> answer, HttpServletRequest request, HttpServletResponse response) {
        AsyncContext context = request.startAsync(request, response);
        context.setTimeout(PATIENCE.toMillis());
        answer.whenDone((verdict, failure) -> context.dispatch());
    }

    private static Verdict arrived(Answer<Verdict> answer) {
        try {
            return answer.await(PATIENCE);
        } catch (StoreException e) {
            return new Verdict.Reject(
                    e.getCause() instanceof IllegalArgumentException misuse
                            ? Problem.badRequest(String.valueOf(misuse.getMessage()))
                            : Problem.unavailable());
        }
    }

    private void act(Verdict verdict, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (verdict instanceof Verdict.Proceed proceed) {
            proceed(proceed, request, response, chain);
        } else if (verdict instanceof Verdict.Refuse refuse) {
            Answering.refuse(refuse.outcome(), setup.refusal(), request, response);
        } else if (verdict instanceof Verdict.Replay replay) {
            Answering.replay(replay.response(), replay.present(), request, response);
        } else if (verdict instanceof Verdict.Reject reject) {
            reject.problem().send(response);
        }
    }

    private void proceed(Verdict.Proceed go, HttpServletRequest request, HttpServletResponse given, FilterChain chain)
            throws IOException, ServletException {
        HttpServletResponse response = reporting(go.outcome(), given);
        request.setAttribute(WeirFilter.OUTCOME, go.outcome());
        request.setAttribute(WeirFilter.ATTRIBUTES, Collections.unmodifiableMap(attributes));
        boolean isCrossOrigin = Answering.isCrossOrigin(request);
        LimitedResponse before = limited;
        if (before != null) {
            before.tell(go.outcome());
        }
        LimitedResponse answering;
        CapturedResponse capturing = null;
        if (go.work() == null) {
            answering = before == null ? new LimitedResponse(response, go.outcome(), isCrossOrigin) : before;
        } else {
            capturing = new CapturedResponse(response, go.outcome(), isCrossOrigin, go.work());
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
