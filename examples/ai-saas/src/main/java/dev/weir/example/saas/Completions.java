package dev.weir.example.saas;

import dev.weir.engine.Hold;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Calls the model within budgets. What a completion will cost is not known before it is done: an estimate is reserved in
 * the same decision that admits the request, and settled by what was used. If this process dies in between, the estimate
 * stands.
 */
@Component
class Completions {
    private static final Duration TTL = Duration.ofMinutes(5);

    private final Weir weir;
    private final FakeModel model;

    Completions(Weir weir, FakeModel model) {
        this.weir = weir;
        this.model = model;
    }

    /** Where tokens go, as they come. */
    interface Listener {
        void token(String token) throws IOException;
    }

    /** All layers of limits and the tokens, decided together: if one refuses, nothing is spent anywhere. */
    Hold reserve(Map<String, String> caller, String prompt, int maxTokens) {
        long estimate = model.tokensOf(prompt) + (long) maxTokens;
        return weir.reserve(new Request(caller, 1, Map.of("ai_tokens", estimate)), TTL);
    }

    /**
     * Answers, and settles what it took, however it ends: a client that goes away has used what came until then, and a
     * model that fails before its first word costs nothing, as closing the hold cancels it.
     *
     * @return how many tokens it took
     */
    long run(Hold hold, String prompt, int maxTokens, Listener listener) throws IOException {
        int prompted = model.tokensOf(prompt);
        long used = 0;
        try (hold) {
            try {
                Iterator<String> answer = model.answer(prompt, maxTokens);
                while (answer.hasNext()) {
                    String token = answer.next();
                    used++;
                    listener.token(token);
                }
            } finally {
                if (used > 0) {
                    hold.settle(Map.of("ai_tokens", used + prompted));
                }
            }
        }
        return used + prompted;
    }
}
