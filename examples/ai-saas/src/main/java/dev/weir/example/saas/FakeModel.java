package dev.weir.example.saas;

import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** Stands for an AI model: says the prompt's words again until its tokens are used up. Every word is a token. */
@Component
class FakeModel {
    /** A prompt with this word fails when it comes to it, as models sometimes do. */
    static final String STUMBLES = "stumble";

    int tokensOf(String prompt) {
        return words(prompt).size();
    }

    /** The answer, token by token; {@code IllegalStateException} if it fails on the way. */
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
