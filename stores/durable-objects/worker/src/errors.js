/** What a call can end in besides an answer. Texts are strings of bytes (see bytes.js) or plain ASCII, which is the same. */

/** The call makes no sense: 400. Nothing was changed. */
export class Malformed extends Error {}

/** The call asks for more than one call may: 413. Nothing was changed. */
export class TooLarge extends Error {}

/** What Redis would answer as an error reply, for the whole call: 422. */
export class Refused extends Error {}

/** A question that cannot be answered because of what is kept; the other questions of the call can. */
export class Damaged extends Error {
  constructor(name) {
    super(`WEIR the value of ${name} is no state of Weir`);
  }
}

/** A question that can be answered only if more is known of a policy: the caller asks again, with it. */
export class Unexplained extends Error {
  constructor(prefix) {
    super('more must be known of a policy');
    this.prefix = prefix;
  }
}
