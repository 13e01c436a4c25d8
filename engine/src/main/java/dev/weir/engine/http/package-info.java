/** A decision as HTTP clients read it: status, headers and document, for the server and every binding alike. */
@NullMarked
package dev.weir.engine.http;

import org.jspecify.annotations.NullMarked;
