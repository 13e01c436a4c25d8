package dev.weir.cli;

import java.time.Instant;
import java.util.Map;

/**
 * A line of an access log.
 *
 * @param at when the request came
 * @param attributes what the line tells of it, by the names that a configuration uses
 */
record Visit(Instant at, Map<String, String> attributes) {}
