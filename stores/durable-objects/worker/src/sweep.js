/**
 * The hourly sweep of a shard: removes what ended a day ago or earlier. It means the same as nothing by then, so that a
 * sweep changes no answer; the day is there in case that the clock is wrong by hours now and is set right later.
 *
 * The alarm is set by the first write, and not again when nothing is left that will end.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export class Sweeper {
  #durable;
  #rows;
  #isArmed = false;

  /** @param durable the object's storage, which has the alarm; @param rows what is kept in it, see storage.js */
  constructor(durable, rows) {
    this.#durable = durable;
    this.#rows = rows;
  }

  /** Finds out whether the alarm is set. */
  async wake() {
    this.#isArmed = (await this.#durable.getAlarm()) !== null;
  }

  /** Sets the alarm, if it is not. */
  async arm(nowMillis) {
    if (this.#isArmed) return;
    this.#isArmed = true;
    await this.#durable.setAlarm(nowMillis + HOUR);
  }

  /** What the alarm is for. */
  async ring(nowMillis) {
    await this.sweep(nowMillis);
    this.#isArmed = false;
    if (this.#rows.hasMortals()) await this.arm(nowMillis);
  }

  /** Answers how many were removed. Calls are decided between two steps, each of which is a transaction. */
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
