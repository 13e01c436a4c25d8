/** The token bucket whose numbers exceed 2^53: the same as bucket.js in integers of any size. Its state is text. */

const DIGITS = 21;

export class WideBucket {
  constructor(policy, moment, deficit) {
    this.policy = policy;
    this.moment = moment;
    this.deficit = deficit;
  }

  static decode(policy, moment, text, at) {
    const numbers = /^(\d{1,21}):(\d{1,16})$/.exec(text.slice(at));
    if (numbers === null) return null;
    if (policy.unfilled > 0n) moment.metAt(policy);
    return new WideBucket(policy, moment, refilled(policy, BigInt(numbers[1]), moment.now - Number(numbers[2])));
  }

  static fresh(policy, moment) {
    const isFull = policy.unfilled === 0n;
    return new WideBucket(
      policy, moment, isFull ? 0n : refilled(policy, policy.unfilled, moment.now - moment.metAt(policy)));
  }

  available() {
    const left = this.policy.full - this.deficit;
    return left < 0n ? -Number(ceilDivided(-left, this.policy.token)) : Number(left / this.policy.token);
  }

  /** The times of a wide bucket are wide, too. */
  retry(cost) {
    const { full, tick, token } = this.policy;
    return ceilDivided(this.deficit + BigInt(cost) * token - full, tick);
  }

  reset() {
    return ceilDivided(this.deficit, this.policy.tick);
  }

  spend(cost) {
    const most = 2n * this.policy.full;
    const after = this.deficit + this.#units(cost);
    this.deficit = after < most ? after : most;
  }

  giveBack(cost) {
    const back = this.#units(cost);
    this.deficit = back < this.deficit ? this.deficit - back : 0n;
  }

  encode() {
    const { policy, moment, deficit } = this;
    const left = Math.max(Number(this.reset()), Number(WideBucket.fresh(policy, moment).reset()));
    if (left <= 0) return null;
    const state = `${deficit.toString().padStart(DIGITS, '0')}:${moment.now}`;
    // A second more, as the number is rounded.
    return { value: policy.prefix + state, left: left + 1_000_000 };
  }

  #units(cost) {
    return BigInt(Math.min(cost, 2 * this.policy.cap)) * this.policy.token;
  }
}

function refilled(policy, deficit, elapsed) {
  if (elapsed <= 0) return deficit;
  const passed = BigInt(elapsed);
  return passed < ceilDivided(deficit, policy.tick) ? deficit - passed * policy.tick : 0n;
}

/** Neither is below zero. */
const ceilDivided = (a, b) => (a + b - 1n) / b;
