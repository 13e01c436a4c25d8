/** What a store must pass, and the clock to pass it by: {@code StoreContract}, {@code FakeClock} and what they need. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
