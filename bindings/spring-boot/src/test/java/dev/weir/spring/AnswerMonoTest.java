package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Answer;
import dev.weir.remote.Promise;
import dev.weir.spring.web.AnswerMono;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** The thread on which a request continues after its store has answered. */
class AnswerMonoTest {
    @Test
    void pendingAnswer_continuesOnAThreadOfReactor() {
        Promise<String> pending = new Promise<>();
        Mono<String> thread =
                AnswerMono.of(pending).map(value -> Thread.currentThread().getName());
        new Thread(() -> pending.complete("decided"), "store").start();

        assertThat(thread.block(Duration.ofMinutes(1))).startsWith("parallel-");
    }

    @Test
    void completeAnswer_continuesInTheCaller() {
        Mono<String> thread = AnswerMono.of(Answer.of("decided"))
                .map(value -> Thread.currentThread().getName());

        assertThat(thread.block()).isEqualTo(Thread.currentThread().getName());
    }
}
