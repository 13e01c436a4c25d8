/**
 * The sliding window: a log of charges, oldest first.
 *
 * State: the sum of all units (7 bytes), then for every entry its time in microseconds (7 bytes) and its units. A charge is
 * recorded at the last tick of its grain. A check reads only the ends of the log: expired entries at the front and the latest
 * entry at the back.
 */

import { ceilDivided, numberAt, packed } from './bytes.js';

/** Up to this limit the grain is a microsecond; above, a hundredth of the period. */
const MOST_EXACT = 500;
const PARTS = 100;

export class SlidingWindow {
  #log;
  #first;
  #size;
  #grain;

  /** @param log the entries; those before `first` have expired */
  constructor(policy, moment, total, log, first) {
    this.policy = policy;
    this.moment = moment;
    this.total = total;
    this.#log = log;
    this.#first = first;
    this.#size = 7 + policy.used;
    this.#grain = policy.cap <= MOST_EXACT ? 1 : ceilDivided(policy.period, PARTS);
  }

  static decode(policy, moment, text, at) {
    if (text.length < at + 7 || (text.length - at - 7) % (7 + policy.used) !== 0) return null;
    const total = numberAt(text, at, 7);
    if (total > 2 * policy.cap) return null;
    const window = new SlidingWindow(policy, moment, total, text, at + 7);
    window.#comeBack();
    window.#forgetEnded();
    // A log whose units do not add up was not written by Weir.
    return window.total < 0 || (window.total > 0 && window.#isEmpty()) ? null : window;
  }

  static fresh(policy, moment) {
    return new SlidingWindow(policy, moment, 0, '', 0);
  }

  available() {
    return this.policy.cap - this.total;
  }

  retry(cost) {
    let excess = this.total + cost - this.policy.cap;
    let i = this.#first;
    for (; i < this.#last(); i += this.#size) {
      excess -= this.#units(i);
      if (excess <= 0) break;
    }
    return this.#time(i) + this.policy.period - this.moment.now;
  }

  reset() {
    return this.total === 0 ? 0 : this.#time(this.#last()) + this.policy.period - this.moment.now;
  }

  spend(cost) {
    let units = Math.min(cost, 2 * this.policy.cap - this.total);
    if (units <= 0) return;
    const time = this.#lastTick(this.moment.now);
    this.total += units;
    if (!this.#isEmpty() && this.#time(this.#last()) === time) {
      units += this.#units(this.#last());
      this.#log = this.#log.slice(0, this.#last());
    }
    this.#log += this.#entry(time, units);
  }

  giveBack(cost, at) {
    const time = this.#lastTick(at);
    for (let i = this.#first; i <= this.#last(); i += this.#size) {
      if (this.#time(i) === time) {
        const units = this.#units(i);
        const back = Math.min(cost, units);
        const rest = units > back ? this.#entry(time, units - back) : '';
        this.#log = this.#log.slice(0, i) + rest + this.#log.slice(i + this.#size);
        this.total -= back;
        return;
      }
    }
  }

  encode() {
    if (this.total === 0) return null;
    return { value: this.policy.prefix + packed(this.total, 7) + this.#log.slice(this.#first), left: this.reset() };
  }

  /** Moves a log that lies in the future, such as after the loss of the clock, so that it ends now. */
  #comeBack() {
    if (this.#isEmpty()) return;
    const step = this.#time(this.#last()) - this.#lastTick(this.moment.now);
    if (step <= 0) return;
    let moved = '';
    for (let i = this.#first; i <= this.#last(); i += this.#size) {
      moved += this.#entry(this.#time(i) - step, this.#units(i));
    }
    this.#log = moved;
    this.#first = 0;
  }

  #forgetEnded() {
    while (!this.#isEmpty() && this.moment.now - this.#time(this.#first) >= this.policy.period) {
      this.total -= this.#units(this.#first);
      this.#first += this.#size;
    }
  }

  #lastTick(time) {
    return Math.floor(time / this.#grain) * this.#grain + this.#grain - 1;
  }

  /** The position of the last entry; before the first if the log is empty. */
  #last() {
    return this.#log.length - this.#size;
  }

  #isEmpty() {
    return this.#last() < this.#first;
  }

  #time(i) {
    return numberAt(this.#log, i, 7);
  }

  #units(i) {
    return numberAt(this.#log, i + 7, this.policy.used);
  }

  #entry(time, units) {
    return packed(time, 7) + packed(units, this.policy.used);
  }
}
