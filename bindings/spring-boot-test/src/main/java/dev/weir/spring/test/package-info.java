/** Test support for applications that use the Spring Boot starter. */
@NullMarked
package dev.weir.spring.test;

import org.jspecify.annotations.NullMarked;
