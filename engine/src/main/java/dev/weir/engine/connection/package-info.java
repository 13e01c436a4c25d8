/** Limits on concurrent connections and streams: each holds a slot by a lease until it ends. */
@NullMarked
package dev.weir.engine.connection;

import org.jspecify.annotations.NullMarked;
