/** The server: parses requests, calls the engine, writes responses; it decides nothing itself. */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;
