package dev.weir.engine.plan;

import dev.weir.engine.LimitResult;
import java.util.List;

/**
 * A limit that refuses a request because attributes of its key are missing.
 *
 * @param attributes the parts of {@code per} that the request lacks
 * @param result the result of the limit
 */
public record MissingKey(List<String> attributes, LimitResult result) {}
