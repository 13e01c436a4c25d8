/** Support for operators: an endpoint, health, and meters. */
@NullMarked
package dev.weir.spring.actuate;

import org.jspecify.annotations.NullMarked;
