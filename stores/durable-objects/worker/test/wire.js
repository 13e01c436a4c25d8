/** Writes calls as the Java side does: policies, questions, bodies. */

import { bytesOf, framed, packed, widthOf } from '../src/bytes.js';

const shortest = (value) => packed(value, widthOf(value));
const head = (kind, width) => packed(kind * 16 + width, 1);

export const SECOND = 1_000_000;

/** A bucket of a tick and a token; begins full but for what `initial` says. */
export function bucket(cap, tick, token, initial = cap) {
  const kind = initial === cap ? 1 : 2;
  const ticks = tick === 1 ? '' : shortest(tick);
  const widths = packed(ticks.length * 16 + widthOf(token), 1);
  const code = head(kind, widthOf(cap)) + widths + shortest(cap) + ticks + shortest(token);
  return kind === 1 ? code : code + packed(widthOf(initial), 1) + shortest(initial);
}

/** A bucket of a tick of 1, its numbers below 2^14. */
export function shortBucket(cap, token, capZeros = 0, tokenZeros = 0) {
  return head(0, capZeros) + packed(tokenZeros * 2 ** 28 + cap * 2 ** 14 + token, 4);
}

/** A bucket whose ticks are milliseconds (3 zeros) or seconds (6). */
export function coarseBucket(zeros, cap, tick, token, initial = cap) {
  const widths = packed(widthOf(tick) * 16 + widthOf(token), 1);
  const numbers = shortest(cap) + shortest(tick) + shortest(token) + packed(widthOf(initial), 1) + shortest(initial);
  return head(3, widthOf(cap)) + widths + numbers + packed(zeros, 1);
}

const window = (kind, limit, period) =>
  head(kind, widthOf(limit)) + packed(widthOf(period), 1) + shortest(limit) + shortest(period);

export const fixedWindow = (limit, period) => window(4, limit, period);
export const slidingWindow = (limit, period) => window(5, limit, period);
export const streak = (quiet) => head(6, widthOf(quiet)) + shortest(quiet);
export const slots = (count) => head(8, widthOf(count)) + shortest(count);
export const closed = () => head(9, 0);

export const calendar = (limit, unit, zone) =>
  head(7, widthOf(limit)) + shortest(limit) + packed(unit, 1) + packed(zone.length, 1) + zone;

export const withSpan = (code, from, to, beyond) => code + packed(from, 6) + packed(to, 6) + packed(beyond, 6);
export const withFirstSeen = (code, micros) => code + packed(micros, 7);

/** Gathers questions and what they name. */
export class CallWriter {
  #policies = [];
  #questions = '';

  constructor(clock = 'weir:{00}c') {
    this.keys = [clock];
  }

  key(name) {
    if (!this.keys.includes(name)) this.keys.push(name);
    return packed(this.keys.indexOf(name) + 1, 2);
  }

  policy(given) {
    if (!this.#policies.includes(given)) this.#policies.push(given);
    return packed(this.#policies.indexOf(given) + 1, 2);
  }

  /** @param charges of a name, a policy, a cost */
  charges(charges) {
    return packed(charges.length, 2) + charges.map((charge) => this.charge(charge)).join('');
  }

  charge([name, given, cost]) {
    return this.key(name) + this.policy(given) + packed(cost, 7);
  }

  ask(verb, body) {
    this.#questions += packed(body.length + 1, 3) + packed(verb, 1) + body;
    return this;
  }

  consume(...charges) {
    return this.ask(1, this.charges(charges));
  }

  peek(...charges) {
    return this.ask(2, this.charges(charges));
  }

  /** @param charges of a name, a policy, a cost, and perhaps how long until the budget was whole, and the resets seen */
  giveBack(at, atWall, ...charges) {
    const each = charges.map(([name, given, cost, left = 0, seen = 0]) =>
      this.charge([name, given, cost]) + packed(left, 7) + packed(seen, 2));
    return this.ask(3, packed(at, 7) + packed(atWall, 6) + packed(charges.length, 2) + each.join(''));
  }

  reset(...names) {
    return this.ask(4, packed(names.length, 2) + names.map((name) => this.key(name)).join(''));
  }

  reserve(record, ttl, charges, verb = 5) {
    return this.ask(verb, this.key(record) + packed(ttl, 7) + this.charges(charges));
  }

  settle(record, costs) {
    const each = costs.map(([scope, cost]) => framed(scope) + packed(cost, 7));
    return this.ask(6, this.key(record) + packed(costs.length, 2) + each.join(''));
  }

  cancel(record, at = 0, forgets = 0) {
    return this.ask(7, this.key(record) + packed(at, 7) + packed(forgets, 1));
  }

  acquire(record, ttl, lease, charges, verb = 8) {
    return this.ask(verb, this.key(record) + packed(ttl, 7) + framed(lease) + this.charges(charges));
  }

  prolong(record, ttl) {
    return this.ask(15, this.key(record) + packed(ttl, 7));
  }

  renew(record, ttl) {
    return this.ask(9, this.key(record) + packed(ttl, 7));
  }

  release(record) {
    return this.ask(10, this.key(record));
  }

  firstSeen(name) {
    return this.ask(11, this.key(name));
  }

  run(count, charge) {
    return this.ask(12, packed(count, 2) + this.charge(charge));
  }

  get argument() {
    return packed(this.#policies.length, 2) + this.#policies.map(framed).join('') + this.#questions;
  }

  /** @param given a test's clock as text, null for none */
  body(given = null) {
    return bytesOf(bodyText(this.keys, this.argument, given));
  }
}

const long = (text) => packed(text.length, 4) + text;

export const bodyText = (keys, argument, given = null) =>
  packed(keys.length, 4) + keys.map(long).join('') + long(argument) + (given === null ? '' : long(given));
