/** When a call is decided, and what its caller told of policies that depend on it. Time does not pass within a call. */

import { Unexplained } from './errors.js';

export class Moment {
  #spans = new Map();
  #meetings = new Map();

  /** @param now the store's clock in microseconds; @param wall what the wall shows, in milliseconds */
  constructor(now, wall) {
    this.now = now;
    this.wall = wall;
  }

  /** Only the caller knows calendars. It gives the window around its own idea of now, which may be another one. */
  learnSpan(prefix, span) {
    if (span.from <= this.wall && this.wall < span.to) this.#spans.set(prefix, span);
  }

  learnMeeting(prefix, micros) {
    this.#meetings.set(prefix, micros);
  }

  /** The present window of a calendar: its start, its end, and the end of the next. */
  spanOf(policy) {
    return this.#spans.get(policy.prefix) ?? unexplained(policy);
  }

  /** When the store first met a policy. */
  metAt(policy) {
    return this.#meetings.get(policy.prefix) ?? unexplained(policy);
  }
}

function unexplained(policy) {
  throw new Unexplained(policy.prefix);
}
