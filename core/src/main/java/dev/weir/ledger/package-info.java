/** The operations of a store on a set of ledgers: all or nothing, with reservations and leases. */
@NullMarked
package dev.weir.ledger;

import org.jspecify.annotations.NullMarked;
