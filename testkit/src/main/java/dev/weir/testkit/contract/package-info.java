/** The parts of the store contract; not API. Extend {@link dev.weir.testkit.StoreContract} and its siblings instead. */
@NullMarked
package dev.weir.testkit.contract;

import org.jspecify.annotations.NullMarked;
