/** Servlet applications: the filter, registered, and what a refused method is answered. */
@NullMarked
package dev.weir.spring.servlet;

import org.jspecify.annotations.NullMarked;
