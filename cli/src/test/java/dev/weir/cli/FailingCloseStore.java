package dev.weir.cli;

import dev.weir.Store;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/** A memory store whose {@code close} throws an error or hangs. The engine finds it as a service. */
public final class FailingCloseStore implements StoreProvider {
    static final String FAILS = "fails-to-close:";
    static final String HANGS = "hangs-when-closed:";

    @Override
    public boolean knows(String uri) {
        return uri.equals(FAILS) || uri.equals(HANGS);
    }

    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        Store memory = MemoryStore.create();
        Store store = (Store) Proxy.newProxyInstance(
                FailingCloseStore.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (uri.equals(FAILS)) {
                            throw new LinkageError("of a test");
                        }
                        new CountDownLatch(1).await();
                    }
                    return method.invoke(memory, arguments);
                });
        return new Backend(store, new InMemorySettings());
    }
}
