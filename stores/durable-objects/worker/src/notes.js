/**
 * Notes: short texts with an expiry, beside the budgets. The store keeps in them which shards have the records of a
 * reservation or a lease, if there are several.
 *
 * A request has the name after its length, then the time to live in milliseconds (two numbers of four bytes, the higher
 * first; 0 leaves it unchanged), then, to write a note, the text after its length. The response is the note.
 */

import { Malformed } from './errors.js';
import { answered, bytesAnswered } from './http.js';
import { bytesOf, Reader, textOf } from './bytes.js';

const LONGEST_MILLIS = 2 ** 48;
/** Names of notes: a prefix, a tag, and the letter of notes, which no budget or record has. */
const NAME = /^[\w.:-]{1,64}:\{[0-9a-f]{2}\}i/;

/** @param neverEnds true in tests, because their clock is not known here */
export function noted(body, storage, nowMillis, neverEnds) {
  const { name, millis, text } = readNote(body);
  const note = text ?? storage.read([name])[0];
  if (note === null) return answered(204);
  if (millis > 0) storage.write(name, note, neverEnds ? null : nowMillis + millis);
  return bytesAnswered(bytesOf(note));
}

function readNote(body) {
  const reader = new Reader(textOf(body), 'the note');
  const name = reader.text(reader.number(4));
  if (!NAME.test(name)) throw new Malformed('the name is not that of a note');
  const millis = reader.number(4) * 2 ** 32 + reader.number(4);
  if (millis > LONGEST_MILLIS) throw new Malformed('the note is to live for too long');
  const text = reader.isDone ? null : reader.text(reader.number(4));
  reader.end();
  if (text !== null && millis === 0) throw new Malformed('a note that is written needs a time to live');
  return { name, millis, text };
}
