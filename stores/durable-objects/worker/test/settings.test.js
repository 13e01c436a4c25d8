/** The settings in the real runtime. WEIR_WORKERD is its program. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Runtime, workerd } from './runtime.js';

const framed = (bytes) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, Buffer.from(bytes)]);
};

describe('the settings', { skip: workerd ? false : 'WEIR_WORKERD is not set', timeout: 60_000 }, () => {
  let runtime;
  before(async () => {
    runtime = await Runtime.start();
  });
  after(() => runtime.stop());

  const put = (prefix, based, document, change) => runtime.fetch(`/v1/settings/${prefix}`, {
    method: 'PUT', headers: { 'If-Match': `"${based}"` }, body: Buffer.concat([framed(document), framed(change)]),
  });

  async function expect(response, status, version, text = '') {
    assert.equal(response.status, status);
    assert.equal(response.headers.get('Weir-Version'), String(version));
    assert.equal(await response.text(), text);
  }

  async function changesIn(response) {
    assert.equal(response.status, 200);
    const bytes = Buffer.from(await response.arrayBuffer());
    const all = [];
    for (let at = 0; at < bytes.length;) {
      const length = bytes.readUInt32BE(at);
      all.push(bytes.toString('utf8', at + 4, at + 4 + length));
      at += 4 + length;
    }
    return all;
  }

  test('are nothing at first, and change only from the version that they have', async () => {
    await expect(await runtime.fetch('/v1/settings/a'), 200, 0);
    await expect(await put('a', 0, 'one', 'made one'), 204, 1);
    await expect(await put('a', 0, 'two', 'made two'), 412, 1, 'the settings have changed meanwhile');
    await expect(await put('a', 2, 'two', 'made two'), 412, 1, 'the settings have changed meanwhile');
    await expect(await runtime.fetch('/v1/settings/a'), 200, 1, 'one');
    await expect(await put('a', 1, '', 'made nothing'), 204, 2);
    await expect(await runtime.fetch('/v1/settings/a'), 200, 2, '');
    assert.deepEqual(await changesIn(await runtime.fetch('/v1/settings/a/changes')), ['made nothing', 'made one']);
    assert.deepEqual(await changesIn(await runtime.fetch('/v1/settings/a/changes?count=1')), ['made nothing']);
    assert.deepEqual(await changesIn(await runtime.fetch('/v1/settings/a/changes?count=0')), []);
    await expect(await runtime.fetch('/v1/settings/other'), 200, 0);
  });

  test('of many changes made at once each is made once', async () => {
    const tries = await Promise.all(Array.from({ length: 20 }, (_, i) => put('race', 0, `${i}`, `${i}`)));
    assert.equal(tries.filter(({ status }) => status === 204).length, 1);
    assert.equal(tries.filter(({ status }) => status === 412).length, 19);
  });

  test('hold the answer until there is a change', async () => {
    await put('wait', 0, 'one', 'one');
    await expect(await runtime.fetch('/v1/settings/wait?after=0&wait=25'), 200, 1, 'one');
    await expect(await runtime.fetch('/v1/settings/wait?after=1'), 204, 1);
    const waiting = Array.from({ length: 5 }, () => runtime.fetch('/v1/settings/wait?after=1&wait=25'));
    // Those who wait are there before the change is: requests of one connection pool come in any order.
    const timedOut = await runtime.fetch('/v1/settings/wait?after=1&wait=1');
    await expect(timedOut, 204, 1);
    await expect(await put('wait', 1, 'two', 'two'), 204, 2);
    for (const response of await Promise.all(waiting)) await expect(response, 200, 2, 'two');
  });

  test('let a thousand wait and send the next away', async () => {
    const waiting = Promise.all(Array.from({ length: 1000 }, () => runtime.fetch('/v1/settings/full?after=0&wait=20')));
    let next;
    do next = await runtime.fetch('/v1/settings/full?after=0&wait=1'); while (next.status === 204);
    assert.equal(next.status, 503);
    assert.match(await next.text(), /1000 wait here already/);
    await expect(await put('full', 0, 'x', 'x'), 204, 1);
    for (const response of await waiting) await expect(response, 200, 1, 'x');
  });

  test('hold a document of sixteen mebibytes and no larger one', async () => {
    const document = Buffer.alloc(16 << 20, 'abcdefg');
    await expect(await put('large', 0, document, 'x'), 204, 1);
    const found = Buffer.from(await (await runtime.fetch('/v1/settings/large')).arrayBuffer());
    assert.ok(found.equals(document));
    const larger = await put('large', 1, Buffer.alloc((16 << 20) + 1), 'x');
    assert.equal(larger.status, 413);
    assert.match(await larger.text(), /the document has 16777217 bytes; at most 16777216 are kept/);
    assert.equal((await put('large', 1, 'x', Buffer.alloc((1 << 20) + 1))).status, 413);
    assert.equal((await put('large', 1, Buffer.alloc(18 << 20), 'x')).status, 413);
    assert.equal((await runtime.fetch('/v1/settings/large')).headers.get('Weir-Version'), '1');
  });

  test('keep the latest thousand changes', async () => {
    for (let i = 0; i < 1003; i++) assert.equal((await put('kept', i, 'x', `${i + 1}`)).status, 204);
    const changes = await changesIn(await runtime.fetch('/v1/settings/kept/changes'));
    assert.deepEqual(changes, Array.from({ length: 1000 }, (_, i) => `${1003 - i}`));
  });

  test('outlive the process', async () => {
    let killed = await Runtime.start();
    try {
      const body = Buffer.concat([framed('one'), framed('change')]);
      await killed.fetch('/v1/settings/a:b', { method: 'PUT', headers: { 'If-Match': '"0"' }, body });
      killed = await killed.restart();
      await expect(await killed.fetch('/v1/settings/a%3Ab'), 200, 1, 'one');
    } finally {
      await killed.stop();
    }
  });

  test('refuse what makes no sense', async () => {
    const body = Buffer.concat([framed('one'), framed('change')]);
    const send = (based, sent) =>
      runtime.fetch('/v1/settings/wrong', { method: 'PUT', headers: { 'If-Match': based }, body: sent });
    for (const based of ['', '0', '"x"', '*', '"-1"']) assert.equal((await send(based, body)).status, 400);
    for (const sent of ['', body.subarray(0, 2), body.subarray(0, 6), body.subarray(0, 9), body.subarray(0, body.length - 1),
      Buffer.concat([body, body])]) {
      assert.equal((await send('"0"', sent)).status, 400);
    }
    for (const query of ['after=x', 'after=-1', 'wait=26', 'wait=x', 'after=0&wait=1e1']) {
      assert.equal((await runtime.fetch(`/v1/settings/wrong?${query}`)).status, 400, query);
    }
    assert.equal((await runtime.fetch('/v1/settings/wrong/changes?count=1001')).status, 400);
    await expect(await runtime.fetch('/v1/settings/wrong'), 200, 0);
  });
});
