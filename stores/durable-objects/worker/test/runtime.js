/** The worker in the real runtime, on a port and in a folder of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const TOKEN = 'a-secret';

/** The program; tests of the runtime need it. */
export const workerd = process.env.WEIR_WORKERD;

const CONFIG = fileURLToPath(new URL('../weir.capnp', import.meta.url));

export class Runtime {
  #process;
  #folder;

  static async start(environment = {}, folder = mkdtempSync(join(tmpdir(), 'weir-worker-'))) {
    const runtime = new Runtime();
    runtime.#folder = folder;
    const places = ['--socket-addr', 'http=127.0.0.1:0', '--directory-path', `disk=${folder}`, '--control-fd=3'];
    runtime.#process = spawn(workerd, ['serve', CONFIG, ...places], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env: { WEIR_TOKEN: TOKEN, ...environment },
    });
    for await (const line of createInterface({ input: runtime.#process.stdio[3] })) {
      const { event, port } = JSON.parse(line);
      if (event === 'listen') {
        runtime.url = `http://127.0.0.1:${port}`;
        break;
      }
    }
    return runtime;
  }

  fetch(path, { headers = {}, ...init } = {}) {
    return fetch(this.url + path, { ...init, headers: { Authorization: `Bearer ${TOKEN}`, ...headers } });
  }

  post(path, body) {
    return this.fetch(path, { method: 'POST', body });
  }

  /** Ends the process at once, as a crash would, and starts another on what it left. */
  async restart(environment = {}) {
    await this.#end('SIGKILL');
    return Runtime.start(environment, this.#folder);
  }

  async stop() {
    await this.#end('SIGTERM');
    rmSync(this.#folder, { recursive: true });
  }

  async #end(signal) {
    this.#process.kill(signal);
    await once(this.#process, 'exit');
  }
}
