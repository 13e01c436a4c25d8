/** Limits, headers and idempotency for Jakarta Servlet applications, as a filter. */
@NullMarked
package dev.weir.binding.servlet;

import org.jspecify.annotations.NullMarked;
