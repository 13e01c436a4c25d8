/**
 * A configuration made ready for decisions: from the attributes of a request to the charges of every limit that
 * applies. Internal: {@link dev.weir.engine.Weir} is the API.
 */
@NullMarked
package dev.weir.engine.plan;

import org.jspecify.annotations.NullMarked;
