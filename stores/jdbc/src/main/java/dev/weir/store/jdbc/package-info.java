/** Budgets, holds and settings in a SQL database: SQLite in this process, or PostgreSQL. */
@NullMarked
package dev.weir.store.jdbc;

import org.jspecify.annotations.NullMarked;
