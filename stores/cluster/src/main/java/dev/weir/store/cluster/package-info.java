/** A store whose nodes hold all budgets themselves, replicated by consensus. */
@NullMarked
package dev.weir.store.cluster;

import org.jspecify.annotations.NullMarked;
