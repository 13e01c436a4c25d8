/**
 * The requests of a call. Each begins with the length of what follows (3 bytes) and its command (1 byte). Keys and policies
 * are numbers from 1 (2 bytes). n and lengths have 2 bytes, amounts 7, times and ttl 7 (microseconds), wall-clock times 6
 * (milliseconds).
 *
 *   1  consume            n, charges
 *   2  peek               n, charges
 *   3  refund             time, wall, n, charges, each followed by the time until its budget was full (0 for a bucket)
 *                         and the number of resets at that microsecond before it (2 bytes)
 *   4  reset              n, keys
 *   5  reserve            record, ttl, n, charges
 *   6  settle             record, n, (length, scope, amount)...
 *   7  cancel             record, creation time (0 for any), 1 to delete the record (1 byte)
 *   8  acquire            record, ttl, length, lease, n, charges
 *   9  renew              record, ttl
 *   10 release            record
 *   11 first seen         key
 *   12 run                n, charge: n requests that each consume it
 *   13 peek at a reserve  as 5, but spends nothing
 *   14 peek at an acquire as 8, but holds nothing
 *   15 prolong            record, ttl
 *
 * A charge is a key, a policy and an amount. See answer.js for the replies.
 */

import { Reader } from './bytes.js';
import { Malformed, TooLarge } from './errors.js';
import { explain, parseGiven, SLOTS } from './policy.js';

export const Verb = Object.freeze({
  CONSUME: 1, PEEK: 2, GIVE_BACK: 3, RESET: 4, RESERVE: 5, SETTLE: 6, CANCEL: 7, ACQUIRE: 8, RENEW: 9, RELEASE: 10,
  FIRST_SEEN: 11, RUN: 12, LOOK_AT_RESERVE: 13, LOOK_AT_ACQUIRE: 14, PROLONG: 15,
});

/** Bounds the readings of a call, because a short run can have a long reply. */
const MOST_READINGS = 65_536;
const MOST_QUESTIONS = 8192;

/**
 * Decodes and checks all requests before the first is decided, so that a malformed call changes nothing.
 *
 * @param keyCount the number of keys in the call, including the clock
 */
export function readQuestions(argument, keyCount, moment) {
  const reader = new Reader(argument, 'what is asked');
  const policies = [];
  for (let left = reader.number(2); left > 0; left--) {
    const policy = parseGiven(reader.framed());
    explain(policy, moment);
    policies.push(policy);
  }
  const questions = [];
  let readings = 0;
  while (!reader.isDone) {
    const question = new QuestionReader(reader.text(reader.number(3)), keyCount, policies).read();
    readings += question.verb === Verb.RUN ? question.count : question.charges?.length ?? 0;
    if (questions.length === MOST_QUESTIONS) throw new TooLarge(`the call has more than ${MOST_QUESTIONS} questions`);
    if (readings > MOST_READINGS) throw new TooLarge(`the call asks for more than ${MOST_READINGS} readings`);
    questions.push(question);
  }
  return questions;
}

class QuestionReader extends Reader {
  #keyCount;
  #policies;

  constructor(text, keyCount, policies) {
    super(text, 'a question');
    this.#keyCount = keyCount;
    this.#policies = policies;
  }

  read() {
    const verb = this.number(1);
    const question = { verb, ...this.#body(verb) };
    this.end();
    return question;
  }

  #body(verb) {
    switch (verb) {
      case Verb.CONSUME: return { charges: this.#spending() };
      case Verb.PEEK: return { charges: this.#charges() };
      case Verb.GIVE_BACK:
        return { at: this.number(7), atWall: this.signed(6), charges: this.#many(() => this.#charged()) };
      case Verb.RESET: return { keys: this.#many(() => this.#key()) };
      case Verb.RESERVE:
      case Verb.LOOK_AT_RESERVE: return { key: this.#key(), ttl: this.number(7), charges: this.#spending() };
      case Verb.SETTLE: return { key: this.#key(), costs: new Map(this.#many(() => [this.framed(), this.number(7)])) };
      case Verb.CANCEL: return { key: this.#key(), at: this.number(7), forgets: this.number(1) === 1 };
      case Verb.ACQUIRE:
      case Verb.LOOK_AT_ACQUIRE:
        return { key: this.#key(), ttl: this.number(7), lease: this.framed(), charges: this.#charges() };
      case Verb.RENEW:
      case Verb.PROLONG: return { key: this.#key(), ttl: this.number(7) };
      case Verb.RELEASE:
      case Verb.FIRST_SEEN: return { key: this.#key() };
      case Verb.RUN: return { count: this.number(2), charges: [this.#spent(this.#charge())] };
      default: throw new Malformed(`a question has the verb ${verb}, which is none`);
    }
  }

  #many(readOne) {
    const all = [];
    for (let left = this.number(2); left > 0; left--) all.push(readOne());
    return all;
  }

  #charges() {
    return this.#many(() => this.#charge());
  }

  #spending() {
    return this.#many(() => this.#spent(this.#charge()));
  }

  #charge() {
    const key = this.#key();
    const number = this.number(2);
    const policy = this.#policies[number - 1];
    if (policy === undefined) {
      throw new Malformed(`a charge names policy ${number}; the call has ${this.#policies.length}`);
    }
    const cost = this.number(7);
    if (cost < 1) throw new Malformed('a charge costs nothing; it must cost at least 1');
    return { key, policy, cost };
  }

  #charged() {
    return { ...this.#charge(), left: this.number(7), seen: this.number(2) };
  }

  /** Checks that no charge is on slots, which only a lease can hold. */
  #spent(charge) {
    if (charge.policy.kind === SLOTS) throw new Malformed('slots cannot be spent; ask to acquire them');
    return charge;
  }

  /** Reads the number of a key. The first key is the clock, which no request may name. */
  #key() {
    const number = this.number(2);
    if (number < 2 || number > this.#keyCount) {
      throw new Malformed(`a question names key ${number}; it may name 2 to ${this.#keyCount}`);
    }
    return number - 1;
  }
}
