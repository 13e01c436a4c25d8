/**
 * Decisions: charges against budgets, all or nothing.
 *
 * A reading is a byte (0 admitted, 1 fits, 2 refused, 3 impossible), what remains, when the charge fits and when the budget
 * is whole (7 bytes each); with 128 added to the byte, the two times have three limbs of 3 bytes each, the highest first,
 * each below ten millions; with 64 added, how many resets of the key came before at that very time follows (2 bytes).
 */

import { packed } from './bytes.js';
import { SLOTS } from './policy.js';

const ADMITTED = 0;
const FITS = 1;
const REFUSED = 2;
const IMPOSSIBLE = 3;
const WIDE = 128;
const MARKED = 64;
const LIMB = 10_000_000n;

/** How several charges find their budgets: each as if those before it on the same key had been spent. */
export function look(budgets, charges) {
  for (const { key, policy } of charges) budgets.notice(key, policy);
  const asked = new Map();
  let fits = true;
  const readings = charges.map(({ key, policy, cost }) => {
    const sum = (asked.get(key) ?? 0) + cost;
    asked.set(key, sum);
    const found = read(budgets.under(key, policy), sum);
    fits &&= found.fits;
    return found.reading;
  });
  return { readings, fits };
}

/** Spends all or nothing. @param holder who holds slots: its lease, until when, and by key how many units so far */
export function decide(budgets, charges, holder = null) {
  if (charges.length === 1 && charges[0].policy.kind !== SLOTS) return consume(budgets, charges[0]);
  const { readings, fits } = look(budgets, charges);
  return { readings: fits ? charges.map((charge) => spend(budgets, charge, holder)) : readings, fits };
}

/** What one reads who has spent. */
export const admitted = (budget) => reading(budget, ADMITTED, 0);

/** The same, of what can be given back. */
function spentNow(budgets, key, budget) {
  const seen = budgets.resetsSeen(key);
  return seen === 0 ? admitted(budget) : reading(budget, ADMITTED + MARKED, 0) + packed(seen, 2);
}

/** A single charge, which is the usual case, is looked at and spent in one go. */
function consume(budgets, { key, policy, cost }) {
  budgets.notice(key, policy);
  const budget = budgets.under(key, policy);
  if (cost > policy.cap || cost > budget.available()) return { readings: [read(budget, cost).reading], fits: false };
  budget.spend(cost);
  budgets.touch(key, budget);
  return { readings: [spentNow(budgets, key, budget)], fits: true };
}

function spend(budgets, { key, policy, cost }, holder) {
  const budget = budgets.under(key, policy);
  if (policy.kind === SLOTS) {
    hold(budgets, key, budget, cost, holder);
    return admitted(budget);
  }
  budget.spend(cost);
  budgets.touch(key, budget);
  return spentNow(budgets, key, budget);
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
  const remaining = Math.max(0, budget.available());
  const reset = budget.reset();
  if (typeof reset === 'bigint') {
    return packed(status + WIDE, 1) + packed(remaining, 7) + limbs(BigInt(retry)) + limbs(reset);
  }
  return packed(status, 1) + packed(remaining, 7) + packed(retry, 7) + packed(reset, 7);
}

const limbs = (number) => [number / LIMB / LIMB, (number / LIMB) % LIMB, number % LIMB]
  .map((limb) => packed(Number(limb), 3)).join('');
