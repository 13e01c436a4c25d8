const BATCH = 1000;

/** What storage.js keeps in SQLite, in maps: for tests of what is decided, without a runtime. */
export class MemoryStorage {
  rows = new Map();
  #leases = new Map();

  read(names) {
    return names.map((name) => this.rows.get(name)?.value ?? null);
  }

  write(name, value, ends) {
    this.rows.set(name, { value, ends });
  }

  remove(name) {
    this.rows.delete(name);
  }

  endedUnits(name, now) {
    return this.#all(name).filter(({ ends }) => ends <= now).reduce((sum, { units }) => sum + units, 0);
  }

  leasesAfter(name, now) {
    return this.#all(name).filter(({ ends }) => ends > now).sort((a, b) => a.ends - b.ends);
  }

  lastEnd(name) {
    return this.#all(name).reduce((last, { ends }) => Math.max(last ?? ends, ends), null);
  }

  leaseEnd(name, lease, units) {
    return this.#leases.get(name)?.get(`${units}:${lease}`)?.ends ?? null;
  }

  putLease(name, lease, units, ends) {
    if (!this.#leases.has(name)) this.#leases.set(name, new Map());
    this.#leases.get(name).set(`${units}:${lease}`, { units, ends });
  }

  dropLease(name, lease, units) {
    return this.#leases.get(name)?.delete(`${units}:${lease}`) ?? false;
  }

  dropEnded(name, now) {
    for (const [member, { ends }] of this.#leases.get(name) ?? []) {
      if (ends <= now) this.#leases.get(name).delete(member);
    }
  }

  dropLeases(name) {
    this.#leases.delete(name);
  }

  sweep(after, millis) {
    const names = [...this.rows.keys()].sort().filter((name) => after === null || name > after).slice(0, BATCH);
    const ended = names.filter((name) => (this.rows.get(name).ends ?? Infinity) <= millis);
    for (const name of ended) {
      this.remove(name);
      this.dropLeases(name);
    }
    return { removed: ended.length, last: names.length < BATCH ? null : names[BATCH - 1] };
  }

  hasMortals() {
    return [...this.rows.values()].some(({ ends }) => ends !== null);
  }

  #all(name) {
    return [...this.#leases.get(name)?.values() ?? []];
  }
}
