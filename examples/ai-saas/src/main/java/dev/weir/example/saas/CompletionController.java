package dev.weir.example.saas;

import dev.weir.engine.Hold;
import dev.weir.engine.http.HttpDecision;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Completions, streamed as server-sent events: one for each token, and a last one with the number of tokens used. */
@RestController
class CompletionController {
    static final String PATH = "/api/ai/completions";

    private static final int MOST_TOKENS = 100_000;
    private static final int LONGEST_PROMPT = 10_000;

    private final Completions completions;
    private final Caller caller;

    CompletionController(Completions completions, Caller caller) {
        this.completions = completions;
        this.caller = caller;
    }

    /** The input of the model. */
    record Prompt(String prompt, int maxTokens) {
        Prompt {
            if (prompt == null || prompt.isBlank() || prompt.length() > LONGEST_PROMPT) {
                throw new ResponseStatusException(
                        HttpStatus.BAD_REQUEST, "prompt must have 1 to " + LONGEST_PROMPT + " characters");
            }
            if (maxTokens < 1 || maxTokens > MOST_TOKENS) {
                throw new ResponseStatusException(
                        HttpStatus.BAD_REQUEST, "maxTokens is " + maxTokens + "; it must be 1 to " + MOST_TOKENS);
            }
        }
    }

    @PostMapping(PATH)
    ResponseEntity<StreamingResponseBody> complete(
            @RequestBody Prompt asked, HttpServletRequest request, HttpServletResponse response) {
        Hold hold = completions.reserve(caller.attributes(request), asked.prompt(), asked.maxTokens());
        long now = System.currentTimeMillis();
        HttpDecision.headers(hold.outcome(), now, response::setHeader);
        if (!hold.granted()) {
            byte[] problem = HttpDecision.problem(hold.outcome(), now);
            return ResponseEntity.status(HttpDecision.status(hold.outcome()))
                    .header("Content-Type", HttpDecision.PROBLEM_TYPE)
                    .body(out -> out.write(problem));
        }
        return ResponseEntity.ok().contentType(MediaType.TEXT_EVENT_STREAM).body(out -> {
            try {
                long used = completions.run(hold, asked.prompt(), asked.maxTokens(), token -> {
                    out.write(("data: " + token + "\n\n").getBytes(StandardCharsets.UTF_8));
                    out.flush();
                });
                out.write(("event: done\ndata: " + used + "\n\n").getBytes(StandardCharsets.UTF_8));
            } catch (IllegalStateException e) {
                out.write("event: error\ndata: the model has failed\n\n".getBytes(StandardCharsets.UTF_8));
            }
        });
    }
}
