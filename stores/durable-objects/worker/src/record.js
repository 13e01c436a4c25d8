/**
 * Reservations and leases: what is held under an id. A record names its keys and policies in full, so that whoever knows
 * the id can settle or release it.
 *
 * A reservation: 1 if it is closed (1 byte), its end, its time, its time on the wall, n, then for every charge key and
 * policy (each with its length), amount, and the reading (with its length). A lease: its end, lease (with its length), n,
 * then for every charge key, policy and amount.
 */

import { framed, packed, Reader } from './bytes.js';
import { Damaged, Malformed, TooLarge } from './errors.js';
import { parseGiven } from './policy.js';

const LONGEST = 1 << 20;

/** The open or closed reservation under a key; null for none. */
export function reservationOf({ budgets, moment }, k) {
  return readRecord(budgets, k, (reader, value) => {
    const isClosed = reader.number(1) === 1;
    const ends = reader.number(7);
    if (moment.now >= ends) return null;
    const at = reader.number(7);
    const atWall = reader.signed(6);
    return { value, isClosed, ends, at, atWall, charges: readCharges(reader, true) };
  });
}

/** The lease under a key; null for none. */
export function leaseOf({ budgets, moment }, k) {
  return readRecord(budgets, k, (reader, value) => {
    const ends = reader.number(7);
    if (moment.now >= ends) return null;
    const lease = reader.framed();
    return { value, ends, lease, charges: readCharges(reader, false) };
  });
}

export function reservationText({ budgets, moment }, ttl, charges, readings) {
  const head = packed(0, 1) + packed(moment.now + ttl, 7) + packed(moment.now, 7) + packed(moment.wall, 6);
  return joined(head + packed(charges.length, 2), charges, (charge, j) => chargeText(budgets, charge) + framed(readings[j]));
}

/** The same reservation, closed or open, with another end. */
export const endingText = ({ moment }, isClosed, left, { value }) =>
  packed(isClosed ? 1 : 0, 1) + packed(moment.now + left, 7) + value.slice(8);

export function leaseText({ budgets, moment }, ttl, lease, charges) {
  const head = packed(moment.now + ttl, 7) + framed(lease) + packed(charges.length, 2);
  return joined(head, charges, (charge) => chargeText(budgets, charge));
}

export const renewedText = ({ moment }, ttl, { value }) => packed(moment.now + ttl, 7) + value.slice(7);

/** A short call can name a long key very often, and a row has room for two millions of bytes. */
function joined(head, charges, textOf) {
  let text = head;
  charges.forEach((charge, j) => {
    text += textOf(charge, j);
    if (text.length > LONGEST) throw new TooLarge(`what is held under one id takes more than ${LONGEST} bytes`);
  });
  return text;
}

const chargeText = (budgets, { key, policy, cost }) =>
  framed(budgets.names[key]) + framed(policy.given) + packed(cost, 7);

function readRecord(budgets, k, read) {
  const value = budgets.note(k);
  if (value === null) return null;
  try {
    return read(new Reader(value, 'a record'), value);
  } catch (e) {
    if (e instanceof Malformed) throw new Damaged(budgets.names[k]);
    throw e;
  }
}

function readCharges(reader, hasReadings) {
  const charges = [];
  for (let left = reader.number(2); left > 0; left--) {
    const name = reader.framed();
    const policy = parseGiven(reader.framed());
    charges.push({ name, policy, cost: reader.number(7), reading: hasReadings ? reader.framed() : null });
  }
  reader.end();
  return charges;
}
