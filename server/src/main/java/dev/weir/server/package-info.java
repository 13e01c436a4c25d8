/** The service: reads requests, asks the engine, writes answers; it decides nothing itself. */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;
