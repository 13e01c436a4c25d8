/**
 * The settings of one prefix: a document, its version, and the latest changes. A Durable Object.
 *
 *   GET /…                    200, Weir-Version, the document; version 0 and no bytes if there is none
 *   GET /…?after=N&wait=S     204 if N is still the version after S seconds; otherwise as above, as soon as it changes
 *   PUT /…                    If-Match: "N"; body: length, document, length, change (lengths of 4 bytes). 204 if the document
 *                             was replaced, 412 if N is not its version
 *   GET /…/changes?count=N    200: length, change, newest first
 */

import { Malformed, TooLarge } from './errors.js';
import { answered, bytesAnswered, faultAnswered, readBody, told } from './http.js';

const LONGEST_DOCUMENT = 16 << 20;
const LONGEST_CHANGE = 1 << 20;
/** Size of a part of the document. A row holds at most two million bytes. */
const PIECE = 1 << 20;
const MOST_CHANGES = 1000;
const MOST_WAITING = 1000;
const LONGEST_WAIT_SECS = 25;

export class WeirSettings {
  #ctx;
  #sql;
  #version;
  #waiting = new Set();

  constructor(ctx) {
    this.#ctx = ctx;
    this.#sql = ctx.storage.sql;
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS document (piece INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
      CREATE TABLE IF NOT EXISTS changes (version INTEGER PRIMARY KEY, change BLOB NOT NULL);`);
    this.#version = this.#sql.exec('SELECT coalesce(max(version), 0) AS version FROM changes').one().version;
  }

  async fetch(request) {
    try {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method === 'PUT') return await this.#put(request);
      return pathname.endsWith('/changes') ? this.#changes(searchParams) : await this.#get(searchParams);
    } catch (e) {
      return faultAnswered(e);
    }
  }

  async #get(query) {
    const after = numberOf(query, 'after', Number.MAX_SAFE_INTEGER, -1);
    const wait = numberOf(query, 'wait', LONGEST_WAIT_SECS, 0);
    if (after === this.#version && wait > 0) {
      if (this.#waiting.size >= MOST_WAITING) {
        return told(503, `${MOST_WAITING} wait here already; ask again`, { 'Retry-After': '1' });
      }
      await this.#change(wait * 1000);
    }
    return after === this.#version ? answered(204, null, this.#head()) : bytesAnswered(this.#document(), this.#head());
  }

  /** Waits for a change, for this long at most. */
  #change(millis) {
    return new Promise((resume) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resume();
      };
      const timer = setTimeout(wake, millis);
      this.#waiting.add(wake);
    });
  }

  async #put(request) {
    const [, based] = /^"(\d{1,15})"$/.exec(request.headers.get('If-Match') ?? '') ?? [];
    if (based === undefined) throw new Malformed('If-Match must be the version that the change is based on, as in "7"');
    const { document, change } = readChange(await readBody(request, LONGEST_DOCUMENT + LONGEST_CHANGE + 8));
    if (Number(based) !== this.#version) return told(412, 'the settings have changed meanwhile', this.#head());
    this.#ctx.storage.transactionSync(() => this.#write(document, change));
    this.#version++;
    for (const wake of [...this.#waiting]) wake();
    return answered(204, null, this.#head());
  }

  #write(document, change) {
    const next = this.#version + 1;
    this.#sql.exec('DELETE FROM document');
    for (let i = 0; i * PIECE < document.length; i++) {
      this.#sql.exec('INSERT INTO document VALUES (?, ?)', i, document.slice(i * PIECE, (i + 1) * PIECE));
    }
    this.#sql.exec('INSERT INTO changes VALUES (?, ?)', next, change.slice());
    this.#sql.exec('DELETE FROM changes WHERE version <= ?', next - MOST_CHANGES);
  }

  #document() {
    const pieces = this.#sql.exec('SELECT bytes FROM document ORDER BY piece').toArray().map(({ bytes }) => bytes);
    return new Blob(pieces).stream();
  }

  /** Reads changes one by one while sending, because a thousand of them may not fit in memory. */
  #changes(query) {
    let left = numberOf(query, 'count', MOST_CHANGES, MOST_CHANGES);
    let before = this.#version + 1;
    return bytesAnswered(new ReadableStream({
      type: 'bytes',
      pull: (stream) => {
        const [found] = left === 0 ? [] : this.#sql.exec(
          'SELECT version, change FROM changes WHERE version < ? ORDER BY version DESC LIMIT 1', before);
        if (found === undefined) {
          stream.close();
          stream.byobRequest?.respond(0);
          return;
        }
        left--;
        before = found.version;
        stream.enqueue(framed(new Uint8Array(found.change)));
      },
    }));
  }

  #head() {
    return { 'Weir-Version': String(this.#version) };
  }
}

function readChange(body) {
  const [document, rest] = cut(body, 'document', LONGEST_DOCUMENT);
  const [change, nothing] = cut(rest, 'change', LONGEST_CHANGE);
  if (nothing.length > 0) throw new Malformed(`the body has ${nothing.length} bytes too many`);
  return { document, change };
}

/** Splits off a part after its length; returns the part and the rest. */
function cut(bytes, what, most) {
  if (bytes.length < 4) throw new Malformed(`the body ends before the length of the ${what}`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (length > most) throw new TooLarge(`the ${what} has ${length} bytes; at most ${most} are kept`);
  if (length > bytes.length - 4) throw new Malformed(`the body ends before the ${what} does`);
  return [bytes.subarray(4, 4 + length), bytes.subarray(4 + length)];
}

function framed(bytes) {
  const all = new Uint8Array(4 + bytes.length);
  new DataView(all.buffer).setUint32(0, bytes.length);
  all.set(bytes, 4);
  return all;
}

function numberOf(query, name, most, absent) {
  const text = query.get(name);
  if (text === null) return absent;
  if (!/^\d{1,15}$/.test(text) || Number(text) > most) throw new Malformed(`${name} must be a whole number up to ${most}`);
  return Number(text);
}
