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
 * Calls the model within budgets. The cost of a completion is not known before it ends. So an estimate is reserved in
 * the same decision that admits the request, and settled with the actual use. If this process dies in between, the
 * estimate stands.
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

    /** Receives tokens as they are generated. */
    interface Listener {
        void token(String token) throws IOException;
    }

    /** Checks all layers of limits and the token budget in one decision: if one refuses, nothing is spent. */
    Hold reserve(Map<String, String> caller, String prompt, int maxTokens) {
        long estimate = model.tokensOf(prompt) + (long) maxTokens;
        return weir.reserve(new Request(caller, 1, Map.of("ai_tokens", estimate)), TTL);
    }

    /**
     * Runs the model and settles the use, however it ends. A client that disconnects has used the tokens until then. A
     * model that fails before its first token costs nothing, as closing the hold cancels it.
     *
     * @return the number of tokens used
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
