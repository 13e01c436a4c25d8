/** Servlet applications: registration of the filter, and the response to refused method calls. */
@NullMarked
package dev.weir.spring.servlet;

import org.jspecify.annotations.NullMarked;
