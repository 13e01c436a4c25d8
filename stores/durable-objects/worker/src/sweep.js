/**
 * The hourly sweep of a shard: removes values that expired at least a day ago. An expired value counts as absent, so a sweep
 * changes no result. The day allows for a clock that is wrong by hours and corrected later.
 *
 * The first write sets the alarm. A sweep sets it again unless no values are left that will expire.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export class Sweeper {
  #durable;
  #rows;
  #isArmed = false;

  /** @param durable the object's storage, which has the alarm; @param rows the tables in it, see storage.js */
  constructor(durable, rows) {
    this.#durable = durable;
    this.#rows = rows;
  }

  /** Reads whether the alarm is set. */
  async wake() {
    this.#isArmed = (await this.#durable.getAlarm()) !== null;
  }

  /** Sets the alarm unless it is set. */
  async arm(nowMillis) {
    if (this.#isArmed) return;
    this.#isArmed = true;
    await this.#durable.setAlarm(nowMillis + HOUR);
  }

  /** Runs when the alarm fires. */
  async ring(nowMillis) {
    await this.sweep(nowMillis);
    this.#isArmed = false;
    if (this.#rows.hasMortals()) await this.arm(nowMillis);
  }

  /** Returns how many values were removed. Each step is a transaction; calls are decided between steps. */
  async sweep(nowMillis) {
    let removed = 0;
    let last = null;
    do {
      const step = this.#durable.transactionSync(() => this.#rows.sweep(last, nowMillis - DAY));
      removed += step.removed;
      last = step.last;
      if (last !== null) await new Promise((resume) => setTimeout(resume, 0));
    } while (last !== null);
    return removed;
  }
}
