/** Support for tests of applications on the Spring Boot starter. */
@NullMarked
package dev.weir.spring.test;

import org.jspecify.annotations.NullMarked;
