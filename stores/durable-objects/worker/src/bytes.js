/**
 * Strings of bytes: strings whose characters are 0 to 255. They can be compared, cut, joined and used as keys of maps. No text
 * from a client is ever used as the name of a property.
 *
 * All integers are big-endian, and unsigned unless noted as signed. They are JavaScript numbers, exact below 2^53; all stored
 * values stay below.
 */

import { Malformed } from './errors.js';

const AT_ONCE = 8192;
const TWO_32 = 2 ** 32;

export function textOf(bytes) {
  if (bytes.length <= AT_ONCE) return String.fromCharCode.apply(null, bytes);
  let text = '';
  for (let i = 0; i < bytes.length; i += AT_ONCE) {
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + AT_ONCE));
  }
  return text;
}

export function bytesOf(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Decodes the number of this many bytes at a position. The caller has checked the length. */
export function numberAt(text, at, width) {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}

export function signedAt(text, at, width) {
  const value = numberAt(text, at, width);
  return value < 2 ** (8 * width - 1) ? value : value - 2 ** (8 * width);
}

/** Encodes an integer in this many bytes, at most 7; a negative one as two's complement. */
export function packed(value, width) {
  const unsigned = value < 0 ? Number(BigInt.asUintN(8 * width, BigInt(value)) >> 32n) : Math.floor(value / TWO_32);
  const low = value < 0 ? Number(BigInt.asUintN(32, BigInt(value))) : value >>> 0;
  return String.fromCharCode(
    (unsigned >>> 16) & 255, (unsigned >>> 8) & 255, unsigned & 255,
    low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255,
  ).slice(7 - width);
}

/** Encodes a text after its length (2 bytes). */
export const framed = (text) => packed(text.length, 2) + text;

/** The number of bytes that a number needs. */
export function widthOf(value) {
  let width = 1;
  for (let rest = value; rest >= 256; rest /= 256) width++;
  return width;
}

/** Division rounded up. */
export const ceilDivided = (a, b) => -Math.floor(-a / b);

/** Reads a text from front to back and checks every length before use. */
export class Reader {
  #text;
  #what;

  /** @param what names the text in errors */
  constructor(text, what, at = 0) {
    this.#text = text;
    this.#what = what;
    this.at = at;
  }

  get isDone() {
    return this.at === this.#text.length;
  }

  number(width) {
    return numberAt(this.#text, this.#pass(width), width);
  }

  signed(width) {
    return signedAt(this.#text, this.#pass(width), width);
  }

  text(length) {
    const from = this.#pass(length);
    return this.#text.slice(from, from + length);
  }

  framed() {
    return this.text(this.number(2));
  }

  /** Throws unless the whole text was read. */
  end() {
    if (!this.isDone) throw new Malformed(`${this.#what} has ${this.#text.length - this.at} bytes too many`);
  }

  #pass(length) {
    const from = this.at;
    if (length > this.#text.length - from) {
      throw new Malformed(`${this.#what} ends ${length - (this.#text.length - from)} bytes too early`);
    }
    this.at = from + length;
    return from;
  }
}
