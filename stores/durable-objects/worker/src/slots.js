/**
 * Concurrency slots. The value of the key is a mark and the sum of all held units, expired or not (7 bytes). Each lease is a
 * row of its own, so that a decision costs the same with a thousand leases as with one. The state contains no policy; the
 * request supplies it.
 *
 * Slots are written while their request is decided, everything else at the end of the call.
 */

import { numberAt, packed } from './bytes.js';
import { Damaged } from './errors.js';

/** The mark of slots, in the place of the policy of other states. */
const MARK = '\x80';

export class Slots {
  #name;
  #clock;
  #storage;
  #sum;

  constructor(name, clock, storage, sum, held) {
    this.#name = name;
    this.#clock = clock;
    this.#storage = storage;
    this.#sum = sum;
    this.held = held;
    this.policy = null;
  }

  static isState(text) {
    return text !== null && text.startsWith(MARK);
  }

  static decode(name, clock, storage, text) {
    if (text.length !== 8) throw new Damaged(name);
    const sum = numberAt(text, 1, 7);
    const held = sum - storage.endedUnits(name, clock.now);
    if (held < 0) throw new Damaged(name);
    return new Slots(name, clock, storage, sum, held);
  }

  static none(name, clock, storage) {
    return new Slots(name, clock, storage, 0, 0);
  }

  available() {
    return this.policy.cap - this.held;
  }

  /** The time until enough leases have expired, in the order of their expiries. */
  retry(cost) {
    let excess = cost - this.available();
    for (const { units, ends } of this.#storage.leasesAfter(this.#name, this.#clock.now)) {
      excess -= units;
      if (excess <= 0) return ends - this.#clock.now;
    }
    throw new Damaged(this.#name);
  }

  reset() {
    return this.held > 0 ? this.#storage.lastEnd(this.#name) - this.#clock.now : 0;
  }

  hold(lease, units, ends) {
    const before = this.#storage.leaseEnd(this.#name, lease, units);
    this.#storage.putLease(this.#name, lease, units, ends);
    this.#finish(before === null ? units : 0);
  }

  holds(lease, units) {
    const ends = this.#storage.leaseEnd(this.#name, lease, units);
    return ends !== null && ends > this.#clock.now;
  }

  release(lease, units) {
    if (this.#storage.dropLease(this.#name, lease, units)) this.#finish(-units);
  }

  /** Writes the new sum, removes expired leases, and sets the key to expire with the last lease. */
  #finish(difference) {
    const ended = this.#storage.endedUnits(this.#name, this.#clock.now);
    if (ended > 0) this.#storage.dropEnded(this.#name, this.#clock.now);
    this.#sum += difference - ended;
    this.held = this.#sum;
    const last = this.#storage.lastEnd(this.#name);
    if (last === null) {
      this.#storage.remove(this.#name);
    } else {
      this.#storage.write(this.#name, MARK + packed(this.#sum, 7), this.#clock.endOf(last - this.#clock.now));
    }
  }
}
