/**
 * Rows of budgets, holds, policies and settings, and the database that holds them, for both kinds of database. Internal:
 * {@link dev.weir.store.jdbc.JdbcBackend} is the API.
 */
@NullMarked
package dev.weir.store.jdbc.rows;

import org.jspecify.annotations.NullMarked;
