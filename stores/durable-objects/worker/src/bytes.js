/**
 * Bytes, as the decisions have them: strings of characters 0 to 255. They are compared, cut, joined and looked up in maps
 * as what they are, and nothing that a client sends is ever the name of a property.
 *
 * All integers are big-endian, and unsigned but where it says signed. They are numbers: exact below 2^53, and everything
 * that is kept stays below.
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

/** The number of so many bytes at a place. The caller has checked that they are there. */
export function numberAt(text, at, width) {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 256 + text.charCodeAt(i);
  return value;
}

export function signedAt(text, at, width) {
  const value = numberAt(text, at, width);
  return value < 2 ** (8 * width - 1) ? value : value - 2 ** (8 * width);
}

/** A whole number in so many bytes, at most 7; of what is below zero the two's complement. */
export function packed(value, width) {
  const unsigned = value < 0 ? Number(BigInt.asUintN(8 * width, BigInt(value)) >> 32n) : Math.floor(value / TWO_32);
  const low = value < 0 ? Number(BigInt.asUintN(32, BigInt(value))) : value >>> 0;
  return String.fromCharCode(
    (unsigned >>> 16) & 255, (unsigned >>> 8) & 255, unsigned & 255,
    low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255,
  ).slice(7 - width);
}

/** The length in two bytes, then the text. */
export const framed = (text) => packed(text.length, 2) + text;

/** How many bytes a number takes. */
export function widthOf(value) {
  let width = 1;
  for (let rest = value; rest >= 256; rest /= 256) width++;
  return width;
}

/** The least whole number that is not below a / b. */
export const ceilDivided = (a, b) => -Math.floor(-a / b);

/** Takes a text apart from front to back; believes no length before it has checked it. */
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

  /** All that must be there is there, and nothing else. */
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
