/** Decisions for HTTP clients: status, headers and document, for the server and all bindings. */
@NullMarked
package dev.weir.engine.http;

import org.jspecify.annotations.NullMarked;
