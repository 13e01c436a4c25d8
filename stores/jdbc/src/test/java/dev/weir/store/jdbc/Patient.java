package dev.weir.store.jdbc;

import java.time.Duration;

/** Options for tests that are not about time: a machine may be busy for longer than an application would wait. */
final class Patient {
    static final JdbcStoreOptions OPTIONS = JdbcStoreOptions.defaults().withTimeout(Duration.ofMinutes(1));

    private Patient() {}
}
