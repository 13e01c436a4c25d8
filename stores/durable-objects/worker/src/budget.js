/** The values of a call's keys: decoded on first use, cached for the duration of the call, written once at its end. */

import { Bucket } from './bucket.js';
import { numberAt, packed } from './bytes.js';
import { Closed } from './closed.js';
import { Damaged, Malformed } from './errors.js';
import { parse, SLOTS } from './policy.js';
import { SlidingWindow } from './sliding.js';
import { Slots } from './slots.js';
import { CalendarWindow, FixedWindow, Streak } from './window.js';

const KINDS = [Bucket, Bucket, Bucket, Bucket, FixedWindow, SlidingWindow, Streak, CalendarWindow, Slots, Closed];

/**
 * The mark of a key's last reset, stored before its state, or alone: a byte that begins no policy, the time in microseconds
 * (7 bytes), and the number of resets at that microsecond (2 bytes). It is kept for the longest time to live of a hold.
 */
const MARK = '\xff';
const MARK_LENGTH = 10;
const REMEMBERED = 604_800_000_000;
const MOST_COUNTED = 65_535;

/** The first kind of policy with windows. Lower kinds are buckets. */
const FIRST_WINDOW = 4;
const CALENDAR = 7;

/** The budget of an absent key under a policy. */
export const fresh = (policy, moment) => KINDS[policy.kind].fresh(policy, moment);

/** A value that is no budget: a record, or when a policy was first seen. `left` is null if it never expires. */
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
  /** Budgets and notes by the index of their key; null if there is none. */
  #kept = [];
  #dirty = new Set();
  /** The last reset by the index of its key. */
  #marks = [];
  /** Keys that had slots at any time during the call. */
  #slotted = new Set();
  hasWritten = false;

  /** @param raws the stored values in the order of the names; null for an absent key */
  constructor(clock, moment, storage, names, raws) {
    this.#clock = clock;
    this.#moment = moment;
    this.#storage = storage;
    this.names = names;
    this.#raws = raws;
  }

  /** The indexes of keys, some of which the call did not name; reads those. */
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

  /** The budget as stored; null if there is none. If `expected` is its policy, that policy is not decoded again. */
  load(k, expected = null) {
    let kept = this.#kept[k];
    if (kept === undefined) {
      kept = this.#decoded(k, expected);
      this.#kept[k] = kept;
    }
    if (kept instanceof Note) throw new Damaged(this.names[k]);
    return kept;
  }

  /** The value of a note; null if there is none. */
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

  /** Resets a budget to full, of any kind and even if it is damaged; frees slots. */
  reset(k) {
    const kept = this.#kept[k];
    const raw = this.#raws[k];
    if (kept === undefined && Slots.isState(raw)) this.#slotted.add(k);
    else if (kept === undefined && raw !== null && raw.length >= MARK_LENGTH) this.#unmarked(k, raw);
    const { now } = this.#moment;
    const before = this.#marks[k];
    this.#marks[k] = { at: now, count: before?.at === now ? Math.min(before.count + 1, MOST_COUNTED) : 1 };
    this.touch(k, null);
  }

  /** The number of resets of the key at this microsecond so far. */
  resetsSeen(k) {
    const mark = this.#marks[k];
    return mark?.at === this.#moment.now ? mark.count : 0;
  }

  /** The budget under this policy. A stored budget of another policy stays unchanged; its spent units are carried over. */
  under(k, policy) {
    const kept = this.load(k, policy);
    if (policy.kind === SLOTS) {
      const slots = kept instanceof Slots ? kept : Slots.none(this.names[k], this.#clock, this.#storage);
      slots.policy = policy;
      return slots;
    }
    if (kept !== null && !(kept instanceof Slots) && kept.policy.prefix === policy.prefix) return kept;
    const budget = fresh(policy, this.#moment);
    const spent = kept === null ? 0 : this.#spentOf(kept);
    if (spent > 0) budget.spend(Math.min(spent, policy.cap));
    return budget;
  }

  /** Like `under`, and first stores the change that a check makes to a calendar window that lies ahead. */
  find(k, policy) {
    const kept = this.load(k, policy);
    if (kept?.notice?.()) this.touch(k, kept);
    return this.under(k, policy);
  }

  /**
   * Spends the difference, whether it fits or not, or refunds it if negative. The charge is described by its time (at,
   * atWall), the time until the budget was full then (left), and the number of resets at that microsecond before it (seen).
   */
  adjust(k, policy, difference, spent) {
    const kept = this.load(k, policy);
    if (difference === 0 || policy.kind === SLOTS || kept instanceof Slots) return;
    if (difference > 0) {
      // A full budget of another policy is replaced.
      const isWhole = kept === null || (kept.policy.prefix !== policy.prefix && kept.encode() === null);
      const budget = isWhole ? fresh(policy, this.#moment) : kept;
      budget.spend(difference);
      this.touch(k, budget);
    } else if (kept !== null && this.#isStillSpent(k, kept, policy, spent)) {
      kept.giveBack(-difference, spent.at, spent.atWall);
      this.touch(k, kept);
    }
  }

  /** Whether a charge can still be refunded: no reset since, and its window has not ended or its policy is still stored. */
  #isStillSpent(k, kept, { kind, prefix }, { at, atWall, left, seen }) {
    const mark = this.#marks[k];
    if (mark !== undefined && (at < mark.at || (at === mark.at && seen < mark.count))) return false;
    if (kind < FIRST_WINDOW || kept.policy.prefix === prefix) return true;
    return kind === CALENDAR ? this.#moment.wall < atWall + left / 1000 : this.#moment.now < at + left;
  }

  /** The spent units: the difference to an unused budget. */
  #spentOf(kept) {
    return kept instanceof Slots ? kept.held : fresh(kept.policy, this.#moment).available() - kept.available();
  }

  /** Makes slots the value of a key and discards its earlier value. Slots are written at once, not by `write`. */
  keepSlots(k, slots) {
    if (this.#slotted.has(k) && this.#kept[k] !== slots) this.#storage.dropLeases(this.names[k]);
    this.#kept[k] = slots;
    this.#raws[k] ??= '';
    this.#slotted.add(k);
    this.#dirty.delete(k);
    this.#marks[k] = undefined;
    this.hasWritten = true;
  }

  write() {
    for (const k of this.#dirty) {
      const name = this.names[k];
      const state = this.#marked(k, this.#kept[k]?.encode() ?? null);
      // The key had slots, which a state or a reset replaces.
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

  #marked(k, state) {
    const mark = this.#marks[k];
    if (mark === undefined) return state;
    const left = Math.max(state?.left ?? 0, mark.at + REMEMBERED - this.#moment.now);
    return { value: MARK + packed(mark.at, 7) + packed(mark.count, 2) + (state?.value ?? ''), left };
  }

  /** Decodes the reset mark, if there is one, and returns the state after it. */
  #unmarked(k, raw) {
    if (!raw.startsWith(MARK)) return raw;
    if (raw.length < MARK_LENGTH) throw new Damaged(this.names[k]);
    const mark = { at: numberAt(raw, 1, 7), count: numberAt(raw, 8, 2) };
    this.#marks[k] = this.#moment.now - mark.at < REMEMBERED ? mark : undefined;
    return raw.slice(MARK_LENGTH);
  }

  #decoded(k, expected) {
    const name = this.names[k];
    if (this.#raws[k] === null) return null;
    if (Slots.isState(this.#raws[k])) {
      this.#slotted.add(k);
      return Slots.decode(name, this.#clock, this.#storage, this.#raws[k]);
    }
    const raw = this.#unmarked(k, this.#raws[k]);
    if (raw === '' && this.#raws[k] !== '') return null;
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
