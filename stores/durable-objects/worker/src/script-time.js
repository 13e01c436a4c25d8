/** The time of a call, and the additional data of policies at that time. No time passes within a call. */

import { Unexplained } from './errors.js';

export class Moment {
  #spans = new Map();
  #firstSeenTimes = new Map();

  /** @param now the store's time in microseconds; @param wall the wall clock in milliseconds */
  constructor(now, wall) {
    this.now = now;
    this.wall = wall;
  }

  /** Stores a calendar window. Only the caller computes calendars; a window that does not contain `wall` is ignored. */
  learnSpan(prefix, span) {
    if (span.from <= this.wall && this.wall < span.to) this.#spans.set(prefix, span);
  }

  learnMeeting(prefix, micros) {
    this.#firstSeenTimes.set(prefix, micros);
  }

  /** The current window of a calendar: its start, its end, and the end of the next. */
  spanOf(policy) {
    return this.#spans.get(policy.prefix) ?? unexplained(policy);
  }

  /** When the store first saw a policy. */
  metAt(policy) {
    return this.#firstSeenTimes.get(policy.prefix) ?? unexplained(policy);
  }
}

function unexplained(policy) {
  throw new Unexplained(policy.prefix);
}
