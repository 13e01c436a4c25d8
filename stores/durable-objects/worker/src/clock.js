/**
 * The store's clock never goes back: `ahead` is what the machine's clock was set back by so far, and `last` is when the
 * store last wrote its clock down, which it does once a second while it writes at all. A step that happens unseen within
 * that second gives back later what it would have, and nothing earlier. The wall is what the machine's clock shows.
 *
 * Times are microseconds, but for the wall's, by which calendars go: milliseconds.
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
   * @param kept what was written down last, null for nothing
   * @param given a test's clock, null for the machine's
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

  /** Writes the clock down, if it is time. */
  write(storage, hasWritten) {
    const isLate = this.now > this.#last && this.#isGiven;
    if (this.#hasStepped || isLate || (hasWritten && this.now - this.#last > SECOND)) {
      storage.write(this.#name, packed(this.now, 7) + packed(this.#ahead, 7), null);
    }
  }

  /** When something ends, in milliseconds of this clock, that is over in so many microseconds: a minute on at least. */
  endOf(leftMicros) {
    return Math.floor(this.now / 1000) + Math.max(60_000, Math.ceil(leftMicros / 1000) + 1);
  }
}
