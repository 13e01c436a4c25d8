/** When the alarm is set, and what it removes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sweeper } from '../src/sweep.js';
import { MemoryStorage } from './memory-storage.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_790_000_000_000;

/** The part of an object's storage that has to do with alarms. */
class Durable {
  alarm = null;

  async getAlarm() {
    return this.alarm;
  }

  async setAlarm(millis) {
    this.alarm = millis;
  }

  transactionSync(work) {
    return work();
  }
}

async function started(durable, rows) {
  const sweeper = new Sweeper(durable, rows);
  await sweeper.wake();
  return sweeper;
}

test('the alarm is set an hour after the first write, and not moved by later ones', async () => {
  const durable = new Durable();
  const rows = new MemoryStorage();
  const sweeper = await started(durable, rows);
  await sweeper.arm(NOW);
  await sweeper.arm(NOW + 5);
  assert.equal(durable.alarm, NOW + HOUR);
  const restarted = await started(durable, rows);
  await restarted.arm(NOW + 9);
  assert.equal(durable.alarm, NOW + HOUR);
});

test('the alarm is set again while anything is left that will end, and then no more', async () => {
  const durable = new Durable();
  const rows = new MemoryStorage();
  rows.write('clock', 'x', null);
  rows.write('bucket', 'x', NOW);
  const sweeper = await started(durable, rows);
  const late = NOW + DAY - 1;
  for (const [now, alarm, size] of [[NOW + HOUR, NOW + 2 * HOUR, 2], [late, late + HOUR, 2], [late + 1, null, 1]]) {
    durable.alarm = null;
    await sweeper.ring(now);
    assert.equal(durable.alarm, alarm);
    assert.equal(rows.rows.size, size);
  }
  await sweeper.arm(NOW + 2 * DAY);
  assert.equal(durable.alarm, NOW + 2 * DAY + HOUR);
});

test('a sweep is made in steps, between which others are answered', async () => {
  const durable = new Durable();
  const rows = new MemoryStorage();
  for (let i = 0; i < 2500; i++) rows.write(`k${String(i).padStart(4, '0')}`, 'x', i % 2 === 0 ? NOW : NOW + 1);
  const sweeper = await started(durable, rows);
  let between = 0;
  const others = setInterval(() => between++, 0);
  const removed = await sweeper.sweep(NOW + DAY);
  clearInterval(others);
  assert.equal(removed, 1250);
  assert.equal(rows.rows.size, 1250);
  assert.ok(between >= 1);
});
