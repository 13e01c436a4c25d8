/** Weir in a Spring Boot application: its properties, its engine, and what annotations and exceptions the code sees. */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;
