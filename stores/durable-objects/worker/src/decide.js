/**
 * Decisions: charges against budgets, all or nothing.
 *
 * A reading is a byte (0 admitted, 1 fits, 2 refused, 3 impossible), what remains, when the charge fits and when the budget
 * is whole (7 bytes each); with 16 added to the byte, the two times are milliseconds, with 32 seconds; with 64 added, how
 * many resets of the key came before at that very time follows (2 bytes).
 */

import { packed } from './bytes.js';
import { SLOTS } from './policy.js';

const ADMITTED = 0;
const FITS = 1;
const REFUSED = 2;
const IMPOSSIBLE = 3;
const MARKED = 64;

/** How several charges find their budgets: each as if those before it on the same key had been spent. */
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

/** Spends all or nothing. @param holder who holds slots: its lease, until when, and by key how many units so far */
export function decide(budgets, charges, holder = null) {
  const { readings, fits } = look(budgets, charges);
  return { readings: fits ? charges.map((charge) => spend(budgets, charge, holder)) : readings, fits };
}

/** What one reads who has spent. */
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

/** The same key may be charged several times; the lease is one. */
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
