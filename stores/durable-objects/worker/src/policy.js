/**
 * The encoding of policies, in calls and before every state. The high half of the first byte is the kind; the field before |
 * is the low half. Widths are numbers of bytes; durations are microseconds.
 *
 *   0 short bucket   exponent of capacity | exponent of token (4 bits), capacity, token (14 bits each): each number is
 *                    multiplied by its power of ten, the tick is 1
 *   1 bucket         width of capacity | (width of tick, width of token), capacity, tick, token
 *   2 bucket with an initial fill: the same, then width of initial, initial
 *   3 bucket on a coarser clock: as 2, then how many zeros a tick has in microseconds (1 byte: 3 or 6)
 *   4 fixed window   width of limit | width of period, limit, period
 *   5 sliding window likewise
 *   6 streak         width of quiet | quiet
 *   7 calendar       width of limit | limit, unit (1 byte), length of zone, zone
 *   8 slots          width of slots | slots
 *   9 closed         0 |
 *
 * A width of 0 for the tick means a tick of 1. In calls and records, some policies are followed by data that is not part of
 * their identity:
 *
 *   0, 1             in records of earlier versions, 22 bytes that are not used
 *   2, 3             when the store first saw the policy (7 bytes)
 *   7                start and end of the current window, and end of the next, in wall-clock milliseconds (6 bytes each)
 */

import { Reader, widthOf } from './bytes.js';
import { Malformed } from './errors.js';

export const SLOTS = 8;

const MOST_COUNT = 1e15;
/** Upper bound of a bucket's numbers: four of them add up to less than 2^53. */
const MOST_UNITS = 2 ** 50;
/** Upper bound of durations, in microseconds. */
const LONGEST = 2 ** 54;
const POWERS = Array.from({ length: 16 }, (_, i) => Number(`1e${i}`));

const kinds = [
  shortBucket, bucket, bucketWithInitial, coarseBucket, window, window, streak, calendar, slots, () => ({ cap: 0 }),
];
/** By kind, how many bytes of additional data may follow a policy. */
const EXTRAS = [22, 22, 7, 7, 0, 0, 0, 18, 0, 0];

/** Decodes the policy at the beginning of a text: its numbers, and as `prefix` the bytes of its identity. */
export function parse(text) {
  const reader = new Reader(text, 'a policy');
  const first = reader.number(1);
  const kind = first >> 4;
  if (kind >= kinds.length) throw new Malformed(`a policy is of kind ${kind}, which is none`);
  const policy = kinds[kind](reader, first & 15);
  policy.kind = kind;
  policy.prefix = text.slice(0, reader.at);
  return policy;
}

/** Decodes a policy with its additional data, if any. */
export function parseGiven(text) {
  const policy = parse(text);
  const extra = text.length - policy.prefix.length;
  if (extra !== 0 && extra !== EXTRAS[policy.kind]) {
    throw new Malformed(`a policy of kind ${policy.kind} is followed by ${extra} bytes`);
  }
  policy.given = text;
  return policy;
}

/** Stores the additional data of a policy for the duration of the call. */
export function explain({ kind, prefix, given }, moment) {
  if (given.length === prefix.length) return;
  const reader = new Reader(given, 'a policy', prefix.length);
  if (kind === 7) moment.learnSpan(prefix, { from: reader.signed(6), to: reader.signed(6), beyond: reader.signed(6) });
  else if (kind > 1) moment.learnMeeting(prefix, reader.number(7));
}

function shortBucket(reader, exponent) {
  const numbers = reader.number(4);
  const cap = ((numbers >>> 14) & 16_383) * POWERS[exponent];
  return { ...numbersOf(cap, 1, (numbers & 16_383) * POWERS[numbers >>> 28]), size: 7 };
}

function bucket(reader, width) {
  const widths = reader.number(1);
  const cap = reader.number(width);
  const tick = widths >> 4 === 0 ? 1 : reader.number(widths >> 4);
  return numbersOf(cap, tick, reader.number(widths & 15));
}

function bucketWithInitial(reader, width) {
  const policy = bucket(reader, width);
  const initial = reader.number(reader.number(1));
  check(initial <= policy.cap, 'bucket');
  return { ...policy, initial: initial < policy.cap ? initial : null };
}

function coarseBucket(reader, width) {
  const policy = bucketWithInitial(reader, width);
  const zeros = reader.number(1);
  check(zeros === 3 || zeros === 6, 'bucket');
  return { ...policy, unit: POWERS[zeros], clock: 16 * (zeros / 3) };
}

/** @returns the numbers; `size` is the bytes of a state (a deficit and a time), `unit` the microseconds of a tick */
function numbersOf(cap, tick, token) {
  const full = cap * token;
  check(cap >= 1 && tick >= 1 && token >= 1 && full <= MOST_UNITS && tick <= MOST_UNITS, 'bucket');
  return { cap, tick, token, full, initial: null, size: widthOf(2 * full) + 7, unit: 1 };
}

function window(reader, width) {
  const periodWidth = reader.number(1);
  return counted({ cap: reader.number(width), period: reader.number(periodWidth) });
}

function streak(reader, width) {
  return counted({ cap: MOST_COUNT, period: reader.number(width) });
}

function calendar(reader, width) {
  const policy = counted({ cap: reader.number(width), period: 1 });
  reader.number(1);
  reader.text(reader.number(1));
  return policy;
}

function slots(reader, width) {
  return counted({ cap: reader.number(width), period: 1 });
}

/** Adds `used`, the number of bytes of a count. */
function counted(policy) {
  check(policy.cap >= 1 && policy.cap <= MOST_COUNT && policy.period >= 1 && policy.period <= LONGEST, 'window');
  return { ...policy, used: widthOf(2 * policy.cap) };
}

function check(isRight, what) {
  if (!isRight) throw new Malformed(`the numbers of a ${what} are out of range`);
}
