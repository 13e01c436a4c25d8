/** What the runtime is told of the worker. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

test('the bare runtime is given every file', () => {
  const modules = read('weir.capnp').matchAll(/name = "([\w-]+\.js)", esModule = embed "src\/\1"/g);
  const embedded = [...modules].map(([, name]) => name);
  assert.equal(embedded[0], 'worker.js');
  assert.deepEqual(embedded.sort(), readdirSync(new URL('../src', import.meta.url)).sort());
});

test('both runtimes are given the same objects', () => {
  const wrangler = JSON.parse(read('wrangler.jsonc').replace(/^\s*\/\/.*$/gm, ''));
  const classes = wrangler.durable_objects.bindings.map(({ name, class_name: className }) => [name, className]);
  const bound = [...read('weir.capnp').matchAll(/name = "(\w+)", durableObjectNamespace = "(\w+)"/g)];
  assert.deepEqual(classes, bound.map(([, name, className]) => [name, className]));
  assert.deepEqual(wrangler.migrations[0].new_sqlite_classes, classes.map(([, className]) => className));
});
