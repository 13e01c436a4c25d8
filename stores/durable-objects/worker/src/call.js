/**
 * The wire format of a call:
 *
 *   number of keys, each key after its length; the argument after its length; in a test, the clock after its length
 *
 * Numbers and lengths have 4 bytes. The first key is the clock of the shard; the others are the keys that the requests name,
 * each once. The argument: number of policies (2 bytes), each after its length (2 bytes), see policy.js; then the requests, see
 * `request.js`. The clock of a test: "now wall", both in microseconds.
 */

import { Reader, textOf } from './bytes.js';
import { Malformed, TooLarge } from './errors.js';

export const MOST_BYTES = 1 << 20;
const MOST_KEYS = 2048;
/** Maximum length of a key, because records and messages have lengths of 2 bytes. */
const LONGEST_KEY = 65_000;

/** @param isTimed whether a call may carry the clock of a test */
export function readCall(bytes, isTimed) {
  if (bytes.length > MOST_BYTES) {
    throw new TooLarge(`the call has ${bytes.length} bytes; at most ${MOST_BYTES} are taken`);
  }
  const reader = new Reader(textOf(bytes), 'the call');
  const keys = readKeys(reader);
  const argument = reader.text(reader.number(4));
  if (reader.isDone) return { keys, argument, given: null };
  if (!isTimed) {
    throw new Malformed('the call brings a clock, or has bytes too many; only a worker under test takes a clock');
  }
  const given = readClock(reader.text(reader.number(4)));
  reader.end();
  return { keys, argument, given };
}

function readKeys(reader) {
  const count = reader.number(4);
  if (count < 1) throw new Malformed('the call names no key; the first must be the clock');
  if (count > MOST_KEYS) throw new TooLarge(`the call names ${count} keys; at most ${MOST_KEYS} are taken`);
  const keys = [];
  for (let i = 0; i < count; i++) {
    const length = reader.number(4);
    if (length < 1 || length > LONGEST_KEY) {
      throw new Malformed(`key ${i + 1} has ${length} bytes; it must have 1 to ${LONGEST_KEY}`);
    }
    keys.push(reader.text(length));
  }
  if (new Set(keys).size < count) throw new Malformed('the call names a key twice');
  return keys;
}

function readClock(text) {
  const [, now, wall] = /^(-?\d{1,16}) (-?\d{1,16})$/.exec(text) ?? [];
  if (now === undefined) throw new Malformed('the clock must be "now wall", both in microseconds');
  return { now: Number(now), wall: Math.floor(Number(wall) / 1000) };
}
