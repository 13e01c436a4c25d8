/** The SQLite database: one upsert for a single plain charge, a transaction for everything else. Internal. */
@NullMarked
package dev.weir.store.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
