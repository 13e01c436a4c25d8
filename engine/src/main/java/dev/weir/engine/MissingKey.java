package dev.weir.engine;

import java.util.List;

/**
 * A limit that refuses a request for want of attributes.
 *
 * @param attributes the parts of {@code per} that the request lacks
 * @param result what the limit says
 */
record MissingKey(List<String> attributes, LimitResult result) {}
