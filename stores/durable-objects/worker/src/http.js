/** Requests and answers, as every part of the worker has them. */

import { bytesOf } from './bytes.js';
import { Malformed, Refused, TooLarge } from './errors.js';

export const PROTOCOL = '2';

const HEADERS = Object.freeze({ 'Weir-Protocol': PROTOCOL, 'Cache-Control': 'no-store' });
const STATUS = new Map([[Malformed, 400], [TooLarge, 413], [Refused, 422]]);

export const answered = (status, body = null, headers = {}) =>
  new Response(body, { status, headers: { ...HEADERS, ...headers } });

/** One line that says what is wrong. A name in it comes out as the bytes that came in. */
export const told = (status, text, headers = {}) =>
  answered(status, bytesOf(text), { 'Content-Type': 'text/plain; charset=utf-8', ...headers });

export const bytesAnswered = (bytes, headers = {}) =>
  answered(200, bytes, { 'Content-Type': 'application/octet-stream', ...headers });

/** The answer to what was thrown, if it is the caller's fault; else it is thrown on. */
export function faultAnswered(error) {
  const status = STATUS.get(error.constructor);
  if (status === undefined) throw error;
  return told(status, error.message);
}

/** The body, which is not read any further as soon as it is too long, whatever its headers say. */
export async function readBody(request, most) {
  const tooLarge = () => new TooLarge(`the body has more than ${most} bytes`);
  if (Number(request.headers.get('Content-Length') ?? 0) > most) throw tooLarge();
  const chunks = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > most) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer());
}
