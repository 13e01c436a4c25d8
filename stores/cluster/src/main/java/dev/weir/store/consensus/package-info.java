/** Consensus by SOFAJRaft: nodes agree on one order of entries. It knows nothing of limits. */
@NullMarked
package dev.weir.store.consensus;

import org.jspecify.annotations.NullMarked;
