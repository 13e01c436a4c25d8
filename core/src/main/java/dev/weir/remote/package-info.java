/** What stores share whose backend is a call away: answers that are on their way, and calls that carry many questions. */
@NullMarked
package dev.weir.remote;

import org.jspecify.annotations.NullMarked;
