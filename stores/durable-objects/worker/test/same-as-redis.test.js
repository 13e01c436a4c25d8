/**
 * The same random calls to the Redis store's own script, in a real Redis, and to the worker's decisions: every answer is
 * the same, byte by byte, and so is every value that is kept, and its end.
 *
 * WEIR_REDIS_SERVER is the program of Redis; WEIR_HISTORIES is how many histories are made, WEIR_SEED the first one's seed.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../src/answer.js';
import { MemoryStorage } from './memory-storage.js';
import { RandomHistory } from './random-history.js';
import { RedisOracle } from './redis.js';

const binary = process.env.WEIR_REDIS_SERVER;
const histories = Number(process.env.WEIR_HISTORIES ?? 300);
const firstSeed = Number(process.env.WEIR_SEED ?? 1);
const CALLS = 60;
/** What the script adds to the end of a key's life when its clock is given; see call.lua. */
const FAR_AHEAD = 40_000_000_000_000;

const hex = (text) => Buffer.from(text, 'latin1').toString('hex');

const options = { skip: binary ? false : 'WEIR_REDIS_SERVER is not set' };

test('random histories are answered as by Redis', options, async (t) => {
  const redis = await RedisOracle.start(binary);
  t.after(() => redis.stop());
  const seen = new Map();
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    await redis.command('FLUSHALL');
    const storage = new MemoryStorage();
    const history = new RandomHistory(seed);
    for (let i = 0; i < CALLS; i++) {
      const { keys, argument, given, told } = history.next();
      const expected = await redis.answer(keys, argument, `${given.now} ${given.wall * 1000}`);
      const found = answer({ keys: [...keys], argument, given }, storage, 0);
      const where = `seed ${seed}, call ${i}: ${told}`;
      assert.equal(typeof expected, 'string', where);
      assert.equal(hex(found), hex(expected), where);
      history.heard(found);
      for (const kind of told.split(' ')) seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    assert.equal(storage.rows.size, Number(await redis.command('DBSIZE')), `seed ${seed}`);
    for (const [name, { value, ends }] of storage.rows) {
      const life = Number(await redis.command('PEXPIRETIME', name));
      assert.equal(ends, life === -1 ? null : life - FAR_AHEAD, `seed ${seed}, end of ${name}`);
      // Slots are kept in another form.
      if (value.startsWith('\x80')) continue;
      assert.equal(hex(value), hex(await redis.command('GET', name) ?? ''), `seed ${seed}, ${name}`);
    }
  }
  t.diagnostic([...seen].map(([kind, count]) => `${kind} ${count}`).join(', '));
});
