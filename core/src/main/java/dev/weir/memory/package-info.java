/** The store inside this process: counts in memory, without locks on the common path and without garbage. */
@NullMarked
package dev.weir.memory;

import org.jspecify.annotations.NullMarked;
