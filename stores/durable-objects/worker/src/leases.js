/** Leases, which hold slots until they are released or expire: the commands acquire, renew and release. */

import { Note } from './budget.js';
import { admitted, decide, look } from './decide.js';
import { SLOTS } from './policy.js';
import { Verb } from './request.js';
import { leaseOf, leaseText, renewedText } from './holds.js';
import { Slots } from './slots.js';

const NO = '\x02\x00';
const YES = '\x02\x01';
const NEW = '\x04\x00';
const HELD = '\x04\x01';

/** Acquires a lease, or peeks at the result without holding anything. */
export function acquire(call, { verb, key, ttl, lease: name, charges }) {
  const { budgets, moment } = call;
  const lease = leaseOf(call, key);
  if (verb === Verb.LOOK_AT_ACQUIRE) {
    const isHeld = lease !== null && holdsAll(budgets, lease, holdings(budgets, lease));
    return isHeld ? HELD + heldReadings(budgets, charges) : NEW + look(budgets, charges).readings.join('');
  }
  if (lease !== null) {
    // Finds damaged values before anything is changed.
    heldReadings(budgets, charges);
    if (prolong(call, key, lease, ttl)) return HELD + heldReadings(budgets, charges);
  }
  const { readings, fits } = decide(budgets, charges, { lease: name, ends: moment.now + ttl, units: new Map() });
  if (fits) budgets.touch(key, new Note(leaseText(call, ttl, name, charges), ttl));
  return NEW + readings.join('');
}

export function renew(call, { key, ttl }) {
  const lease = leaseOf(call, key);
  return lease !== null && prolong(call, key, lease, ttl) ? YES : NO;
}

export function release(call, { key }) {
  const lease = leaseOf(call, key);
  if (lease === null) return NO;
  drop(call.budgets, key, lease);
  return YES;
}

/** Extends a lease. If one of its slots is lost, releases all others and returns false. */
function prolong(call, key, lease, ttl) {
  const { budgets, moment } = call;
  const units = holdings(budgets, lease);
  if (!holdsAll(budgets, lease, units)) {
    drop(budgets, key, lease);
    return false;
  }
  for (const [k, count] of units) {
    budgets.load(k).hold(lease.lease, count, moment.now + ttl);
    budgets.hasWritten = true;
  }
  budgets.touch(key, new Note(renewedText(call, ttl, lease), ttl));
  return true;
}

function drop(budgets, key, lease) {
  for (const [k, count] of holdings(budgets, lease)) {
    const slots = budgets.load(k);
    if (slots instanceof Slots) {
      slots.release(lease.lease, count);
      budgets.hasWritten = true;
    }
  }
  budgets.touch(key, null);
}

/** The number of slots that a lease holds, by key. */
function holdings(budgets, { charges }) {
  const held = charges.filter(({ policy }) => policy.kind === SLOTS);
  const numbers = budgets.numbersOf(held.map(({ name }) => name));
  const units = new Map();
  held.forEach(({ cost }, j) => units.set(numbers[j], (units.get(numbers[j]) ?? 0) + cost));
  return units;
}

/** Whether the lease still holds all its slots. */
function holdsAll(budgets, { lease }, units) {
  for (const [k, count] of units) {
    const slots = budgets.load(k);
    if (!(slots instanceof Slots && slots.holds(lease, count))) return false;
  }
  return true;
}

/** The readings of an existing lease, which spends nothing new. */
const heldReadings = (budgets, charges) =>
  charges.map(({ key, policy }) => admitted(budgets.under(key, policy))).join('');
