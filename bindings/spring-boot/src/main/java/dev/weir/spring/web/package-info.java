/** Shared by servlet and reactive applications: which requests are limited, and the sources of attributes. */
@NullMarked
package dev.weir.spring.web;

import org.jspecify.annotations.NullMarked;
