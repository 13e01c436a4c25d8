package dev.weir.server;

import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.memory.TimeSource;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;

/** The memory store with a clock that stands still, so that results do not depend on how busy the machine is. */
public final class FixedClockStore {
    public static final String URI = "still:";

    private FixedClockStore() {}

    /** The provider that the engine finds. */
    public static final class Provider implements StoreProvider {
        @Override
        public boolean knows(String uri) {
            return uri.equals(URI);
        }

        @Override
        public Backend open(String uri, StoreEnvironment environment) {
            MemoryStoreOptions options = MemoryStoreOptions.defaults().timeSource(new Still());
            return new Backend(MemoryStore.create(options), new InMemorySettings());
        }
    }

    private static final class Still implements TimeSource {
        private final long epochMillis = System.currentTimeMillis();

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long epochMillis() {
            return epochMillis;
        }
    }
}
