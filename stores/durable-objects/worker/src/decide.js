/**
 * Spends the charges of a request, all or none.
 *
 * A reading is a status (1 byte: 0 admitted, 1 fits, 2 refused, 3 impossible), the remaining units, the time until the charge
 * fits and the time until the budget is full (7 bytes each). Times are microseconds; with 16 added to the status they are
 * milliseconds, with 32 seconds. With 64 added, the number of resets of the key at the same microsecond before the charge
 * follows (2 bytes).
 */

import { packed } from './bytes.js';
import { SLOTS } from './policy.js';

const ADMITTED = 0;
const FITS = 1;
const REFUSED = 2;
const IMPOSSIBLE = 3;
const MARKED = 64;

/** The readings of charges without spending: each as if those before it on the same key had been spent. */
export function look(budgets, charges) {
  const asked = new Map();
  let fits = true;
  const readings = charges.map(({ key, policy, cost }) => {
    const sum = (asked.get(key) ?? 0) + cost;
    asked.set(key, sum);
    const found = read(budgets.find(key, policy), sum);
    fits &&= found.fits;
    return found.reading;
  });
  return { readings, fits };
}

/** Spends all charges or none. @param holder the lease that takes slots, its expiry, and the units by key so far */
export function decide(budgets, charges, holder = null) {
  const { readings, fits } = look(budgets, charges);
  return { readings: fits ? charges.map((charge) => spend(budgets, charge, holder)) : readings, fits };
}

/** The reading after spending. */
export const admitted = (budget) => reading(budget, ADMITTED, 0);

function spend(budgets, { key, policy, cost }, holder) {
  const budget = budgets.under(key, policy);
  if (policy.kind === SLOTS) {
    hold(budgets, key, budget, cost, holder);
    return admitted(budget);
  }
  budget.spend(cost);
  budgets.touch(key, budget);
  const seen = budgets.resetsSeen(key);
  return seen === 0 ? admitted(budget) : reading(budget, ADMITTED + MARKED, 0) + packed(seen, 2);
}

/** Holds slots. A request may charge the same key several times; the lease stays one entry. */
function hold(budgets, key, slots, cost, holder) {
  budgets.keepSlots(key, slots);
  const before = holder.units.get(key) ?? 0;
  if (before > 0) slots.release(holder.lease, before);
  holder.units.set(key, before + cost);
  slots.hold(holder.lease, before + cost, holder.ends);
}

function read(budget, cost) {
  if (cost > budget.policy.cap) return { reading: reading(budget, IMPOSSIBLE, 0), fits: false };
  if (cost <= budget.available()) return { reading: reading(budget, FITS, 0), fits: true };
  return { reading: reading(budget, REFUSED, budget.retry(cost)), fits: false };
}

function reading(budget, status, retry) {
  const clock = budget.policy.clock ?? 0;
  return packed(status + clock, 1) + packed(Math.max(0, budget.available()), 7) + packed(retry, 7) + packed(budget.reset(), 7);
}
