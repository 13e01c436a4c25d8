/** What is decided, by numbers that were worked out by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../src/answer.js';
import { numberAt } from '../src/bytes.js';
import { Refused, TooLarge } from '../src/errors.js';
import { MemoryStorage } from './memory-storage.js';
import {
  bucket, calendar, CallWriter, closed, coarseBucket, fixedWindow, SECOND, shortBucket, slidingWindow, slots, withFirstSeen,
} from './wire.js';

const START = 1_790_000_000_000;
const WEEK = 7 * 86_400_000;
/** How many bytes a key has of which nothing is known but when it was reset. */
const MARK_LENGTH = 10;
const CLOCK = 'weir:{00}c';
const KEY = 'weir:{00}buser:u1';
const OTHER = 'weir:{00}buser:u2';
const LEASE = 'weir:{00}lid';
/** Ten, one of which comes back every six seconds. */
const TEN = shortBucket(10, 6, 0, 6);

class Store {
  storage = new MemoryStorage();
  millis = START;

  /** The answers, without what stands before them. */
  ask(fill) {
    const { keys, argument } = fill(new CallWriter());
    const reply = answer({ keys, argument, given: null }, this.storage, this.millis);
    this.hasWritten = reply.charCodeAt(0) === 1;
    this.now = numberAt(reply, 1, 7);
    return reply.slice(14);
  }

  /** The readings of the only question. */
  readings(fill, at = 1) {
    const answers = this.ask(fill);
    const all = [];
    for (let i = at; i < answers.length; i += 22) {
      all.push([answers.charCodeAt(i), ...[1, 8, 15].map((part) => numberAt(answers, i + part, 7))]);
    }
    return all;
  }
}

test('consume spends what fits, and says what remains and when the rest is back', () => {
  const store = new Store();
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 4])), [[0, 6, 0, 24 * SECOND]]);
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 7])), [[2, 6, 6 * SECOND, 24 * SECOND]]);
  assert.equal(store.hasWritten, false);
  store.millis += 6_000;
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 7])), [[0, 0, 0, 60 * SECOND]]);
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 11])), [[3, 0, 0, 60 * SECOND]]);
});

test('consume of several spends all or nothing', () => {
  const store = new Store();
  const one = fixedWindow(1, 60 * SECOND);
  assert.deepEqual(
    store.readings((call) => call.consume([KEY, TEN, 3], [OTHER, one, 1])),
    [[0, 7, 0, 18 * SECOND], [0, 0, 0, 60 * SECOND]]);
  assert.deepEqual(
    store.readings((call) => call.consume([KEY, TEN, 3], [OTHER, one, 1])),
    [[1, 7, 0, 18 * SECOND], [2, 0, 60 * SECOND, 60 * SECOND]]);
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 7])), [[1, 7, 0, 18 * SECOND]]);
});

test('what is given back can be spent, and what is reset is whole', () => {
  const store = new Store();
  store.ask((call) => call.consume([KEY, TEN, 10]));
  assert.equal(store.ask((call) => call.giveBack(store.now, START, [KEY, TEN, 2])), '\x02\x01');
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 1])), [[1, 2, 0, 48 * SECOND]]);
  assert.equal(store.ask((call) => call.reset(KEY)), '\x02\x01');
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 10])), [[1, 10, 0, 0]]);
  // Nothing but the mark of the reset is left, for a week.
  const { value, ends } = store.storage.rows.get(KEY);
  assert.deepEqual([value.length, ends > START + WEEK - 2, ends < START + WEEK + 2], [MARK_LENGTH, true, true]);
});

test('what was spent before a reset is not given back, and what was spent after it is', () => {
  const store = new Store();
  store.ask((call) => call.consume([KEY, TEN, 4]));
  store.ask((call) => call.reset(KEY));
  const answers = store.ask((call) => call.consume([KEY, TEN, 10]));
  assert.deepEqual([answers.charCodeAt(1), numberAt(answers, 23, 2), answers.length], [64, 1, 25]);
  store.ask((call) => call.giveBack(store.now, START, [KEY, TEN, 4]));
  assert.equal(store.readings((call) => call.peek([KEY, TEN, 1]))[0][1], 0);
  store.ask((call) => call.giveBack(store.now, START, [KEY, TEN, 3, 0, 1]));
  assert.equal(store.readings((call) => call.peek([KEY, TEN, 1]))[0][1], 3);
  store.millis += WEEK;
  store.ask((call) => call.consume([KEY, TEN, 10]));
  assert.equal(store.storage.rows.get(KEY).value.startsWith(TEN.slice(0, 5)), true);
});

test('what was spent in a window that has ended is not given back to another policy', () => {
  const store = new Store();
  store.ask((call) => call.consume([KEY, fixedWindow(10, 60 * SECOND), 5]));
  const spent = store.now;
  store.millis += 60_000;
  store.ask((call) => call.consume([KEY, TEN, 10]));
  store.ask((call) => call.giveBack(spent, START, [KEY, fixedWindow(10, 60 * SECOND), 5, 60 * SECOND]));
  assert.equal(store.readings((call) => call.peek([KEY, TEN, 1]))[0][1], 0);
  store.ask((call) => call.giveBack(spent, START, [KEY, fixedWindow(10, 60 * SECOND), 5, 60 * SECOND + 1]));
  assert.equal(store.readings((call) => call.peek([KEY, TEN, 1]))[0][1], 5);
});

test('a reservation that is made again is answered as the first time, unless it is for other keys', () => {
  const store = new Store();
  const record = 'weir:{00}rid';
  const first = store.ask((call) => call.reserve(record, 60 * SECOND, [[KEY, TEN, 1], [OTHER, TEN, 2], [KEY, TEN, 3]]));
  store.millis += 1;
  const again = store.ask((call) => call.reserve(record, 60 * SECOND, [[KEY, TEN, 9], [OTHER, TEN, 2], [KEY, TEN, 9]]));
  assert.equal(again, first);
  for (const others of [[[KEY, TEN, 1]], [[KEY, TEN, 1], [KEY, TEN, 2], [OTHER, TEN, 3]]]) {
    assert.equal(store.ask((call) => call.reserve(record, 60 * SECOND, others)), '\x0b');
  }
});

test('a run admits as many as fit and is answered in two numbers', () => {
  const store = new Store();
  const answers = store.ask((call) => call.run(300, [KEY, TEN, 3]));
  assert.deepEqual([answers.charCodeAt(0), numberAt(answers, 1, 7), numberAt(answers, 8, 2), answers.length], [9, 0, 3, 10]);
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 1])), [[1, 1, 0, 54 * SECOND]]);
});

test('a run beside what is not usual is answered in two numbers as well', () => {
  const answers = new Store().ask((call) => call.peek([OTHER, closed(), 1]).run(3, [KEY, TEN, 4]));
  assert.deepEqual([answers.charCodeAt(23), numberAt(answers, 24, 7), numberAt(answers, 31, 2)], [9, 0, 2]);
});

test('a run on no bucket, or where resets came before at that very time, is answered with every reading', () => {
  const window = new Store().ask((call) => call.run(3, [KEY, fixedWindow(10, SECOND), 4]));
  assert.deepEqual([window.charCodeAt(0), numberAt(window, 1, 2), window.length], [10, 3, 3 + 3 * 22]);
  const reset = new Store().ask((call) => call.reset(KEY).run(3, [KEY, TEN, 4]));
  assert.deepEqual([reset.charCodeAt(2), numberAt(reset, 3, 2), reset.length], [10, 3, 2 + 3 + 2 * 24 + 22]);
});

test('the clock never goes back', () => {
  const store = new Store();
  store.ask((call) => call.consume([KEY, TEN, 10]));
  store.millis -= 3_600_000;
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 1])), [[2, 0, 6 * SECOND, 60 * SECOND]]);
  assert.equal(store.now, START * 1000);
  store.millis += 6_000;
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 1])), [[0, 0, 0, 60 * SECOND]]);
});

test('a clock that is none refuses the call', () => {
  const store = new Store();
  store.storage.write(CLOCK, 'rubbish', null);
  const wrong = new Refused(`WEIR the value of ${CLOCK} is no clock of Weir`);
  assert.throws(() => store.ask((call) => call.consume([KEY, TEN, 1])), wrong);
});

test('what is damaged harms nobody else, and can be reset', () => {
  const store = new Store();
  for (const rubbish of ['rubbish', '', '\x10', '\x11\x03\x3c\x01\x02\x03', '\x80\x00', '\xf0', '\x90', TEN.slice(0, 5)]) {
    store.storage.write(KEY, rubbish, null);
    const answers = store.ask((call) => call.consume([OTHER, TEN, 1], [KEY, TEN, 1]).peek([OTHER, TEN, 1]));
    const wrong = `WEIR the value of ${KEY} is no state of Weir`;
    assert.equal(answers.slice(0, 3 + wrong.length), `\x08\x00${String.fromCharCode(wrong.length)}${wrong}`);
    assert.equal(numberAt(answers, 3 + wrong.length + 2, 7), 10);
    assert.equal(store.hasWritten, false);
  }
  store.storage.write(KEY, 'rubbish', null);
  store.ask((call) => call.reset(KEY));
  store.millis += 1;
  assert.deepEqual(store.readings((call) => call.consume([KEY, TEN, 1])), [[0, 9, 0, 6 * SECOND]]);
});

test('more is asked of policies that depend on what only the caller knows', () => {
  const store = new Store();
  for (const unexplained of [calendar(5, 2, 'Europe/Berlin'), bucket(10, 1, SECOND, 3), coarseBucket(3, 10, 7, SECOND, 3)]) {
    const answers = store.ask((call) => call.consume([KEY, unexplained, 1]));
    assert.equal(answers, `\x07\x00${String.fromCharCode(unexplained.length)}${unexplained}`);
  }
  const seen = numberAt(store.ask((call) => call.firstSeen('weir:{00}mx')), 1, 7);
  assert.equal(seen, START * 1000);
  store.millis += 2_000;
  assert.equal(numberAt(store.ask((call) => call.firstSeen('weir:{00}mx')), 1, 7), seen);
  const begun = withFirstSeen(bucket(10, 1, SECOND, 3), seen);
  assert.deepEqual(store.readings((call) => call.consume([KEY, begun, 1])), [[0, 4, 0, 6 * SECOND]]);
});

test('more is asked of a policy by every question that needs it, not by the first alone', () => {
  const store = new Store();
  for (const unexplained of [calendar(5, 2, 'UTC'), bucket(10, 1, SECOND, 3), coarseBucket(3, 10, 7, SECOND, 3)]) {
    const asked = `\x07\x00${String.fromCharCode(unexplained.length)}${unexplained}`;
    const answers = store.ask((call) => call.consume([KEY, unexplained, 1]).consume([KEY, unexplained, 1]));
    assert.equal(answers, asked + asked);
    assert.equal(store.storage.rows.size, 0);
  }
});

test('a budget in the place of slots that is reset in the same call leaves only the mark of the reset', () => {
  const store = new Store();
  const held = (call) => call.acquire(LEASE, 60 * SECOND, 'h', [[KEY, slots(2), 2]]);
  store.ask(held);
  store.ask((call) => call.consume([KEY, TEN, 1]).reset(KEY));
  assert.equal(store.storage.rows.get(KEY).value.length, MARK_LENGTH);
  store.ask((call) => held(call).consume([KEY, TEN, 1]).reset(KEY));
  assert.equal(store.storage.rows.get(KEY).value.length, MARK_LENGTH);
  assert.deepEqual(store.readings((call) => call.peek([KEY, slots(2), 2])), [[1, 2, 0, 0]]);
});

test('slots that are reset are free, also for those who come in the same call', () => {
  const store = new Store();
  const held = (call, id = LEASE) => call.acquire(id, 60 * SECOND, 'h', [[KEY, slots(2), 2]]);
  store.ask((call) => held(call).reset(KEY));
  assert.equal(store.storage.rows.get(KEY).value.length, MARK_LENGTH);
  assert.deepEqual(store.readings((call) => call.peek([KEY, slots(2), 2])), [[1, 2, 0, 0]]);
  store.ask((call) => held(call));
  store.ask((call) => call.reset(KEY));
  assert.deepEqual(store.readings((call) => call.peek([KEY, slots(2), 2])), [[1, 2, 0, 0]]);
  assert.equal(store.ask((call) => call.renew(LEASE, 60 * SECOND)), '\x02\x00');
  store.ask((call) => held(call));
  store.ask((call) => held(call.reset(KEY), `${LEASE}2`));
  assert.deepEqual(store.readings((call) => call.peek([KEY, slots(2), 1])), [[2, 0, 60 * SECOND, 60 * SECOND]]);
});

test('a record that is damaged is told, and changes nothing', () => {
  const store = new Store();
  const id = 'weir:{00}rid';
  store.ask((call) => call.reserve(id, 60 * SECOND, [[KEY, TEN, 8]]));
  const { value } = store.storage.rows.get(id);
  const wrong = `WEIR the value of ${id} is no state of Weir`;
  for (const length of [0, 1, 8, 20, 24, 40, value.length - 1]) {
    store.storage.write(id, value.slice(0, length), null);
    const answers = store.ask((call) => call.settle(id, [['user', 1]]).cancel(id));
    assert.equal(answers, `\x08\x00${String.fromCharCode(wrong.length)}${wrong}`.repeat(2), `${length} bytes`);
    assert.equal(store.hasWritten, false);
  }
});

test('a sliding window remembers every charge until it is over', () => {
  const store = new Store();
  const two = slidingWindow(2, SECOND);
  assert.deepEqual(store.readings((call) => call.consume([KEY, two, 1])), [[0, 1, 0, SECOND]]);
  store.millis += 400;
  assert.deepEqual(store.readings((call) => call.consume([KEY, two, 1])), [[0, 0, 0, SECOND]]);
  store.millis += 500;
  assert.deepEqual(store.readings((call) => call.consume([KEY, two, 1])), [[2, 0, 100_000, 500_000]]);
});

test('slots are held until they are released or over', () => {
  const store = new Store();
  const two = slots(2);
  const ask = (id, ttl) => store.readings((call) => call.acquire(LEASE + id, ttl, `h${id}`, [[KEY, two, 1]]), 2);
  assert.deepEqual(ask(1, 5 * SECOND), [[0, 1, 0, 5 * SECOND]]);
  assert.deepEqual(ask(2, 9 * SECOND), [[0, 0, 0, 9 * SECOND]]);
  assert.deepEqual(ask(3, SECOND), [[2, 0, 5 * SECOND, 9 * SECOND]]);
  assert.equal(store.ask((call) => call.renew(`${LEASE}1`, 7 * SECOND)), '\x02\x01');
  assert.deepEqual(ask(3, SECOND), [[2, 0, 7 * SECOND, 9 * SECOND]]);
  assert.equal(store.ask((call) => call.release(`${LEASE}2`)), '\x02\x01');
  assert.equal(store.ask((call) => call.release(`${LEASE}2`)), '\x02\x00');
  assert.deepEqual(ask(3, SECOND), [[0, 0, 0, 7 * SECOND]]);
  store.millis += 7_000;
  assert.equal(store.ask((call) => call.renew(`${LEASE}1`, SECOND)), '\x02\x00');
  assert.deepEqual(ask(4, SECOND), [[0, 1, 0, SECOND]]);
});

test('a reservation is settled once, for what was used', () => {
  const store = new Store();
  const id = 'weir:{00}rid';
  assert.equal(numberAt(store.ask((call) => call.reserve(id, 60 * SECOND, [[KEY, TEN, 8]])), 1, 7), START * 1000);
  assert.equal(store.ask((call) => call.settle(id, [['nobody', 1]])), '\x06\x00\x06nobody');
  assert.equal(store.ask((call) => call.settle(id, [['user', 3]])), '\x02\x01');
  assert.equal(store.ask((call) => call.settle(id, [['user', 3]])), '\x02\x02');
  assert.equal(store.ask((call) => call.cancel(id)), '\x02\x02');
  assert.deepEqual(store.readings((call) => call.peek([KEY, TEN, 7])), [[1, 7, 0, 18 * SECOND]]);
  store.millis += 60_000;
  assert.equal(store.ask((call) => call.cancel(id)), '\x02\x00');
});

test('a reservation is prolonged while it is open', () => {
  const store = new Store();
  const id = 'weir:{00}rid';
  const prolong = (ttl) => store.ask((call) => call.prolong(id, ttl));
  assert.equal(prolong(SECOND), '\x02\x00');
  store.ask((call) => call.reserve(id, 2 * SECOND, [[KEY, TEN, 8]]));
  store.millis += 1_999;
  assert.equal(prolong(2 * SECOND), '\x02\x01');
  store.millis += 1_999;
  assert.equal(store.ask((call) => call.settle(id, [['user', 3]])), '\x02\x01');
  assert.equal(prolong(60 * SECOND), '\x02\x00');
  store.millis += 1;
  assert.equal(store.ask((call) => call.cancel(id)), '\x02\x00');
});

test('a bucket on a coarser clock counts whole ticks of it', () => {
  const store = new Store();
  const ten = coarseBucket(6, 10, 1, 100);
  const ask = () => store.readings((call) => call.consume([KEY, ten, 5]));
  // Its times are seconds: 32 is added to the status.
  assert.deepEqual(ask(), [[32, 5, 0, 500]]);
  assert.deepEqual(ask(), [[32, 0, 0, 1000]]);
  store.millis += 499_999 - (START % 1000);
  assert.deepEqual(ask(), [[34, 4, 1, 501]]);
  store.millis += 1;
  assert.deepEqual(ask(), [[32, 0, 0, 1000]]);
});

test('what is held under one id has a bound', () => {
  const long = `weir:{00}b${'x'.repeat(60_000)}`;
  const many = Array.from({ length: 20 }, () => [long, shortBucket(500, 1), 1]);
  assert.throws(() => new Store().ask((call) => call.reserve('weir:{00}rid', SECOND, many)), TooLarge);
});
