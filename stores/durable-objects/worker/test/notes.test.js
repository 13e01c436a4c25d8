/** Notes: where the parts of what is held under an id are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Malformed } from '../src/errors.js';
import { noted } from '../src/notes.js';
import { MemoryStorage } from './memory-storage.js';

const NAME = 'weir:{0a}iid-1';
const NOW = 1_000_000;

function framed(text) {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const body = (name, millis, text) => new Uint8Array(Buffer.concat([
  framed(name), number(Math.floor(millis / 2 ** 32)), number(millis % 2 ** 32), ...(text === undefined ? [] : [framed(text)]),
]));

async function answer(response) {
  return response.status === 204 ? null : Buffer.from(await response.arrayBuffer()).toString('latin1');
}

test('a note is found until it is written again', async () => {
  const storage = new MemoryStorage();
  assert.equal(await answer(noted(body(NAME, 0), storage, NOW, false)), null);
  assert.equal(await answer(noted(body(NAME, 5000, '7:a\n\xff'), storage, NOW, false)), '7:a\n\xff');
  assert.equal(await answer(noted(body(NAME, 0), storage, NOW, false)), '7:a\n\xff');
  assert.equal(await answer(noted(body(NAME, 5000, 'other'), storage, NOW, false)), 'other');
  assert.equal(await answer(noted(body(NAME, 2 ** 33), storage, NOW, false)), 'other');
});

test('what is not there is not made by letting it live longer', async () => {
  const storage = new MemoryStorage();
  assert.equal(await answer(noted(body(NAME, 5000), storage, NOW, false)), null);
  assert.equal(await answer(noted(body(NAME, 0), storage, NOW, false)), null);
});

test('a note that makes no sense is refused, and nothing is changed', () => {
  const storage = new MemoryStorage();
  const whole = body(NAME, 5000, 'text');
  for (let end = 0; end < whole.length; end++) {
    // What ends after the time is a note that is to live longer.
    if (end !== whole.length - 8) assert.throws(() => noted(whole.slice(0, end), storage, NOW, false), Malformed, `${end}`);
  }
  assert.throws(() => noted(new Uint8Array([...whole, 0]), storage, NOW, false), Malformed);
  assert.throws(() => noted(body(NAME, 0, 'text'), storage, NOW, false), Malformed);
  assert.throws(() => noted(body(NAME, 2 ** 50, 'text'), storage, NOW, false), Malformed);
  for (const name of ['', 'weir:{0a}bgeneral:u1', 'weir:{0a}c', 'i', '{0a}i', 'weir:{zz}i', 'x'.repeat(65) + ':{0a}i']) {
    assert.throws(() => noted(body(name, 5000, 'text'), storage, NOW, false), Malformed, name);
  }
  assert.deepEqual(storage.read([NAME]), [null]);
});
