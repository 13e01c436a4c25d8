/**
 * A call as it comes over the wire:
 *
 *   number of keys, each with its length; length, what is asked; and in a test: length, the clock   (numbers of 4 bytes)
 *
 * The first key is the clock of the shard, the others are all that the questions name, each once. What is asked: how many
 * policies (2 bytes), each with its length (2 bytes), see policy.js; then the questions, see question.js. A test's clock:
 * "now wall", both in microseconds.
 */

import { Reader, textOf } from './bytes.js';
import { Malformed, TooLarge } from './errors.js';

export const MOST_BYTES = 1 << 20;
const MOST_KEYS = 2048;
/** Records and answers name keys with lengths of 2 bytes, and some words around them. */
const LONGEST_KEY = 65_000;

/** @param isTimed whether a test may bring its own clock */
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
