package dev.weir.cli;

import java.time.Instant;
import java.util.Map;

/**
 * A request of an access log.
 *
 * @param at the time of the request
 * @param attributes the attributes in the line, by the names that a configuration uses
 */
record LoggedRequest(Instant at, Map<String, String> attributes) {}
