package dev.weir.ledger;

import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;

/** A key's state, and the policy under which it is kept. */
public record Budget(Meter meter, Ledger ledger) {}
