package dev.weir.ledger;

import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;

/** The state of a key and the policy under which it is kept. */
public record Budget(PolicyModel model, Ledger ledger) {}
