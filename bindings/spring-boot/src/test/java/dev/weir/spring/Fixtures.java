package dev.weir.spring;

import dev.weir.Answer;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.remote.Promise;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Engines whose stores behave like remote stores. */
final class Fixtures {
    private Fixtures() {}

    /** Returns an engine whose store always fails. */
    static Weir broken(String limits) {
        Store store = (Store) Proxy.newProxyInstance(
                Fixtures.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    throw new StoreException("connection refused", true, null);
                });
        return engine(limits, store);
    }

    /** Returns an engine whose store is in memory and answers a little later, in another thread. */
    static Weir elsewhere(String limits) {
        MemoryStore memory = MemoryStore.create();
        Store store = (Store) Proxy.newProxyInstance(
                Fixtures.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(memory, arguments);
                    return answer instanceof Answer<?> now ? later(now) : answer;
                });
        return engine(limits, store);
    }

    private static <T> Answer<T> later(Answer<T> now) {
        Promise<T> promise = new Promise<>();
        CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS).execute(() -> promise.complete(now.now()));
        return promise;
    }

    private static Weir engine(String limits, Store store) {
        return Weir.of(
                new ConfigurationReader(name -> null)
                        .read("test.yaml", "version: 1\nlimits:\n" + limits)
                        .orThrow(),
                store,
                new InMemorySettings(),
                WeirOptions.defaults().withGuard(new GuardOptions(Duration.ofSeconds(5), 5, Duration.ofMillis(500))));
    }
}
