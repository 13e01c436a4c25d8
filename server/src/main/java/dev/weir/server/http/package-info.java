/** What every route needs: routing, access, connections, bodies, responses and errors. */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
