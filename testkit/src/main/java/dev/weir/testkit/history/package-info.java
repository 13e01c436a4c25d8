/** What can happen to a store, one step after another: generated, replayed, and written down as golden vectors. */
@NullMarked
package dev.weir.testkit.history;

import org.jspecify.annotations.NullMarked;
