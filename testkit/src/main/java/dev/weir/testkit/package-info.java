/** Contract tests that every store must pass, and the fake clock and helpers that they need. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
