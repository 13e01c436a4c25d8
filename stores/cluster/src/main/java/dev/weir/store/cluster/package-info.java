/** The store whose budgets the nodes themselves hold, replicated by consensus. */
@NullMarked
package dev.weir.store.cluster;

import org.jspecify.annotations.NullMarked;
