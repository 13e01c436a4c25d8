/** Reservations: the commands reserve, settle, cancel and prolong. */

import { numberAt, packed } from './bytes.js';
import { fresh, Note } from './budget.js';
import { decide, look } from './decide.js';
import { explain, SLOTS } from './policy.js';
import { Verb } from './request.js';
import { endingText, reservationOf, reservationText } from './holds.js';

/** How long a closed reservation is kept at most, in microseconds: a minute. */
const CLOSED_TTL = 60_000_000;
const UNKNOWN = '\x02\x00';
const DONE = '\x02\x01';
const CLOSED = '\x02\x02';
const OTHER_KEYS = '\x0b';

/** Makes a reservation, or peeks at the result without spending. */
export function reserve(call, { verb, key, ttl, charges }) {
  const { budgets, moment } = call;
  const known = reservationOf(call, key);
  if (known !== null) return repeated(budgets, known, charges);
  if (verb === Verb.LOOK_AT_RESERVE) return reserved(0, look(budgets, charges).readings);
  const { readings, fits } = decide(budgets, charges);
  if (fits) budgets.touch(key, new Note(reservationText(call, ttl, charges, readings), ttl));
  return reserved(fits ? moment.now : 0, readings);
}

export function settle(call, { key, costs }) {
  const known = reservationOf(call, key);
  if (known === null) return UNKNOWN;
  if (known.isClosed) return CLOSED;
  const scopes = new Set(known.charges.map(scopeOf));
  for (const scope of costs.keys()) {
    if (!scopes.has(scope)) return packed(6, 1) + packed(scope.length, 2) + scope;
  }
  return close(call, key, known, (charge) => costs.get(scopeOf(charge)) ?? charge.cost);
}

export function cancel(call, { key, at, forgets }) {
  const known = reservationOf(call, key);
  if (known === null || (at !== 0 && at !== known.at)) return UNKNOWN;
  if (known.isClosed) return CLOSED;
  const done = close(call, key, known, () => 0);
  if (forgets) call.budgets.touch(key, null);
  return done;
}

export function prolong(call, { key, ttl }) {
  const known = reservationOf(call, key);
  if (known === null || known.isClosed) return UNKNOWN;
  call.budgets.touch(key, new Note(endingText(call, false, ttl, known), ttl));
  return DONE;
}

/** Refunds or spends the difference and marks the record as closed. Reads everything before it changes anything. */
function close(call, key, known, actual) {
  const { budgets, moment } = call;
  const numbers = budgets.numbersOf(known.charges.map(({ name }) => name));
  known.charges.forEach(({ policy }, j) => {
    explain(policy, moment);
    budgets.load(numbers[j], policy);
    if (policy.kind < SLOTS) fresh(policy, moment);
  });
  known.charges.forEach((charge, j) => {
    budgets.adjust(numbers[j], charge.policy, actual(charge) - charge.cost, spentBy(known, charge));
  });
  const left = Math.min(known.ends - moment.now, CLOSED_TTL);
  budgets.touch(key, new Note(endingText(call, true, left, known), left));
  return DONE;
}

const reserved = (at, readings) => packed(3, 1) + packed(at, 7) + readings.join('');

/** The reply to a repeated reserve: the readings of the first, or an error if the keys differ. */
function repeated(budgets, known, charges) {
  const isSame = charges.length === known.charges.length
    && charges.every(({ key }, j) => budgets.names[key] === known.charges[j].name);
  return isSame ? reserved(known.at, known.charges.map(({ reading }) => reading)) : OTHER_KEYS;
}

/** The description of a spent charge for `adjust`. */
function spentBy({ at, atWall }, { reading }) {
  const seen = numberAt(reading, 0, 1) >= 64 ? numberAt(reading, 22, 2) : 0;
  return { at, atWall, left: numberAt(reading, 15, 7), seen };
}

/** The scope in a budget's name: the text between the letter of the kind and the first colon. */
const scopeOf = ({ name }) => /\}b([^:]*)/.exec(name)?.[1];
