/**
 * One of the shards: a Durable Object, of which there is one in the world at any time, that decides one call after another.
 *
 * A call is one transaction, and nothing of it is written if anything fails. No answer leaves before what it says is
 * durable: the runtime holds it back until then.
 */

import { answer } from './answer.js';
import { bytesOf } from './bytes.js';
import { MOST_BYTES, readCall } from './call.js';
import { Malformed } from './errors.js';
import { bytesAnswered, faultAnswered, readBody, told } from './http.js';
import { noted } from './notes.js';
import { SqlStorage } from './storage.js';

const HOUR = 3_600_000;
/** How long what has ended stays, in case that the clock is wrong by hours now and is set right later. */
const KEPT_ON = 24 * HOUR;
const WRITTEN = 1;

export class WeirShard {
  #ctx;
  #storage;
  #isTimed;
  #isArmed = false;

  constructor(ctx, env) {
    this.#ctx = ctx;
    this.#storage = new SqlStorage(ctx.storage.sql);
    this.#isTimed = env.WEIR_TEST_CLOCK === 'on';
    ctx.blockConcurrencyWhile(async () => {
      this.#isArmed = (await ctx.storage.getAlarm()) !== null;
    });
  }

  async fetch(request) {
    try {
      const body = await readBody(request, MOST_BYTES);
      const path = new URL(request.url).pathname;
      if (path.endsWith('/sweep')) return await this.#sweepAt(body);
      return path.endsWith('/notes') ? await this.#note(body) : await this.#decide(body);
    } catch (e) {
      return faultAnswered(e);
    }
  }

  /** The hourly sweep. */
  async alarm() {
    await this.#sweep(Date.now());
    this.#isArmed = this.#storage.hasMortals();
    if (this.#isArmed) await this.#ctx.storage.setAlarm(Date.now() + HOUR);
  }

  async #decide(body) {
    const call = readCall(body, this.#isTimed);
    const reply = bytesOf(this.#ctx.storage.transactionSync(() => answer(call, this.#storage, Date.now())));
    if (reply[0] === WRITTEN) await this.#arm();
    return bytesAnswered(reply);
  }

  async #note(body) {
    const reply = noted(body, this.#storage, Date.now(), this.#isTimed);
    if (reply.status === 200) await this.#arm();
    return reply;
  }

  async #arm() {
    if (this.#isArmed) return;
    this.#isArmed = true;
    await this.#ctx.storage.setAlarm(Date.now() + HOUR);
  }

  /** A test's sweep, at a time in milliseconds that it gives; answers how many were removed. */
  async #sweepAt(body) {
    const millis = new TextDecoder().decode(body);
    if (!/^\d{1,15}$/.test(millis)) throw new Malformed('the body must be a time in milliseconds since 1970');
    return told(200, String(await this.#sweep(Number(millis))));
  }

  /** Removes what ended a day ago or earlier. Between two steps others are answered. */
  async #sweep(nowMillis) {
    let removed = 0;
    let last = null;
    do {
      const step = this.#ctx.storage.transactionSync(() => this.#storage.sweep(last, nowMillis - KEPT_ON));
      removed += step.removed;
      last = step.last;
      if (last !== null) await new Promise((resume) => setTimeout(resume, 0));
    } while (last !== null);
    return removed;
  }
}
