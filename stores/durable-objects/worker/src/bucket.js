/**
 * The token bucket: what is missing until it is full (the deficit), in units of which a token has `token` and of which
 * every tick gives back `tick`; and the time for which that was computed. A tick is a microsecond, or where numbers would be
 * too large `unit` of them. A short bucket, whose tick is 1, keeps the time at which it will be full, which says both.
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
