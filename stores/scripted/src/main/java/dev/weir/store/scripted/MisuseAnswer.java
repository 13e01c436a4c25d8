package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.remote.Promise;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that may turn out to be misuse only when the script has spoken: to one who waits for it that is thrown as what it
 * is, to a callback it is a failure that no retry helps.
 */
record MisuseAnswer<T>(Answer<T> answer) implements Answer<T> {

    /** The answer to misuse. */
    static <T> Answer<T> of(String message) {
        return Promise.failed(new StoreException(message, false, new IllegalArgumentException(message)));
    }

    @Override
    public boolean isDone() {
        return answer.isDone();
    }

    @Override
    public T now() {
        return unwrapped(answer::now);
    }

    @Override
    public T await(Duration timeout) {
        return unwrapped(() -> answer.await(timeout));
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        answer.whenDone(callback);
    }

    private static <T> T unwrapped(Supplier<T> ask) {
        try {
            return ask.get();
        } catch (StoreException e) {
            if (e.getCause() instanceof IllegalArgumentException misuse) {
                throw misuse;
            }
            throw e;
        }
    }
}
