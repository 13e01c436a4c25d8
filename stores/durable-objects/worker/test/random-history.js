/** A random course of calls on a handful of keys: every verb, every kind of policy, clocks that jump. */

import { numberAt } from '../src/bytes.js';
import {
  bucket, calendar, CallWriter, closed, coarseBucket, fixedWindow, SECOND, shortBucket, slidingWindow, slots, streak,
  withFirstSeen, withSpan,
} from './wire.js';

const START = 1_790_000_000_000_000;
const MINUTE_MILLIS = 60_000;

const USUAL = ['consume', 'run'];
const EMPTYING = ['giveBack', 'giveBack', 'reset', 'settle', 'cancel'];
const SPENDING = [
  'consume', 'consume', 'consume', 'peek', 'reserve', 'acquire', 'acquire', 'renew', 'release', 'firstSeen', 'run',
  'lookAtReserve', 'lookAtAcquire', 'prolong',
];

/** Numbers that are the same for the same seed (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class RandomHistory {
  #random;
  #now = START;
  #wall = START / 1000;
  #seen = START - 3 * SECOND;
  #policies;
  #told = [];
  #lastNow = START;
  #isPlain;
  #isMixed;

  constructor(seed) {
    this.#random = randomOf(seed);
    // Every third history has nothing but what the usual way takes.
    this.#isPlain = seed % 3 === 0;
    // In half of them slots and other budgets share their keys.
    this.#isMixed = seed % 2 === 0;
    this.#policies = Array.from({ length: 1 + this.#below(6) }, () => this.#newPolicy());
  }

  /** The next call, and in words what it asks. */
  next() {
    this.#pass();
    let call = this.#newCall();
    for (let left = 1 + this.#below(4); left > 0; left--) this.#ask(call, SPENDING);
    // A budget that was put in the place of slots and is then emptied in one call: Redis's script leaves the slots there.
    if (this.#isMixed && this.#below(4) === 0) call = this.#newCall();
    if (!this.#isMixed || this.#told.length === 0) this.#ask(call, EMPTYING);
    return {
      keys: call.keys, argument: call.argument, given: { now: this.#now, wall: this.#wall }, told: this.#told.join(' '),
    };
  }

  /** When the store says it is: what is given back was spent then. */
  heard(text) {
    this.#lastNow = numberAt(text, 1, 7);
  }

  #pass() {
    const kind = this.#below(20);
    const micros = this.#oneOf([0, 1, 999, this.#below(SECOND), this.#below(10 * SECOND), this.#below(3600 * SECOND)]);
    if (kind === 0) this.#now -= this.#below(5 * SECOND);
    else if (kind < 16) this.#now += micros;
    if (kind === 1) this.#wall -= this.#below(200_000);
    else if (kind < 16) this.#wall += Math.floor(micros / 1000);
    if (kind === 2) this.#wall += this.#below(100_000_000);
  }

  #newCall() {
    this.#told = [];
    return new CallWriter();
  }

  #ask(call, kinds) {
    const kind = this.#oneOf(this.#isPlain && this.#below(10) > 0 ? USUAL : kinds);
    this.#told.push(kind);
    const reservation = `weir:{00}rid${this.#below(3)}`;
    const lease = `weir:{00}lid${this.#below(3)}`;
    const ttl = 1 + this.#below(this.#oneOf([10, 5 * SECOND, 600 * SECOND]));
    switch (kind) {
      case 'consume': return call.consume(...this.#charges(4, false));
      case 'peek': return call.peek(...this.#charges(3, true));
      case 'giveBack':
        return call.giveBack(
          this.#lastNow - this.#oneOf([0, 0, this.#below(SECOND)]),
          this.#wall - this.#below(1000),
          ...this.#charges(3, true).map((charge) => [
            ...charge, this.#oneOf([0, this.#below(SECOND), this.#below(3600 * SECOND)]), this.#oneOf([0, 0, 1, 2]),
          ]));
      case 'reset': return call.reset(this.#key(), this.#key());
      case 'reserve': return call.reserve(reservation, ttl, this.#charges(3, false));
      case 'lookAtReserve': return call.reserve(reservation, ttl, this.#charges(3, false), 13);
      case 'settle': return call.settle(reservation, this.#below(3) === 0 ? [] : [[`s${this.#below(3)}`, this.#below(8)]]);
      case 'cancel': return call.cancel(reservation, this.#oneOf([0, 0, this.#lastNow]), this.#below(2));
      case 'prolong': return call.prolong(reservation, ttl);
      case 'acquire': return call.acquire(lease, ttl, `h${this.#below(4)}`, this.#charges(3, true));
      case 'lookAtAcquire': return call.acquire(lease, ttl, `h${this.#below(4)}`, this.#charges(3, true), 14);
      case 'renew': return call.renew(lease, ttl);
      case 'release': return call.release(lease);
      case 'firstSeen': return call.firstSeen(`weir:{00}m${this.#below(3)}`);
      case 'run': return call.run(1 + this.#below(6), this.#charges(1, false)[0]);
      default: throw new Error(`${kind} is no verb`);
    }
  }

  #key(isSlots = this.#below(4) === 0) {
    return `weir:{00}b${isSlots && !this.#isMixed ? 'h' : 's'}${this.#below(3)}:k`;
  }

  #charges(most, hasSlots) {
    return Array.from({ length: 1 + this.#below(most) }, () => {
      let policy = this.#oneOf(this.#policies);
      while (!hasSlots && policy.isSlots) policy = this.#newPolicy();
      const cost = this.#oneOf([1, 1, 1 + this.#below(3), 1 + this.#below(20), 1 + this.#below(5000)]);
      return [this.#key(policy.isSlots ?? false), this.#explained(policy), cost];
    });
  }

  /** What is given with a policy: mostly what is true, at times nothing. */
  #explained({ code, isCalendar, isUnfilled }) {
    if (this.#below(12) === 0) return code;
    if (isUnfilled) return withFirstSeen(code, this.#seen);
    if (!isCalendar) return code;
    const wall = this.#wall + (this.#below(10) === 0 ? 3 * MINUTE_MILLIS : 0);
    const from = Math.floor(wall / MINUTE_MILLIS) * MINUTE_MILLIS;
    return withSpan(code, from, from + MINUTE_MILLIS, from + 2 * MINUTE_MILLIS);
  }

  #newPolicy() {
    const cap = this.#oneOf([1, 2 + this.#below(8), 10 + this.#below(300), 1000 + this.#below(5000)]);
    const period = this.#oneOf([1 + this.#below(50), this.#below(SECOND) + 1, 60 * SECOND, 1 + this.#below(7200 * SECOND)]);
    const kind = this.#isPlain ? this.#oneOf([0, 1]) : this.#below(11);
    switch (kind) {
      case 0: return { code: shortBucket(1 + this.#below(500), 1 + this.#below(16_000), this.#below(3), this.#below(4)) };
      case 1: return { code: bucket(cap, 1 + this.#below(1000), 1 + this.#below(10_000_000)) };
      case 2: return {
        code: bucket(cap, this.#oneOf([1, 7]), 1 + this.#below(5_000_000), this.#below(cap)), isUnfilled: true,
      };
      case 3: return { code: coarseBucket(3, cap, 1_000_003 + this.#below(1000), 86_400_000) };
      case 4: return {
        code: coarseBucket(6, cap, 77_777 + this.#below(99), 1_234_567_891, this.#below(cap)), isUnfilled: true,
      };
      case 5: return { code: fixedWindow(cap, period) };
      case 6: return { code: slidingWindow(cap, period) };
      case 7: return { code: streak(period) };
      case 8: return { code: calendar(cap, 0, 'UTC'), isCalendar: true };
      case 9: return { code: slots(cap), isSlots: true };
      default: return { code: closed() };
    }
  }

  #oneOf(choices) {
    return choices[this.#below(choices.length)];
  }

  #below(bound) {
    return Math.floor(this.#random() * bound);
  }
}
