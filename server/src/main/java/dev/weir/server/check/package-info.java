/** The routes that decide: checks, reservations and leases, forward authentication, WebSockets. */
@NullMarked
package dev.weir.server.check;

import org.jspecify.annotations.NullMarked;
