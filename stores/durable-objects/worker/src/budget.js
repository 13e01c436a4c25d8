/** What a call finds under its keys: read when first needed, kept while the call lasts, written once at its end. */

import { Bucket } from './bucket.js';
import { Closed } from './closed.js';
import { Damaged, Malformed } from './errors.js';
import { parse, SLOTS } from './policy.js';
import { SlidingWindow } from './sliding.js';
import { Slots } from './slots.js';
import { CalendarWindow, FixedWindow, Streak } from './window.js';
import { WideBucket } from './wide.js';

const KINDS = [
  Bucket, Bucket, Bucket, WideBucket, FixedWindow, SlidingWindow, Streak, CalendarWindow, Slots, Closed,
];

/** A new budget of a policy. */
export const fresh = (policy, moment) => KINDS[policy.kind].fresh(policy, moment);

/** What is no budget: a record, or when a policy was met. `left` is null for what never ends. */
export class Note {
  constructor(value, left) {
    this.value = value;
    this.left = left;
  }

  encode() {
    return this;
  }
}

export class Budgets {
  #clock;
  #moment;
  #storage;
  #raws;
  #numbers = null;
  /** By the number of its key: a budget or a note; null for nothing. */
  #kept = [];
  #dirty = new Set();
  /** Keys that had slots at some time of the call. */
  #slotted = new Set();
  hasWritten = false;

  /** @param raws the values of the names, in their order; null where there is none */
  constructor(clock, moment, storage, names, raws) {
    this.#clock = clock;
    this.#moment = moment;
    this.#storage = storage;
    this.names = names;
    this.#raws = raws;
  }

  /** The numbers of keys, some of which the call did not name. */
  numbersOf(names) {
    this.#numbers ??= new Map(this.names.map((name, k) => [name, k]));
    const unread = [...new Set(names)].filter((name) => !this.#numbers.has(name));
    if (unread.length > 0) {
      this.#storage.read(unread).forEach((raw, i) => {
        this.#numbers.set(unread[i], this.names.length);
        this.names.push(unread[i]);
        this.#raws.push(raw);
      });
    }
    return names.map((name) => this.#numbers.get(name));
  }

  /** What was under a key before the call; null for nothing. */
  rawOf(k) {
    return this.#raws[k];
  }

  /** The budget as it is kept; null for none. A policy that it may well have saves reading its own. */
  load(k, expected = null) {
    let kept = this.#kept[k];
    if (kept === undefined) {
      kept = this.#decoded(k, expected);
      this.#kept[k] = kept;
    }
    if (kept instanceof Note) throw new Damaged(this.names[k]);
    return kept;
  }

  /** The value of a note; null for none. */
  note(k) {
    const kept = this.#kept[k];
    if (kept instanceof Note) return kept.value;
    if (kept !== undefined && kept !== null) throw new Damaged(this.names[k]);
    if (kept === null) return null;
    if (Slots.isState(this.#raws[k])) throw new Damaged(this.names[k]);
    return this.#raws[k];
  }

  touch(k, kept) {
    this.#kept[k] = kept;
    this.#dirty.add(k);
  }

  /** Leaves nothing, whatever there was, and were it unreadable. */
  reset(k) {
    if (this.#kept[k] === undefined && Slots.isState(this.#raws[k])) this.#slotted.add(k);
    this.touch(k, null);
  }

  /** As one who looks at it leaves it. */
  notice(k, policy) {
    const budget = this.load(k, policy);
    if (budget?.notice?.()) this.touch(k, budget);
  }

  /** The budget as this policy has it: another policy's is left as it is, and what is missing of it is missing here. */
  under(k, policy) {
    const kept = this.load(k, policy);
    if (policy.kind === SLOTS) {
      const slots = kept instanceof Slots ? kept : Slots.none(this.names[k], this.#clock, this.#storage);
      slots.policy = policy;
      return slots;
    }
    if (kept !== null && !(kept instanceof Slots) && kept.policy.prefix === policy.prefix) return kept;
    const budget = fresh(policy, this.#moment);
    const missing = kept === null ? 0 : kept.missing();
    if (missing > 0) budget.spend(Math.min(missing, policy.cap));
    return budget;
  }

  /** Spends so much more, whether it fits or not, or gives so much back. */
  adjust(k, policy, difference, at, atWall) {
    const kept = this.load(k, policy);
    if (difference === 0 || policy.kind === SLOTS || kept instanceof Slots) return;
    if (difference > 0) {
      const budget = kept ?? fresh(policy, this.#moment);
      budget.spend(difference);
      this.touch(k, budget);
    } else if (kept !== null) {
      kept.giveBack(-difference, at, atWall);
      this.touch(k, kept);
    }
  }

  /** Keeps slots of which some are about to be held, and written at once, where something else may have been. */
  keepSlots(k, slots) {
    if (this.#slotted.has(k) && this.#kept[k] !== slots) this.#storage.dropLeases(this.names[k]);
    this.#kept[k] = slots;
    this.#raws[k] ??= '';
    this.#slotted.add(k);
    this.#dirty.delete(k);
    this.hasWritten = true;
  }

  write() {
    for (const k of this.#dirty) {
      const name = this.names[k];
      const state = this.#kept[k]?.encode() ?? null;
      // Their holders hold nothing any more.
      if (this.#slotted.has(k)) this.#storage.dropLeases(name);
      if (state !== null) {
        this.#storage.write(name, state.value, state.left === null ? null : this.#clock.endOf(state.left));
        this.hasWritten = true;
      } else if (this.#raws[k] !== null) {
        this.#storage.remove(name);
        this.hasWritten = true;
      }
    }
  }

  #decoded(k, expected) {
    const raw = this.#raws[k];
    const name = this.names[k];
    if (raw === null) return null;
    if (Slots.isState(raw)) {
      this.#slotted.add(k);
      return Slots.decode(name, this.#clock, this.#storage, raw);
    }
    const policy = expected !== null && raw.startsWith(expected.prefix) ? expected : policyOf(raw);
    if (policy === null || policy.kind >= SLOTS) throw new Damaged(name);
    const budget = KINDS[policy.kind].decode(policy, this.#moment, raw, policy.prefix.length);
    if (budget === null) throw new Damaged(name);
    return budget;
  }
}

function policyOf(raw) {
  try {
    return parse(raw);
  } catch (e) {
    if (e instanceof Malformed) return null;
    throw e;
  }
}
