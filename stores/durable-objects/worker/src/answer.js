/**
 * Decides calls. The replies, each after its kind (1 byte):
 *
 *   1  consume, peek      readings
 *   2  the others         outcome: 0 no or unknown, 1 yes or done, 2 closed already (1 byte)
 *   3  reserve            creation time (0 for no reservation, and for a peek), readings
 *   4  acquire            1 if it was held already, readings
 *   5  first seen         when a policy was first seen
 *   6  settle             length, scope that is not reserved
 *   7  any                length, policy whose additional data is needed
 *   8  any                length, error message
 *   9  run                deficit before, number admitted (2 bytes), for a bucket that begins full
 *   10 run                n, readings
 *   11 reserve            the reservation has other keys
 *
 * The replies follow a header: whether anything was written (1 byte, 0 for nothing), now (7 bytes, microseconds) and wall
 * (6 bytes, milliseconds).
 *
 * Requests are decided in their order, at one time; each spends all charges or none. Nothing is written before all are
 * decided, except slots; the caller's transaction rolls those back if anything fails.
 */

import { Budgets, Note } from './budget.js';
import { framed, packed } from './bytes.js';
import { Clock } from './clock.js';
import { decide, look } from './decide.js';
import { Damaged, TooLarge, Unexplained } from './errors.js';
import { acquire, release, renew } from './leases.js';
import { Moment } from './script-time.js';
import { readQuestions, Verb } from './request.js';
import { cancel, prolong, reserve, settle } from './reservations.js';

/** Bounds the result, because a short call can cause many replies with a long name. */
const LONGEST = 4 << 20;
const DONE = '\x02\x01';
/** The lowest kinds of policies are buckets that begin full. */
const LAST_FULL_BUCKET = 1;

const verbs = new Map([
  [Verb.CONSUME, ({ budgets }, { charges }) => packed(1, 1) + decide(budgets, charges).readings.join('')],
  [Verb.PEEK, ({ budgets }, { charges }) => packed(1, 1) + look(budgets, charges).readings.join('')],
  [Verb.GIVE_BACK, giveBack],
  [Verb.RESET, reset],
  [Verb.RESERVE, reserve],
  [Verb.SETTLE, settle],
  [Verb.CANCEL, cancel],
  [Verb.ACQUIRE, acquire],
  [Verb.RENEW, renew],
  [Verb.RELEASE, release],
  [Verb.FIRST_SEEN, firstSeen],
  [Verb.RUN, run],
  [Verb.LOOK_AT_RESERVE, reserve],
  [Verb.LOOK_AT_ACQUIRE, acquire],
  [Verb.PROLONG, prolong],
]);

/**
 * Decides a call, see call.js. Reads from and writes to the storage synchronously, see storage.js.
 *
 * @param given the clock of a test; null for the machine's
 */
export function answer({ keys, argument, given }, storage, nowMillis) {
  const raws = storage.read(keys);
  const clock = new Clock(keys[0], raws[0], given, nowMillis);
  const moment = new Moment(clock.now, clock.wall);
  const questions = readQuestions(argument, keys.length, moment);
  const budgets = new Budgets(clock, moment, storage, keys, raws);
  const answers = answerAll({ budgets, moment }, questions);
  budgets.write();
  clock.write(storage, budgets.hasWritten);
  return packed(budgets.hasWritten ? 1 : 0, 1) + packed(clock.now, 7) + packed(clock.wall, 6) + answers;
}

function answerAll(call, questions) {
  let answers = '';
  for (const question of questions) {
    answers += answerOne(call, question);
    if (answers.length > LONGEST) throw new TooLarge(`the answers take more than ${LONGEST} bytes`);
  }
  return answers;
}

/** Decides one request. A damaged value fails its own request only, not the others of the batch. */
function answerOne(call, question) {
  try {
    return verbs.get(question.verb)(call, question);
  } catch (e) {
    if (e instanceof Unexplained) return packed(7, 1) + framed(e.prefix);
    if (e instanceof Damaged) return packed(8, 1) + framed(e.message);
    throw e;
  }
}

function giveBack({ budgets }, { at, atWall, charges }) {
  for (const { key, policy } of charges) budgets.load(key, policy);
  for (const { key, policy, cost, left, seen } of charges) budgets.adjust(key, policy, -cost, { at, atWall, left, seen });
  return DONE;
}

function reset({ budgets }, { keys }) {
  for (const key of keys) budgets.reset(key);
  return DONE;
}

/** Stores without expiry when a policy was first seen, because every later call must get the same time. */
function firstSeen({ budgets, moment }, { key }) {
  let known = budgets.note(key);
  if (known === null) {
    known = String(moment.now);
    budgets.touch(key, new Note(known, null));
  }
  if (!/^\d{1,16}$/.test(known)) throw new Damaged(budgets.names[key]);
  return packed(5, 1) + packed(Number(known), 7);
}

/** Decides a run on a bucket at once. The caller computes the readings from the deficit before the run. */
function run({ budgets }, { count, charges }) {
  const [{ key, policy, cost }] = charges;
  const bucket = budgets.find(key, policy);
  if (policy.kind <= LAST_FULL_BUCKET && budgets.resetsSeen(key) === 0) {
    const before = bucket.deficit;
    const admitted = Math.max(0, Math.min(count, Math.floor(bucket.available() / cost)));
    if (admitted > 0) {
      bucket.spend(admitted * cost);
      budgets.touch(key, bucket);
    }
    return packed(9, 1) + packed(before, 7) + packed(admitted, 2);
  }
  let readings = '';
  for (let left = count; left > 0; left--) readings += decide(budgets, charges).readings[0];
  return packed(10, 1) + packed(count, 2) + readings;
}
