/** The errors of a call. Messages are strings of bytes (see bytes.js) or ASCII, which is the same. */

/** The call is malformed: 400. Nothing was changed. */
export class Malformed extends Error {}

/** The call exceeds a bound: 413. Nothing was changed. */
export class TooLarge extends Error {}

/** An error of the whole call, for which Redis would return an error reply: 422. */
export class Refused extends Error {}

/** A request that fails because of a stored value; the other requests of the call are decided. */
export class Damaged extends Error {
  constructor(name) {
    super(`WEIR the value of ${name} is no state of Weir`);
  }
}

/** A request that needs additional data about a policy; the caller repeats it with that data. */
export class Unexplained extends Error {
  constructor(prefix) {
    super('more must be known of a policy');
    this.prefix = prefix;
  }
}
