/** Random histories in the real runtime: SQLite keeps what maps keep. WEIR_WORKERD is the program of the runtime. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../src/answer.js';
import { bytesOf } from '../src/bytes.js';
import { MemoryStorage } from './memory-storage.js';
import { RandomHistory } from './random-history.js';
import { Runtime, workerd } from './runtime.js';
import { bodyText } from './wire.js';

const HISTORIES = Number(process.env.WEIR_RUNTIME_HISTORIES ?? 20);
const CALLS = 40;

const options = { skip: workerd ? false : 'WEIR_WORKERD is not set' };

test('random histories are answered the same in the runtime', options, async (t) => {
  const runtime = await Runtime.start({ WEIR_TEST_CLOCK: 'on' });
  t.after(() => runtime.stop());
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const storage = new MemoryStorage();
    const history = new RandomHistory(seed);
    for (let i = 0; i < CALLS; i++) {
      const { keys, argument, given, told } = history.next();
      // A prefix of its own for each: two histories share a shard without meeting.
      const body = bytesOf(bodyText(keys.map((key) => `${seed}${key}`), argument, `${given.now} ${given.wall * 1000}`));
      const response = await runtime.post(`/v1/shards/${seed % 64}`, body);
      const found = Buffer.from(await response.arrayBuffer()).toString('hex');
      const expected = answer({ keys: keys.map((key) => `${seed}${key}`), argument, given }, storage, 0);
      assert.equal(found, Buffer.from(expected, 'latin1').toString('hex'), `seed ${seed}, call ${i}: ${told}`);
      history.heard(expected);
    }
  }
});
