/** A servlet filter with limits, headers and idempotency, for Jakarta Servlet applications. */
@NullMarked
package dev.weir.binding.servlet;

import org.jspecify.annotations.NullMarked;
