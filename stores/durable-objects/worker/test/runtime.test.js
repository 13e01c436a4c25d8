/** The worker in the real runtime: who is let in, what is refused, what outlives a crash. WEIR_WORKERD is its program. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { numberAt } from '../src/bytes.js';
import { Runtime, TOKEN, workerd } from './runtime.js';
import { bodyText, CallWriter, fixedWindow, SECOND, shortBucket, slots } from './wire.js';

const START = 1_790_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TEN = shortBucket(10, 6, 0, 6);
const given = (millis) => `${millis * 1000} ${millis * 1000}`;

const bytesIn = async (response) => Buffer.from(await response.arrayBuffer()).toString('latin1');

/** Status and remaining of the only reading. */
async function readingIn(response, at = 15) {
  assert.equal(response.status, 200);
  const text = await bytesIn(response);
  return [text.charCodeAt(at), numberAt(text, at + 1, 7)];
}

async function refused(response, status, words) {
  assert.equal(response.status, status);
  assert.match(await response.text(), words);
}

describe('the worker', { skip: workerd ? false : 'WEIR_WORKERD is not set', timeout: 60_000 }, () => {
  let runtime;
  before(async () => {
    runtime = await Runtime.start({ WEIR_TEST_CLOCK: 'on' });
  });
  after(() => runtime.stop());

  test('lets in who has the token, and nobody else', async () => {
    const health = await runtime.fetch('/v1/health');
    assert.equal(await health.text(), 'ok');
    assert.equal(health.headers.get('Weir-Protocol'), '2');
    for (const path of ['/v1/health', '/v1/shards/0', '/v1/settings/weir', '/nothing']) {
      for (const wrong of ['', 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN]) {
        await refused(await runtime.fetch(path, { headers: { Authorization: wrong } }), 401, /token is missing or wrong/);
      }
    }
    await refused(await fetch(`${runtime.url}/v1/health`), 401, /token is missing or wrong/);
  });

  test('without a secret lets nobody in', async () => {
    for (const environment of [{ WEIR_TOKEN: '' }, { WEIR_TOKEN: undefined }]) {
      const open = await Runtime.start(environment);
      try {
        await refused(await open.fetch('/v1/health', { headers: { Authorization: 'Bearer' } }), 503, /WEIR_TOKEN is not set/);
        await refused(await open.post('/v1/shards/0', ''), 503, /WEIR_TOKEN is not set/);
      } finally {
        await open.stop();
      }
    }
  });

  test('speaks one protocol', async () => {
    assert.equal((await runtime.fetch('/v1/health', { headers: { 'Weir-Protocol': '2' } })).status, 200);
    await refused(await runtime.fetch('/v1/health', { headers: { 'Weir-Protocol': '1' } }), 400, /version 2 of the protocol/);
  });

  test('has what it has, and nothing else', async () => {
    for (const path of ['/', '/v1', '/v1/shards', '/v1/shards/', '/v1/shards/128', '/v1/shards/-1', '/v1/shards/1000',
      '/v1/shards/0/more', '/v1/settings/', '/v1/settings/a%2Fb', `/v1/settings/${'x'.repeat(65)}`, '/v1/health/more']) {
      await refused(await runtime.fetch(path), 404, /nothing here/);
    }
    const wrong = await runtime.fetch('/v1/shards/0');
    assert.equal(wrong.headers.get('Allow'), 'POST');
    await refused(wrong, 405, /cannot be done/);
    await refused(await runtime.fetch('/v1/settings/weir', { method: 'DELETE' }), 405, /cannot be done/);
  });

  test('refuses what makes no sense, and changes nothing', async () => {
    const call = new CallWriter('malformed:{00}c').consume(['malformed:{00}ba', TEN, 4]);
    const whole = call.body(given(START));
    await refused(await runtime.post('/v1/shards/1', ''), 400, /ends 4 bytes too early/);
    await refused(await runtime.post('/v1/shards/1', whole.subarray(0, whole.length - 1)), 400, /too early/);
    await refused(await runtime.post('/v1/shards/1', Buffer.concat([whole, Buffer.from('x')])), 400, /too many/);
    await refused(await runtime.post('/v1/shards/1', new Uint8Array((1 << 20) + 1)), 413, /more than 1048576 bytes/);
    // Without a length before it.
    const chunks = new Blob([new Uint8Array((1 << 20) + 1)]).stream();
    await refused(
      await runtime.fetch('/v1/shards/1', { method: 'POST', body: chunks, duplex: 'half' }), 413, /more than 1048576 bytes/);
    assert.deepEqual(await readingIn(await runtime.post('/v1/shards/1', whole)), [0, 6]);
  });

  test('takes back all of a call that fails half way', async () => {
    const key = 'half:{00}bh';
    const long = `half:{00}b${'x'.repeat(60_000)}`;
    // Slots are written at once; the record that comes after is too long to be kept.
    const failing = new CallWriter('half:{00}c')
      .acquire('half:{00}la', 60 * SECOND, 'a', [[key, slots(1), 1]])
      .reserve('half:{00}ra', SECOND, Array.from({ length: 20 }, () => [long, shortBucket(500, 1), 1]));
    await refused(await runtime.post('/v1/shards/2', failing.body(given(START))), 413, /held under one id/);
    const next = new CallWriter('half:{00}c').acquire('half:{00}lb', 60 * SECOND, 'b', [[key, slots(1), 1]]);
    assert.deepEqual(await readingIn(await runtime.post('/v1/shards/2', next.body(given(START))), 16), [0, 0]);
  });

  test('answers as Redis would when the clock is none of Weir', async () => {
    const seen = new CallWriter('broken:{00}c').firstSeen('broken:{00}m');
    await runtime.post('/v1/shards/3', seen.body(given(START)));
    const asClock = new CallWriter('broken:{00}m').firstSeen('broken:{00}other');
    const response = await runtime.post('/v1/shards/3', asClock.body(given(START)));
    await refused(response, 422, /^WEIR the value of broken:\{00\}m is no clock of Weir$/);
  });

  test('keeps names of any bytes apart', async () => {
    const names = [
      '\x00', '\x00\x00', 'a\x00b', 'a', '\xff\xfe', '%', "'; DROP TABLE kept; --", '__proto__', '\xc3\xa9', '\xe9',
    ];
    const call = new CallWriter('any:{00}c');
    names.forEach((name, i) => call.consume([name, TEN, 1 + i % 9]));
    assert.equal((await runtime.post('/v1/shards/4', call.body(given(START)))).status, 200);
    for (let i = 0; i < names.length; i++) {
      const peek = new CallWriter('any:{00}c').peek([names[i], TEN, 1]);
      assert.deepEqual(await readingIn(await runtime.post('/v1/shards/4', peek.body(given(START)))), [1, 9 - i % 9]);
    }
  });

  test('decides two thousand keys in one call', async () => {
    const each = Array.from({ length: 2047 }, (_, i) => [`many:{00}b${i}`, TEN, 1 + i % 10]);
    const body = () => {
      const asked = new CallWriter('many:{00}c');
      asked.consume(...each);
      return asked.body(given(START));
    };
    const first = await bytesIn(await runtime.post('/v1/shards/5', body()));
    assert.equal(first.length, 15 + 2047 * 22);
    each.forEach(([, , cost], i) => assert.equal(numberAt(first, 15 + i * 22 + 1, 7), 10 - cost));
    const second = await bytesIn(await runtime.post('/v1/shards/5', body()));
    assert.equal(second.charCodeAt(0), 0);
  });

  test('never admits one too many, however many ask at once', async () => {
    const policy = fixedWindow(100, 3600 * SECOND);
    const body = new CallWriter('crowd:{00}c').consume(['crowd:{00}ba', policy, 1]).body(given(START));
    const ask = async () => readingIn(await runtime.post('/v1/shards/6', body));
    const all = await Promise.all(Array.from({ length: 300 }, ask));
    assert.equal(all.filter(([status]) => status === 0).length, 100);
  });

  test('sweeps what ended a day ago, and no answer changes', async () => {
    const ask = (call, millis) => runtime.post('/v1/shards/7', call.body(given(millis)));
    const clock = 'swept:{00}c';
    const short = new CallWriter(clock);
    const keys = Array.from({ length: 1500 }, (_, i) => `swept:{00}b${i}`);
    for (let i = 0; i < keys.length; i += 500) {
      const some = new CallWriter(clock);
      some.consume(...keys.slice(i, i + 500).map((key) => [key, TEN, 1]));
      assert.equal((await ask(some, START)).status, 200);
    }
    const month = fixedWindow(5, 30 * 86_400 * SECOND);
    short.consume(['swept:{00}bmonth', month, 5]).firstSeen('swept:{00}mx')
      .acquire('swept:{00}la', 10 * SECOND, 'a', [['swept:{00}bslots', slots(2), 1]]);
    assert.equal((await ask(short, START)).status, 200);
    const sweep = async (millis) => (await runtime.post('/v1/shards/7/sweep', String(millis))).text();
    assert.equal(await sweep(START + DAY), '0');
    // All but the month, the first-seen time and the clock: the buckets, the slots, the lease.
    assert.equal(await sweep(START + DAY + 60_000), '1502');
    assert.equal(await sweep(START + DAY + 60_000), '0');
    const peek = new CallWriter(clock).peek(['swept:{00}bmonth', month, 1]);
    assert.deepEqual(await readingIn(await ask(peek, START + 29 * DAY)), [2, 0]);
    const seen = await bytesIn(await ask(new CallWriter(clock).firstSeen('swept:{00}mx'), START + 29 * DAY));
    assert.equal(numberAt(seen, 15, 7), START * 1000);
    assert.equal(await sweep(START + 32 * DAY), '1');
    for (const wrong of ['', 'x', '-1', '1e3']) {
      await refused(await runtime.post('/v1/shards/7/sweep', wrong), 400, /time in milliseconds/);
    }
  });

  test('without a test takes no clock and sweeps by itself only', async () => {
    const plain = await Runtime.start();
    try {
      const call = new CallWriter().consume(['weir:{00}ba', TEN, 1]);
      await refused(await plain.post('/v1/shards/0', call.body(given(START))), 400, /only a worker under test takes a clock/);
      await refused(await plain.post('/v1/shards/0/sweep', '1'), 404, /nothing here/);
      const before = Date.now();
      const text = await bytesIn(await plain.post('/v1/shards/0', call.body()));
      const now = numberAt(text, 1, 7) / 1000;
      assert.ok(now >= before - 1000 && now <= Date.now() + 1000, `${now} is not about ${before}`);
      assert.equal(numberAt(text, 8, 6), Math.floor(now));
    } finally {
      await plain.stop();
    }
  });

  test('forgets nothing that it answered when it is killed', async () => {
    let killed = await Runtime.start();
    try {
      const policy = fixedWindow(1000, 86_400 * SECOND);
      const body = new CallWriter().consume(['weir:{00}ba', policy, 1]).body();
      for (let round = 1; round <= 3; round++) {
        for (let i = 0; i < 10; i++) await killed.post('/v1/shards/9', body);
        killed = await killed.restart();
        const peek = new CallWriter().peek(['weir:{00}ba', policy, 1]).body();
        assert.deepEqual(await readingIn(await killed.post('/v1/shards/9', peek)), [1, 1000 - 10 * round]);
      }
    } finally {
      await killed.stop();
    }
  });

  test('a body of keys alone is no call', async () => {
    const body = Buffer.from(bodyText(['c', 'k'], ''), 'latin1');
    await refused(await runtime.post('/v1/shards/0', body), 400, /what is asked ends 2 bytes too early/);
  });
});
