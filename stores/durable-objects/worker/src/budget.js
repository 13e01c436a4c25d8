/** What a call finds under its keys: read when first needed, kept while the call lasts, written once at its end. */

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
 * The last reset of a key stands before its state, or alone, after a byte that begins no policy: when it was (7 bytes), and
 * how many there were at that very time (2 bytes). It is remembered for the longest ttl.
 */
const MARK = '\xff';
const MARK_LENGTH = 10;
const REMEMBERED = 604_800_000_000;
const MOST_COUNTED = 65_535;

/** The first kind of policy that has windows, which end. */
const FIRST_WINDOW = 4;
const CALENDAR = 7;

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
  /** The last reset by the number of its key. */
  #marks = [];
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

  /** Makes a budget whole, whatever it is, and were it unreadable; slots are free again. */
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

  /** How many resets of the key came before at this very time. */
  resetsSeen(k) {
    const mark = this.#marks[k];
    return mark?.at === this.#moment.now ? mark.count : 0;
  }

  /** The budget as this policy has it: another policy's is left as it is, and what was spent of it is spent here. */
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

  /** The same, and leaves it as one does who looks at it. */
  find(k, policy) {
    const kept = this.load(k, policy);
    if (kept?.notice?.()) this.touch(k, kept);
    return this.under(k, policy);
  }

  /**
   * Spends so much more, whether it fits or not, or gives so much back of what was spent: when (at, atWall), how long it was
   * until the budget was whole (left), and how many resets there were at that very time (seen).
   */
  adjust(k, policy, difference, spent) {
    const kept = this.load(k, policy);
    if (difference === 0 || policy.kind === SLOTS || kept instanceof Slots) return;
    if (difference > 0) {
      // A whole budget is as good as none.
      const isWhole = kept === null || (kept.policy.prefix !== policy.prefix && kept.encode() === null);
      const budget = isWhole ? fresh(policy, this.#moment) : kept;
      budget.spend(difference);
      this.touch(k, budget);
    } else if (kept !== null && this.#isStillSpent(k, kept, policy, spent)) {
      kept.giveBack(-difference, spent.at, spent.atWall);
      this.touch(k, kept);
    }
  }

  /** Whether no reset came since, and the window has not ended in which it was spent, or its own budget knows. */
  #isStillSpent(k, kept, { kind, prefix }, { at, atWall, left, seen }) {
    const mark = this.#marks[k];
    if (mark !== undefined && (at < mark.at || (at === mark.at && seen < mark.count))) return false;
    if (kind < FIRST_WINDOW || kept.policy.prefix === prefix) return true;
    return kind === CALENDAR ? this.#moment.wall < atWall + left / 1000 : this.#moment.now < at + left;
  }

  /** What was spent, in whole units: what a budget of which nothing is spent has more. */
  #spentOf(kept) {
    return kept instanceof Slots ? kept.held : fresh(kept.policy, this.#moment).available() - kept.available();
  }

  /** Keeps slots of which some are about to be held, and written at once, where something else may have been. */
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

  #marked(k, state) {
    const mark = this.#marks[k];
    if (mark === undefined) return state;
    const left = Math.max(state?.left ?? 0, mark.at + REMEMBERED - this.#moment.now);
    return { value: MARK + packed(mark.at, 7) + packed(mark.count, 2) + (state?.value ?? ''), left };
  }

  /** What stands behind the mark of a reset, if there is one. */
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
