package dev.weir.server;

import dev.weir.Answer;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/** The memory store as a remote one: it decides at once, and completes the result when the test lets it. */
public final class DelayedStore {
    /** The URI of a store whose results may be as late as the test needs. */
    public static final String URI = "later:patient";

    /** The URI of a store with the usual timeout. */
    public static final String HASTY_URI = "later:hasty";

    /** The calls whose results are pending. */
    public static final Queue<Runnable> WAITING = new ConcurrentLinkedQueue<>();

    private DelayedStore() {}

    public static void answerAll() {
        for (Runnable answer = WAITING.poll(); answer != null; answer = WAITING.poll()) {
            answer.run();
        }
    }

    /** The provider that the engine finds. */
    public static final class Provider implements StoreProvider {
        @Override
        public boolean knows(String uri) {
            return uri.equals(URI) || uri.equals(HASTY_URI);
        }

        @Override
        public Backend open(String uri, StoreEnvironment environment) {
            Store memory = MemoryStore.create();
            Store later = (Store) Proxy.newProxyInstance(
                    DelayedStore.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("deadline")) {
                            return uri.equals(URI) ? Duration.ofMinutes(1) : memory.deadline();
                        }
                        Object answer = method.invoke(memory, arguments);
                        return method.getName().equals("consume") ? new Later<>((Answer<?>) answer) : answer;
                    });
            return new Backend(later, new InMemorySettings());
        }
    }

    private static final class Later<T> implements Answer<T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();

        Later(Answer<T> ready) {
            WAITING.add(() -> future.complete(ready.now()));
        }

        @Override
        public boolean isDone() {
            return future.isDone();
        }

        @Override
        public T now() {
            return future.join();
        }

        @Override
        public T await(Duration timeout) {
            return future.orTimeout(timeout.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
                    .join();
        }

        @Override
        public void whenDone(BiConsumer<? super T, ? super StoreException> callback) {
            future.thenAccept(value -> callback.accept(value, null));
        }
    }
}
