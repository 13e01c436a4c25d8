/**
 * Code that relies on internals of Vert.x: its pipeline, the names of handlers, its transport. It does not depend on
 * Weir.
 */
@NullMarked
package dev.weir.server.netty;

import org.jspecify.annotations.NullMarked;
