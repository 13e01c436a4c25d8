/** The Redis store's script in a Redis of its own: what the worker must answer, to the byte. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = new URL('../../../redis/src/main/resources/dev/weir/store/redis/', import.meta.url);
/** As Script.java has it. */
const FILES = ['call', 'policy', 'bucket', 'consume_fast', 'tools', 'window', 'sliding', 'slots', 'budget', 'decide', 'holds',
  'answer'];

export class RedisOracle {
  #server;
  #folder;
  #socket;
  #received = Buffer.alloc(0);
  #waiting = [];
  #script = Buffer.from(FILES.map((file) => readFileSync(new URL(`${file}.lua`, SCRIPT), 'utf8')).join(''));
  #digest;

  static async start(binary) {
    if (readdirSync(SCRIPT).length !== FILES.length + 1) throw new Error('the script has other files than are named here');
    const oracle = new RedisOracle();
    oracle.#folder = mkdtempSync(join(tmpdir(), 'weir-redis-'));
    const path = join(oracle.#folder, 'socket');
    oracle.#server = spawn(binary, ['--port', '0', '--unixsocket', path, '--save', '', '--dir', oracle.#folder],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of oracle.#server.stdout) {
      if (/ready to accept/i.test(String(line))) break;
    }
    oracle.#socket = connect(path);
    await once(oracle.#socket, 'connect');
    oracle.#socket.on('data', (data) => oracle.#receive(data));
    oracle.#digest = await oracle.command('SCRIPT', 'LOAD', oracle.#script);
    return oracle;
  }

  /** What the script answers, as a string of bytes; an error's text as { error }. */
  async answer(keys, argument, given) {
    const raw = (text) => Buffer.from(text, 'latin1');
    return this.command('EVALSHA', this.#digest, String(keys.length), ...keys.map(raw), raw(argument), raw(given));
  }

  command(...parts) {
    const all = parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
    this.#socket.write(Buffer.concat([
      Buffer.from(`*${all.length}\r\n`),
      ...all.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]),
    ]));
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async stop() {
    this.#socket.destroy();
    this.#server.kill();
    await once(this.#server, 'exit');
    rmSync(this.#folder, { recursive: true });
  }

  #receive(data) {
    this.#received = Buffer.concat([this.#received, data]);
    for (let reply; (reply = this.#next()) !== undefined;) this.#waiting.shift()(reply);
  }

  #next() {
    const end = this.#received.indexOf('\r\n');
    if (end < 0) return undefined;
    const line = this.#received.toString('latin1', 1, end);
    const kind = String.fromCharCode(this.#received[0]);
    let value = kind === '-' ? { error: line } : line;
    let after = end + 2;
    if (kind === '$') {
      const length = Number(line);
      if (length >= 0) {
        if (this.#received.length < after + length + 2) return undefined;
        value = this.#received.toString('latin1', after, after + length);
        after += length + 2;
      } else {
        value = null;
      }
    }
    this.#received = this.#received.subarray(after);
    return value;
  }
}
