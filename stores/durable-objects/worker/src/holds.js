/**
 * The records of reservations and leases. A record contains its keys and policies in full, so the id alone is enough to
 * settle or release it.
 *
 * A reservation: 1 if closed (1 byte), expiry and creation time (7 bytes each), creation time by the wall clock (6 bytes), n
 * (2 bytes), then for every charge the key, the policy, the amount (7 bytes) and the reading; keys, policies and readings
 * after their length (2 bytes). A lease: expiry (7 bytes), lease after its length (2 bytes), n (2 bytes), then for every
 * charge key, policy and amount.
 */

import { framed, packed, Reader } from './bytes.js';
import { Damaged, Malformed, TooLarge } from './errors.js';
import { parseGiven } from './policy.js';

const LONGEST = 1 << 20;

/** The open or closed reservation under a key; null if there is none. */
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

/** The lease under a key; null if there is none. */
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

/** Encodes the same reservation, closed or open, with another expiry. */
export const endingText = ({ moment }, isClosed, left, { value }) =>
  packed(isClosed ? 1 : 0, 1) + packed(moment.now + left, 7) + value.slice(8);

export function leaseText({ budgets, moment }, ttl, lease, charges) {
  const head = packed(moment.now + ttl, 7) + framed(lease) + packed(charges.length, 2);
  return joined(head, charges, (charge) => chargeText(budgets, charge));
}

export const renewedText = ({ moment }, ttl, { value }) => packed(moment.now + ttl, 7) + value.slice(7);

/** Bounds a record: a short call can name a long key many times, and a row holds at most two million bytes. */
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
