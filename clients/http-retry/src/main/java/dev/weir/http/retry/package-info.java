/**
 * HTTP client for programs that call rate-limited APIs: it waits and retries according to the limits that servers
 * report.
 */
@NullMarked
package dev.weir.http.retry;

import org.jspecify.annotations.NullMarked;
