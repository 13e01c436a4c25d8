/**
 * The token bucket. Its state is the deficit, which is what is missing until it is full, and the time at which that was
 * computed. The deficit is counted in units: a token is `token` units, and every tick refills `tick` units. A tick is `unit`
 * microseconds: 1, or more where numbers would be too large. A short bucket, whose tick is 1, stores only the time at which
 * it will be full, which determines both.
 *
 * Every kind of budget has these methods. A budget is computed once, for the time of the call. `decode` returns null for an
 * invalid state. `encode` returns the state and its time to live, or null if an absent key means the same.
 */

import { ceilDivided, numberAt, packed } from './bytes.js';

export class Bucket {
  constructor(policy, moment, deficit) {
    this.policy = policy;
    this.moment = moment;
    this.deficit = deficit;
  }

  static decode(policy, moment, text, at) {
    if (text.length !== at + policy.size) return null;
    const most = 2 * policy.full;
    if (policy.kind === 0) {
      return new Bucket(policy, moment, Math.max(0, Math.min(numberAt(text, at, 7) - moment.now, most)));
    }
    const width = policy.size - 7;
    const deficit = numberAt(text, at, width);
    if (deficit > most) return null;
    // Fails early if the time when the policy was first seen is missing, because `encode` needs it.
    if (policy.initial !== null) moment.metAt(policy);
    return new Bucket(policy, moment, refilled(policy, deficit, ticksOf(policy, moment.now) - numberAt(text, at + width, 7)));
  }

  static fresh(policy, moment) {
    if (policy.initial === null) return new Bucket(policy, moment, 0);
    const missing = (policy.cap - policy.initial) * policy.token;
    const elapsed = ticksOf(policy, moment.now) - ticksOf(policy, moment.metAt(policy));
    return new Bucket(policy, moment, refilled(policy, missing, elapsed));
  }

  available() {
    return Math.floor((this.policy.full - this.deficit) / this.policy.token);
  }

  retry(cost) {
    return ceilDivided(this.deficit + cost * this.policy.token - this.policy.full, this.policy.tick);
  }

  reset() {
    return ceilDivided(this.deficit, this.policy.tick);
  }

  spend(cost) {
    const { token, full } = this.policy;
    this.deficit = Math.min(this.deficit + cost * token, 2 * full);
  }

  giveBack(cost) {
    this.deficit = Math.max(0, this.deficit - cost * this.policy.token);
  }

  encode() {
    const { policy, moment, deficit } = this;
    const ticks = policy.initial === null ? this.reset() : Math.max(this.reset(), Bucket.fresh(policy, moment).reset());
    if (ticks <= 0) return null;
    const state = policy.kind === 0
      ? packed(moment.now + deficit, 7)
      : packed(deficit, policy.size - 7) + packed(ticksOf(policy, moment.now), 7);
    return { value: policy.prefix + state, left: ticks * policy.unit };
  }
}

const ticksOf = ({ unit }, micros) => Math.floor(micros / unit);

function refilled(policy, deficit, elapsed) {
  if (elapsed <= 0) return deficit;
  return elapsed >= ceilDivided(deficit, policy.tick) ? 0 : deficit - elapsed * policy.tick;
}
