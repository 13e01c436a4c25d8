/** Reactive applications: the filter, before and behind authentication, and what a refused method is answered. */
@NullMarked
package dev.weir.spring.reactive;

import org.jspecify.annotations.NullMarked;
