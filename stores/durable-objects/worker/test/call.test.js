/** Calls that make no sense: each is refused for what it is, before anything is changed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../src/answer.js';
import { bytesOf, packed } from '../src/bytes.js';
import { readCall } from '../src/call.js';
import { Malformed, Refused, TooLarge } from '../src/errors.js';
import { MemoryStorage } from './memory-storage.js';
import { RandomHistory } from './random-history.js';
import { bodyText, bucket, CallWriter, coarseBucket, shortBucket, slots } from './wire.js';

const KEY = 'weir:{00}bs:k';
const TEN = shortBucket(10, 6, 0, 6);

function ask(bytes, storage = new MemoryStorage()) {
  return answer(readCall(bytes, true), storage, 1_790_000_000_000);
}

const refuses = (bytes, kind, words) => {
  const storage = new MemoryStorage();
  assert.throws(() => ask(bytes, storage), (e) => e instanceof kind && words.test(e.message));
  assert.equal(storage.rows.size, 0);
};

test('a call that ends early is refused wherever it ends', () => {
  const whole = new CallWriter().consume([KEY, TEN, 1]).run(5, [KEY, TEN, 1]).body('1790000000000000 1790000000000000');
  assert.doesNotThrow(() => ask(whole));
  const withoutClock = whole.length - 4 - 33;
  for (let length = 0; length < whole.length; length++) {
    // Without its last part it is a call without a clock.
    if (length !== withoutClock) refuses(whole.subarray(0, length), Malformed, /ends \d+ bytes too early/);
  }
});

test('a call with bytes too many is refused', () => {
  const body = bodyText(['c', KEY], new CallWriter('c').consume([KEY, TEN, 1]).argument, '1 1');
  refuses(bytesOf(`${body}x`), Malformed, /1 bytes too many/);
});

test('only a worker under test takes a clock', () => {
  const body = new CallWriter().consume([KEY, TEN, 1]).body('1 1');
  assert.throws(() => readCall(body, false), /only a worker under test/);
});

test('a clock must be two numbers', () => {
  for (const given of ['', '1', '1 ', '1 x', '1  1', '12345678901234567 1', '1 1\n', '1e3 1']) {
    refuses(new CallWriter().consume([KEY, TEN, 1]).body(given), Malformed, /the clock must be/);
  }
});

test('keys are each there once, have some bytes, and are not too many', () => {
  const { argument } = new CallWriter();
  refuses(bytesOf(bodyText([], argument)), Malformed, /names no key/);
  refuses(bytesOf(bodyText(['c', 'a', 'a'], argument)), Malformed, /names a key twice/);
  refuses(bytesOf(bodyText(['c', ''], argument)), Malformed, /key 2 has 0 bytes/);
  refuses(bytesOf(bodyText(['c', 'k'.repeat(65_001)], argument)), Malformed, /key 2 has 65001 bytes/);
  refuses(bytesOf(bodyText(Array.from({ length: 2049 }, (_, i) => `k${i}`), argument)), TooLarge, /2049 keys/);
  refuses(bytesOf(packed(2 ** 32 - 1, 4)), TooLarge, /4294967295 keys/);
  refuses(new Uint8Array((1 << 20) + 1), TooLarge, /1048577 bytes/);
});

test('names that are properties of objects are names like others', () => {
  const storage = new MemoryStorage();
  const call = new CallWriter('constructor');
  for (const name of ['__proto__', 'prototype', 'toString', 'hasOwnProperty']) {
    call.consume([name, TEN, 1]).settle('valueOf', [['__proto__', 1]]);
  }
  assert.equal(ask(call.body(), storage).length, 14 + 4 * (23 + 2));
  assert.equal(storage.rows.size, 5);
  assert.equal({}.value, undefined);
});

test('a question names only what the call has', () => {
  const call = () => new CallWriter();
  const argument = (question) => packed(1, 2) + packed(TEN.length, 2) + TEN + packed(question.length, 3) + question;
  const body = (question) => bytesOf(bodyText(['c', KEY], argument(question)));
  const charge = (key, policy, cost) => packed(key, 2) + packed(policy, 2) + packed(cost, 7);
  refuses(body(packed(1, 1) + packed(1, 2) + charge(1, 1, 1)), Malformed, /names key 1; it may name 2 to 2/);
  refuses(body(packed(1, 1) + packed(1, 2) + charge(3, 1, 1)), Malformed, /names key 3/);
  refuses(body(packed(1, 1) + packed(1, 2) + charge(2, 0, 1)), Malformed, /names policy 0/);
  refuses(body(packed(1, 1) + packed(1, 2) + charge(2, 2, 1)), Malformed, /names policy 2; the call has 1/);
  refuses(body(packed(1, 1) + packed(1, 2) + charge(2, 1, 0)), Malformed, /costs nothing/);
  refuses(body(packed(1, 1) + packed(9, 2) + charge(2, 1, 1)), Malformed, /a question ends/);
  refuses(body(packed(16, 1)), Malformed, /the verb 16/);
  refuses(body(packed(0, 1)), Malformed, /the verb 0/);
  refuses(body(''), Malformed, /a question ends 1 bytes too early/);
  refuses(body(`${packed(11, 1)}${packed(2, 2)}more`), Malformed, /a question has 4 bytes too many/);
  refuses(call().consume([KEY, slots(3), 1]).body(), Malformed, /slots cannot be spent/);
  refuses(call().run(9, [KEY, slots(3), 1]).body(), Malformed, /slots cannot be spent/);
});

test('a policy must be one that can be kept exactly', () => {
  const wrong = [
    '\xa0', '\xff', '\x10', '\x17\x07', '\x41\x01\x00\x05', '\x00\x00\x00\x00\x00', '\x60',
    bucket(2 ** 40, 1, 2 ** 20), coarseBucket(3, 10, 0, 5), coarseBucket(3, 0, 1, 5), coarseBucket(3, 5, 1, 5, 6),
    coarseBucket(4, 5, 1, 5), coarseBucket(3, 2 ** 40, 1, 2 ** 20), '\x30\x0810:1:5:10', `${TEN}x`, '\x48\xff' + '\xff'.repeat(263),
  ];
  for (const policy of wrong) {
    refuses(new CallWriter().consume([KEY, policy, 1]).body(), Malformed, /a policy|out of range/);
  }
});

test('what takes long to answer is bounded', () => {
  const call = new CallWriter();
  for (let i = 0; i < 2; i++) call.run(40_000, [KEY, TEN, 1]);
  refuses(call.body(), TooLarge, /more than 65536 readings/);
  const many = new CallWriter();
  for (let i = 0; i < 8193; i++) many.firstSeen('m');
  refuses(many.body(), TooLarge, /more than 8192 questions/);
});

test('calls with bytes changed at random are answered or refused, and never fail', () => {
  const counts = { answered: 0, refused: 0 };
  let state = 7;
  const below = (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  for (let seed = 1; seed <= 300; seed++) {
    const storage = new MemoryStorage();
    const history = new RandomHistory(seed);
    for (let i = 0; i < 40; i++) {
      const { keys, argument, given } = history.next();
      const bytes = bytesOf(bodyText(keys, argument, `${given.now} ${given.wall * 1000}`));
      for (let left = below(4); left > 0; left--) bytes[below(bytes.length)] = below(256);
      try {
        ask(bytes, storage);
        counts.answered++;
      } catch (e) {
        if (![Malformed, TooLarge, Refused].some((kind) => e instanceof kind)) throw e;
        counts.refused++;
      }
    }
  }
  assert.ok(counts.answered > 3000 && counts.refused > 1000, JSON.stringify(counts));
});
