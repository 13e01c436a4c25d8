/** What servlet and reactive applications have in common: which requests are limited, and where attributes are found. */
@NullMarked
package dev.weir.spring.web;

import org.jspecify.annotations.NullMarked;
