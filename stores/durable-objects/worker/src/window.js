/** Windows and streaks: a count and its start. */

import { numberAt, packed, signedAt } from './bytes.js';

/** The fixed window, which begins with its first charge. State: its start and the used units. */
export class FixedWindow {
  constructor(policy, moment, start, used) {
    this.policy = policy;
    this.moment = moment;
    this.start = start;
    this.used = used;
  }

  static decode(policy, moment, text, at) {
    if (text.length !== at + 7 + policy.used) return null;
    const start = numberAt(text, at, 7);
    const used = numberAt(text, at + 7, policy.used);
    if (used > 2 * policy.cap) return null;
    return new FixedWindow(policy, moment, start, moment.now - start < policy.period ? used : 0);
  }

  static fresh(policy, moment) {
    return new FixedWindow(policy, moment, moment.now, 0);
  }

  available() {
    return this.policy.cap - this.used;
  }

  retry() {
    return Math.min(this.start, this.moment.now) + this.policy.period - this.moment.now;
  }

  reset() {
    return this.used === 0 ? 0 : this.retry();
  }

  spend(cost) {
    this.start = this.used === 0 ? this.moment.now : Math.min(this.start, this.moment.now);
    this.used = Math.min(this.used + cost, 2 * this.policy.cap);
  }

  /** Refunds a charge, unless it was spent in an earlier window. */
  giveBack(cost, at) {
    if (this.used === 0 || at < this.start) return;
    this.start = Math.min(this.start, this.moment.now);
    this.used = Math.max(0, this.used - cost);
  }

  encode() {
    if (this.used === 0) return null;
    return { value: this.policy.prefix + packed(this.start, 7) + packed(this.used, this.policy.used), left: this.reset() };
  }
}

/** The streak: a count that lasts while charges keep coming. State: the count, the times of the first and last charge. */
export class Streak {
  constructor(policy, moment, count, first, last) {
    this.policy = policy;
    this.moment = moment;
    this.count = count;
    this.first = first;
    this.last = last;
  }

  static decode(policy, moment, text, at) {
    if (text.length !== at + 21) return null;
    const count = numberAt(text, at, 7);
    const first = numberAt(text, at + 7, 7);
    const last = numberAt(text, at + 14, 7);
    if (count > policy.cap) return null;
    return new Streak(policy, moment, moment.now - last < policy.period ? count : 0, first, last);
  }

  static fresh(policy, moment) {
    return new Streak(policy, moment, 0, 0, 0);
  }

  available() {
    return this.policy.cap - this.count;
  }

  retry() {
    return this.reset();
  }

  reset() {
    return this.count === 0 ? 0 : Math.min(this.last, this.moment.now) + this.policy.period - this.moment.now;
  }

  spend(cost) {
    if (this.count === 0) this.first = this.moment.now;
    this.last = this.moment.now;
    this.count = Math.min(this.policy.cap, this.count + cost);
  }

  giveBack(cost, at) {
    if (at >= this.first) this.count = Math.max(0, this.count - cost);
  }

  encode() {
    if (this.count === 0) return null;
    const state = packed(this.count, 7) + packed(this.first, 7) + packed(this.last, 7);
    return { value: this.policy.prefix + state, left: this.reset() };
  }
}

/** The calendar window. State: the start of the counted window, in wall-clock milliseconds, and the count. */
export class CalendarWindow {
  #span;

  constructor(policy, moment, start, used) {
    this.policy = policy;
    this.moment = moment;
    this.start = start;
    this.used = used;
    this.#span = moment.spanOf(policy);
  }

  static decode(policy, moment, text, at) {
    if (text.length !== at + 6 + policy.used) return null;
    const used = numberAt(text, at + 6, policy.used);
    return used > 2 * policy.cap ? null : new CalendarWindow(policy, moment, signedAt(text, at, 6), used);
  }

  static fresh(policy, moment) {
    return new CalendarWindow(policy, moment, 0, 0);
  }

  /** Moves a count that lies beyond the next window back to the current window; returns true if it did. */
  notice() {
    if (this.start <= this.#span.to) return false;
    this.start = this.#span.from;
    return true;
  }

  available() {
    return this.policy.cap - this.counted();
  }

  counted() {
    return this.start < this.#span.from ? 0 : this.used;
  }

  retry() {
    return ((this.#isInTheNext() ? this.#span.beyond : this.#span.to) - this.moment.wall) * 1000;
  }

  reset() {
    return this.counted() === 0 ? 0 : this.retry();
  }

  spend(cost) {
    const before = this.counted();
    this.start = this.#presentStart();
    this.used = Math.min(before + cost, 2 * this.policy.cap);
  }

  giveBack(cost, _, atWall) {
    const before = this.counted();
    const start = this.#presentStart();
    if (before === 0 || atWall < start) return;
    this.start = start;
    this.used = Math.max(0, before - cost);
  }

  encode() {
    if (this.counted() === 0) return null;
    return { value: this.policy.prefix + packed(this.start, 6) + packed(this.used, this.policy.used), left: this.retry() };
  }

  /** Whether the wall clock was set back over the start of the counted window; that window then still counts. */
  #isInTheNext() {
    return this.used > 0 && this.start === this.#span.to;
  }

  #presentStart() {
    return this.#isInTheNext() ? this.#span.to : this.#span.from;
  }
}
