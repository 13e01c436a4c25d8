/** The limit of zero. Nothing can be spent, so there is no state. */
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
