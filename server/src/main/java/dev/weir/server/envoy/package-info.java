/** Envoy's rate limit service without its transport: its configuration files and its decisions. */
@NullMarked
package dev.weir.server.envoy;

import org.jspecify.annotations.NullMarked;
