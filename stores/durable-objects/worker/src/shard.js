/**
 * A shard: a Durable Object that decides one call after another. There is one instance of each in the world at any time.
 *
 * A call is one transaction; if anything fails, nothing is written. The runtime holds each response back until the writes are
 * durable.
 */

import { answer } from './answer.js';
import { bytesOf } from './bytes.js';
import { MOST_BYTES, readCall } from './call.js';
import { Malformed } from './errors.js';
import { bytesAnswered, faultAnswered, readBody, told } from './http.js';
import { noted } from './notes.js';
import { SqlStorage } from './storage.js';
import { Sweeper } from './sweep.js';

const WRITTEN = 1;

export class WeirShard {
  #durable;
  #rows;
  #sweeper;
  #isTimed;

  constructor(ctx, env) {
    this.#durable = ctx.storage;
    this.#rows = new SqlStorage(ctx.storage.sql);
    this.#sweeper = new Sweeper(ctx.storage, this.#rows);
    this.#isTimed = env.WEIR_TEST_CLOCK === 'on';
    ctx.blockConcurrencyWhile(() => this.#sweeper.wake());
  }

  async fetch(request) {
    try {
      const body = await readBody(request, MOST_BYTES);
      const path = new URL(request.url).pathname;
      if (path.endsWith('/sweep')) return await this.#sweep(body);
      return path.endsWith('/notes') ? await this.#note(body) : await this.#decide(body);
    } catch (e) {
      return faultAnswered(e);
    }
  }

  alarm() {
    return this.#sweeper.ring(Date.now());
  }

  async #decide(body) {
    const call = readCall(body, this.#isTimed);
    const reply = bytesOf(this.#durable.transactionSync(() => answer(call, this.#rows, Date.now())));
    if (reply[0] === WRITTEN) await this.#sweeper.arm(Date.now());
    return bytesAnswered(reply);
  }

  async #note(body) {
    const reply = noted(body, this.#rows, Date.now(), this.#isTimed);
    if (reply.status === 200) await this.#sweeper.arm(Date.now());
    return reply;
  }

  /** Runs a sweep for a test, at a given time in milliseconds; returns how many values were removed. */
  async #sweep(body) {
    const millis = new TextDecoder().decode(body);
    if (!/^\d{1,15}$/.test(millis)) throw new Malformed('the body must be a time in milliseconds since 1970');
    return told(200, String(await this.#sweeper.sweep(Number(millis))));
  }
}
