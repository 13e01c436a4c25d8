/** The limit of zero: there is never anything to spend, and so nothing to remember. */
export class Closed {
  constructor(policy) {
    this.policy = policy;
  }

  static fresh(policy) {
    return new Closed(policy);
  }

  available() {
    return 0;
  }

  retry() {
    return 0;
  }

  reset() {
    return 0;
  }

  spend() {}

  giveBack() {}

  encode() {
    return null;
  }
}
