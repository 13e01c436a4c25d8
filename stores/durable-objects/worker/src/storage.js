/**
 * What a shard keeps, in SQLite. Names and values are strings of bytes, see bytes.js; all of it is synchronous.
 *
 * Nothing here looks at the time by itself. What has ended means the same as nothing to those who read it, so that it may
 * stay until a sweep takes it away. There is no index by end, which would make every decision write twice: a sweep passes
 * over all names instead, in small steps.
 */

import { bytesOf, textOf } from './bytes.js';

/** As many values as one statement may bind. */
const MOST_BOUND = 100;
const BATCH = 1000;
const NO_NAME = new Uint8Array(0);

export class SqlStorage {
  #sql;

  constructor(sql) {
    this.#sql = sql;
    // `ends` is in milliseconds, and null for what never ends; a lease's is in microseconds.
    sql.exec(`
      CREATE TABLE IF NOT EXISTS kept (name BLOB PRIMARY KEY, value BLOB NOT NULL, ends INTEGER) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS leases (
        name BLOB, lease BLOB, units INTEGER, ends INTEGER NOT NULL, PRIMARY KEY (name, lease, units)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS leases_by_end ON leases (name, ends, units);`);
  }

  /** The values of names, in their order; null where there is none. */
  read(names) {
    const found = new Map();
    for (let i = 0; i < names.length; i += MOST_BOUND) {
      const some = names.slice(i, i + MOST_BOUND);
      const query = `SELECT name, value FROM kept WHERE name IN (${'?,'.repeat(some.length).slice(0, -1)})`;
      for (const [name, value] of this.#sql.exec(query, ...some.map(bytesOf)).raw()) {
        found.set(textOf(new Uint8Array(name)), textOf(new Uint8Array(value)));
      }
    }
    return names.map((name) => found.get(name) ?? null);
  }

  write(name, value, ends) {
    this.#sql.exec('INSERT OR REPLACE INTO kept VALUES (?, ?, ?)', bytesOf(name), bytesOf(value), ends);
  }

  remove(name) {
    this.#sql.exec('DELETE FROM kept WHERE name = ?', bytesOf(name));
  }

  /** How many units under a name are held by leases that have ended. */
  endedUnits(name, now) {
    return this.#one('SELECT coalesce(sum(units), 0) FROM leases WHERE name = ? AND ends <= ?', bytesOf(name), now);
  }

  /** The leases that have not ended, those that end first going first. */
  * leasesAfter(name, now) {
    const query = 'SELECT units, ends FROM leases WHERE name = ? AND ends > ? ORDER BY ends';
    for (const [units, ends] of this.#sql.exec(query, bytesOf(name), now).raw()) yield { units, ends };
  }

  /** When the last lease ends; null if there is none. */
  lastEnd(name) {
    return this.#one('SELECT max(ends) FROM leases WHERE name = ?', bytesOf(name));
  }

  /** When a lease ends; null if it is unknown. */
  leaseEnd(name, lease, units) {
    const query = 'SELECT max(ends) FROM leases WHERE name = ? AND lease = ? AND units = ?';
    return this.#one(query, bytesOf(name), bytesOf(lease), units);
  }

  putLease(name, lease, units, ends) {
    this.#sql.exec('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)', bytesOf(name), bytesOf(lease), units, ends);
  }

  /** Whether there was such a lease. */
  dropLease(name, lease, units) {
    const query = 'DELETE FROM leases WHERE name = ? AND lease = ? AND units = ? RETURNING 1';
    return this.#sql.exec(query, bytesOf(name), bytesOf(lease), units).toArray().length > 0;
  }

  dropEnded(name, now) {
    this.#sql.exec('DELETE FROM leases WHERE name = ? AND ends <= ?', bytesOf(name), now);
  }

  dropLeases(name) {
    this.#sql.exec('DELETE FROM leases WHERE name = ?', bytesOf(name));
  }

  /**
   * Removes, of the next thousand names, those that have ended by then.
   *
   * @param after the last name of the step before, null for the first step
   * @returns how many were removed, and the last name; null when there are no more
   */
  sweep(after, millis) {
    const from = after ?? NO_NAME;
    const findLast = 'SELECT name FROM kept WHERE name > ? ORDER BY name LIMIT 1 OFFSET ?';
    const [last] = this.#sql.exec(findLast, from, BATCH - 1);
    const names = (last === undefined
      ? this.#sql.exec('DELETE FROM kept WHERE name > ? AND ends <= ? RETURNING name', from, millis)
      : this.#sql.exec(
        'DELETE FROM kept WHERE name > ? AND name <= ? AND ends <= ? RETURNING name', from, last.name, millis)).toArray();
    for (const { name } of names) this.#sql.exec('DELETE FROM leases WHERE name = ?', name);
    return { removed: names.length, last: last?.name ?? null };
  }

  /** Whether anything is left that a sweep may remove some day. */
  hasMortals() {
    return this.#one('SELECT EXISTS (SELECT 1 FROM kept WHERE ends IS NOT NULL)') === 1;
  }

  #one(query, ...bound) {
    const [[value]] = this.#sql.exec(query, ...bound).raw();
    return value;
  }
}
