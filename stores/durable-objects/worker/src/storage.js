/**
 * The storage of a shard, in SQLite. Names and values are strings of bytes, see bytes.js; all operations are synchronous.
 *
 * The storage reads no clock. Readers treat an expired value as absent, so it may stay until a sweep removes it. There is no
 * index by expiry, because every decision would then write twice; instead a sweep scans all names in small steps.
 */

import { bytesOf, textOf } from './bytes.js';

/** Maximum number of values that one statement may bind. */
const MOST_BOUND = 100;
const BATCH = 1000;
const NO_NAME = new Uint8Array(0);

export class SqlStorage {
  #sql;

  constructor(sql) {
    this.#sql = sql;
    // `ends` is the expiry in milliseconds, null for never; for a lease it is in microseconds.
    sql.exec(`
      CREATE TABLE IF NOT EXISTS kept (name BLOB PRIMARY KEY, value BLOB NOT NULL, ends INTEGER) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS leases (
        name BLOB, lease BLOB, units INTEGER, ends INTEGER NOT NULL, PRIMARY KEY (name, lease, units)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS leases_by_end ON leases (name, ends, units);`);
  }

  /** The values of names, in their order; null for an absent one. */
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

  /** The number of units under a name that expired leases hold. */
  endedUnits(name, now) {
    return this.#one('SELECT coalesce(sum(units), 0) FROM leases WHERE name = ? AND ends <= ?', bytesOf(name), now);
  }

  /** The leases that have not expired, in the order of their expiries. */
  * leasesAfter(name, now) {
    const query = 'SELECT units, ends FROM leases WHERE name = ? AND ends > ? ORDER BY ends';
    for (const [units, ends] of this.#sql.exec(query, bytesOf(name), now).raw()) yield { units, ends };
  }

  /** The expiry of the last lease; null if there is none. */
  lastEnd(name) {
    return this.#one('SELECT max(ends) FROM leases WHERE name = ?', bytesOf(name));
  }

  /** The expiry of a lease; null if it does not exist. */
  leaseEnd(name, lease, units) {
    const query = 'SELECT max(ends) FROM leases WHERE name = ? AND lease = ? AND units = ?';
    return this.#one(query, bytesOf(name), bytesOf(lease), units);
  }

  putLease(name, lease, units, ends) {
    this.#sql.exec('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)', bytesOf(name), bytesOf(lease), units, ends);
  }

  /** Removes a lease; returns whether it existed. */
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
   * Removes the expired ones among the next thousand names.
   *
   * @param after the last name of the previous step; null for the first step
   * @returns how many were removed, and the last name, which is null if there are no more
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

  /** Whether there are values that will expire. */
  hasMortals() {
    return this.#one('SELECT EXISTS (SELECT 1 FROM kept WHERE ends IS NOT NULL)') === 1;
  }

  #one(query, ...bound) {
    const [[value]] = this.#sql.exec(query, ...bound).raw();
    return value;
  }
}
