/** Consensus: several nodes agree on one order of entries, and lose none that was acknowledged; it knows no limits. */
@NullMarked
package dev.weir.store.raft;

import org.jspecify.annotations.NullMarked;
