/**
 * The token bucket: what is missing until it is full (the deficit), in units of which a token has `token` and of which
 * every microsecond gives back `tick`; and the time for which that was computed. A short bucket, whose tick is 1, keeps the
 * time at which it will be full, which says both.
 *
 * Every kind of budget has these methods. A budget is read once, as it is now; `decode` answers null for what it cannot
 * be, and `encode` for what an absent key means as well, or else the state and for how long it matters.
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
    // Whoever spends on it needs it, sooner or later.
    if (policy.kind === 2) moment.metAt(policy);
    return new Bucket(policy, moment, refilled(policy, deficit, moment.now - numberAt(text, at + width, 7)));
  }

  static fresh(policy, moment) {
    const isFull = policy.kind !== 2;
    const missing = isFull ? 0 : (policy.cap - policy.initial) * policy.token;
    return new Bucket(policy, moment, isFull ? 0 : refilled(policy, missing, moment.now - moment.metAt(policy)));
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
    const { cap, token, full } = this.policy;
    this.deficit = Math.min(this.deficit + Math.min(cost, 2 * cap) * token, 2 * full);
  }

  giveBack(cost) {
    const { cap, token } = this.policy;
    this.deficit = Math.max(0, this.deficit - Math.min(cost, 2 * cap) * token);
  }

  encode() {
    const { policy, moment, deficit } = this;
    const left = policy.kind === 2 ? Math.max(this.reset(), Bucket.fresh(policy, moment).reset()) : this.reset();
    if (left <= 0) return null;
    const state = policy.kind === 0
      ? packed(moment.now + deficit, 7)
      : packed(deficit, policy.size - 7) + packed(moment.now, 7);
    return { value: policy.prefix + state, left };
  }
}

function refilled(policy, deficit, elapsed) {
  if (elapsed <= 0) return deficit;
  return elapsed >= ceilDivided(deficit, policy.tick) ? 0 : deficit - elapsed * policy.tick;
}
