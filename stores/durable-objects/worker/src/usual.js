/**
 * The usual call: nothing but consume, nothing but token buckets that begin full, every key under the policy with which it
 * is charged. In such a call a run, which may stand for hundreds of askers, is decided in one go and answered with two
 * numbers, from which the caller makes all readings itself.
 */

import { packed } from './bytes.js';
import { Bucket } from './bucket.js';
import { Verb } from './question.js';

export function isUsual(policies, questions, budgets, moment) {
  if (policies.some(({ kind }) => kind > 1)) return false;
  const charged = new Map();
  for (const { verb, charges } of questions) {
    if (verb !== Verb.CONSUME && verb !== Verb.RUN) return false;
    if (charges.length > 1 && new Set(charges.map(({ key }) => key)).size < charges.length) return false;
    for (const { key, policy } of charges) {
      const known = charged.get(key);
      if (known === undefined ? !isUnder(policy, budgets.rawOf(key), moment) : known !== policy) return false;
      charged.set(key, policy);
    }
  }
  return true;
}

function isUnder(policy, raw, moment) {
  return raw === null
    || (raw.startsWith(policy.prefix) && Bucket.decode(policy, moment, raw, policy.prefix.length) !== null);
}

/** As many as fit, one after another: what was missing before tells the caller the rest. */
export function runTogether(budgets, { count, charges: [{ key, policy, cost }] }) {
  const bucket = budgets.under(key, policy);
  const before = bucket.deficit;
  const price = cost * policy.token;
  const admitted = Math.max(0, Math.min(count, Math.floor((policy.full - before) / price)));
  if (admitted > 0) {
    bucket.deficit = before + admitted * price;
    budgets.touch(key, bucket);
  }
  return packed(9, 1) + packed(before, 7) + packed(admitted, 2);
}
