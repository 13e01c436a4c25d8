/**
 * The store's clock, which never goes back. `ahead` is the sum of all backward steps of the machine's clock so far. `last` is
 * the store's time when its clock was last written, which happens at most once a second and only if something else is
 * written. A backward step within that second may go unnoticed; it delays refills and never advances them. The wall clock is
 * the machine's clock.
 *
 * Times are in microseconds; wall-clock times, which calendar windows use, are in milliseconds.
 */

import { numberAt, packed } from './bytes.js';
import { Refused } from './errors.js';

const SECOND = 1_000_000;

export class Clock {
  #name;
  #last = 0;
  #ahead = 0;
  #hasStepped;
  #isGiven;

  /**
   * @param kept the clock as last written; null if it was not written yet
   * @param given the clock of a test; null for the machine's
   */
  constructor(name, kept, given, nowMillis) {
    if (kept !== null) {
      if (kept.length !== 14) throw new Refused(`WEIR the value of ${name} is no clock of Weir`);
      this.#last = numberAt(kept, 0, 7);
      this.#ahead = numberAt(kept, 7, 7);
    }
    this.#name = name;
    this.#isGiven = given !== null;
    this.wall = given?.wall ?? nowMillis;
    this.now = (given?.now ?? nowMillis * 1000) + this.#ahead;
    this.#hasStepped = this.now < this.#last;
    if (this.#hasStepped) {
      this.#ahead += this.#last - this.now;
      this.now = this.#last;
    }
  }

  /** Writes the clock, if it is due. */
  write(storage, hasWritten) {
    const isLate = this.now > this.#last && this.#isGiven;
    if (this.#hasStepped || isLate || (hasWritten && this.now - this.#last > SECOND)) {
      storage.write(this.#name, packed(this.now, 7) + packed(this.#ahead, 7), null);
    }
  }

  /** The expiry in milliseconds of this clock of a value that lives this many microseconds; a minute from now at least. */
  endOf(leftMicros) {
    return Math.floor(this.now / 1000) + Math.max(60_000, Math.ceil(leftMicros / 1000) + 1);
  }
}
