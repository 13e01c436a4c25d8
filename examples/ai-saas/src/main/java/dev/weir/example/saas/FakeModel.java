package dev.weir.example.saas;

import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** A stub of an AI model: repeats the prompt's words until its tokens are used up. Every word is a token. */
@Component
class FakeModel {
    /** The model fails when it reaches this word of a prompt, as real models sometimes do. */
    static final String STUMBLES = "stumble";

    int tokensOf(String prompt) {
        return words(prompt).size();
    }

    /** Returns the completion, token by token. The iterator throws {@code IllegalStateException} if the model fails. */
    Iterator<String> answer(String prompt, int maxTokens) {
        List<String> words = words(prompt);
        return IntStream.range(0, Math.min(maxTokens, 2 * words.size()))
                .mapToObj(i -> say(words.get(i % words.size())))
                .iterator();
    }

    private static String say(String word) {
        if (word.equals(STUMBLES)) {
            throw new IllegalStateException("the model has failed");
        }
        return word;
    }

    private static List<String> words(String prompt) {
        return List.of(prompt.trim().split("\\s+"));
    }
}
