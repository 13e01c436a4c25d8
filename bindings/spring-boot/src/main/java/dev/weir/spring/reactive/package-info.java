/** Reactive applications: the filters before and behind authentication, and the response to refused method calls. */
@NullMarked
package dev.weir.spring.reactive;

import org.jspecify.annotations.NullMarked;
