/** HTTP requests and responses, for all parts of the worker. */

import { bytesOf } from './bytes.js';
import { Malformed, Refused, TooLarge } from './errors.js';

export const PROTOCOL = '2';

const HEADERS = Object.freeze({ 'Weir-Protocol': PROTOCOL, 'Cache-Control': 'no-store' });
const STATUS = new Map([[Malformed, 400], [TooLarge, 413], [Refused, 422]]);

export const answered = (status, body = null, headers = {}) =>
  new Response(body, { status, headers: { ...HEADERS, ...headers } });

/** A response with one line of text. A key name in it has the same bytes as in the request. */
export const told = (status, text, headers = {}) =>
  answered(status, bytesOf(text), { 'Content-Type': 'text/plain; charset=utf-8', ...headers });

export const bytesAnswered = (bytes, headers = {}) =>
  answered(200, bytes, { 'Content-Type': 'application/octet-stream', ...headers });

/** The response for an error of the caller; rethrows any other error. */
export function faultAnswered(error) {
  const status = STATUS.get(error.constructor);
  if (status === undefined) throw error;
  return told(status, error.message);
}

/** Reads the body and stops as soon as it is too long, whatever its headers say. */
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
