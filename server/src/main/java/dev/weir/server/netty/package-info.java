/** All that relies on what Vert.x does not promise: its pipeline, the names in it, its transport. Knows nothing of Weir. */
@NullMarked
package dev.weir.server.netty;

import org.jspecify.annotations.NullMarked;
