/**
 * fetch with rate limits: reads the limits in a response, throws a typed error on 429, waits and retries if configured,
 * and shows what is left in a `<rate-limit-indicator>`.
 *
 * It reads both families of headers, `X-RateLimit-*` and the IETF's `RateLimit` and `RateLimit-Policy`. It works with
 * any server that sends them. No dependencies.
 */

const LONGEST_WAIT_MILLIS = 2 ** 31 - 1;

/** The server has refused the request: 429. */
export class RateLimitError extends Error {
  constructor(message, { retryAfterMs, limits, response, body }) {
    super(message);
    this.name = 'RateLimitError';
    this.retryAfterMs = retryAfterMs;
    this.retryAfterSecs = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000);
    this.limits = limits;
    this.response = response;
    this.body = body;
  }
}

/**
 * Returns the limits in a response's headers; null if there are none. The tightest limit is that of `X-RateLimit-*`, or
 * else the IETF limit with the least left.
 */
export function readLimits(headers, nowMs = Date.now()) {
  const named = readFields(headers, nowMs);
  const classic = readClassic(headers);
  if (classic === null && named.length === 0) return null;
  const tightest = classic ?? tightestOf(named);
  return { ...tightest, name: tightest.name ?? nameOf(named, tightest), limits: named, readAt: new Date(nowMs) };
}

function readClassic(headers) {
  const limit = wholeNumber(headers.get('X-RateLimit-Limit'));
  const remaining = wholeNumber(headers.get('X-RateLimit-Remaining'));
  const reset = wholeNumber(headers.get('X-RateLimit-Reset'));
  if (limit === null || remaining === null) return null;
  return { name: null, limit, remaining, resetAt: reset === null ? null : new Date(reset * 1000) };
}

function readFields(headers, nowMs) {
  const policies = new Map(parseList(headers.get('RateLimit-Policy')).map((item) => [item.name, item.parameters]));
  return parseList(headers.get('RateLimit')).flatMap(({ name, parameters }) => {
    const remaining = parameters.r;
    const limit = policies.get(name)?.q;
    if (!Number.isInteger(remaining) || !Number.isInteger(limit)) return [];
    const resetAt = Number.isInteger(parameters.t) ? new Date(nowMs + parameters.t * 1000) : null;
    return [{ name, limit, remaining, resetAt, windowSecs: policies.get(name).w ?? null }];
  });
}

const shareOf = ({ remaining, limit }) => (limit > 0 ? remaining / limit : 0);

const tightestOf = (named) => named.reduce((least, one) => (shareOf(one) < shareOf(least) ? one : least));

const nameOf = (named, { limit, remaining }) =>
  named.find((one) => one.limit === limit && one.remaining === remaining)?.name ?? null;

const wholeNumber = (text) => (text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null);

/** Parses a list of strings with parameters (RFC 9651), as far as these fields use it. Malformed lists are ignored. */
function parseList(text) {
  if (text === null) return [];
  const items = [];
  let rest = text.trim();
  while (rest !== '') {
    const item = /^(?:"((?:[^"\\]|\\["\\])*)"|([A-Za-z*][\w:.*/-]*))/.exec(rest);
    if (item === null) return [];
    rest = rest.slice(item[0].length);
    const parameters = {};
    for (let found; (found = /^\s*;\s*([a-z*][\w.*-]*)(?:=(?:(-?\d{1,15})(?![\d.])|"(?:[^"\\]|\\["\\])*"|[^;,\s"]+))?/.exec(rest)) !== null;) {
      parameters[found[1]] = found[2] === undefined ? true : Number(found[2]);
      rest = rest.slice(found[0].length);
    }
    items.push({ name: item[1] === undefined ? item[2] : item[1].replace(/\\(.)/g, '$1'), parameters });
    rest = rest.trimStart();
    if (rest !== '' && !rest.startsWith(',')) return [];
    rest = rest.slice(1).trimStart();
  }
  return items;
}

/** Returns the wait of `Retry-After` in milliseconds, from seconds or a date; null if it is missing or malformed. */
export function readRetryAfter(headers, nowMs = Date.now()) {
  const text = headers.get('Retry-After');
  if (text === null) return null;
  const seconds = wholeNumber(text);
  if (seconds !== null) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

/**
 * The current limits and their subscribers. Also an EventTarget:
 *
 *   change   the limits have changed
 *   wait     a request was refused, and once a second until the wait is over; `detail` has `until`, a date, and
 *            `remainingSecs`, which ends with 0
 *   warning  the server warns that a limit is nearly used up; `detail` has `text`, the header, and `limits`
 */
export class RateLimitState extends EventTarget {
  #value = null;
  #waitUntil = null;
  #isCounting = false;
  #timer = 0;

  /** Until when the server has asked to wait; null if it has not, or that time has passed. */
  get waitUntil() {
    return this.#waitUntil !== null && this.#waitUntil > Date.now() ? this.#waitUntil : null;
  }

  /** Takes note of a refusal; a wait that ends sooner than the present one changes nothing. */
  wait(millis) {
    const until = new Date(Date.now() + millis);
    if (millis > LONGEST_WAIT_MILLIS || (this.#waitUntil !== null && until <= this.#waitUntil)) return;
    this.#waitUntil = until;
    if (this.#isCounting) this.#count();
  }

  /** Counts waits down from the first listener for `wait` on; without one there is no timer. */
  addEventListener(type, ...rest) {
    super.addEventListener(type, ...rest);
    if (type !== 'wait' || this.#isCounting) return;
    this.#isCounting = true;
    if (this.waitUntil !== null) this.#count();
  }

  /** Dispatches `wait` now and whenever a whole second less is left. */
  #count() {
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#waitUntil - Date.now());
    const remainingSecs = Math.ceil(left / 1000);
    this.#tell('wait', { until: this.#waitUntil, remainingSecs });
    if (left > 0) this.#timer = setTimeout(() => this.#count(), left - (remainingSecs - 1) * 1000);
    else this.#waitUntil = null;
  }

  /** Passes on a warning of the server. */
  warn(text) {
    this.#tell('warning', { text, limits: this.#value });
  }

  #tell(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }

  /** The latest limits; null before the first response that reports some. */
  get value() {
    return this.#value;
  }

  set(value) {
    this.#value = value;
    this.dispatchEvent(new Event('change'));
  }

  /** Calls the listener now and after each change; returns a function that unsubscribes. */
  subscribe(listener) {
    const listen = () => listener(this.#value);
    this.addEventListener('change', listen);
    listen();
    return () => this.removeEventListener('change', listen);
  }
}

/** The default state, shared by all code that does not create its own. */
export const rateLimits = new RateLimitState();

/**
 * Creates a fetch with rate limits.
 *
 * With `retries` it waits as long as the server asks, plus up to a quarter so that clients do not return together, and
 * sends again; never sooner than `Retry-After`. It does not wait if the wait is longer than `maxWaitMs`, if the server
 * names no wait (then waiting does not help), or if the body is a stream, which cannot be sent twice.
 */
export function createFetch({
  state = rateLimits, retries = 0, maxWaitMs = 60_000, fetch: send = globalThis.fetch.bind(globalThis), random = Math.random,
} = {}) {
  return async function rateLimitedFetch(input, init = {}) {
    const isRepeatable = !isStream(init.body) && !(input instanceof Request && input.body !== null);
    for (let tries = 0; ; tries++) {
      const response = await send(input instanceof Request && isRepeatable ? input.clone() : input, init);
      const limits = readLimits(response.headers);
      if (limits !== null) state.set(limits);
      const warning = response.headers.get('X-RateLimit-Warning');
      if (warning !== null) state.warn(warning);
      if (response.status !== 429) return response;
      const error = await errorOf(response, limits);
      const wait = error.retryAfterMs;
      if (wait !== null) state.wait(wait);
      if (tries >= retries || !isRepeatable || wait === null || wait > maxWaitMs) throw error;
      await pause(wait + (wait / 4) * random(), init.signal ?? (input instanceof Request ? input.signal : undefined));
    }
  };
}

const isStream = (body) => typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;

/** The header decides; the body only adds details and never makes the wait shorter. */
async function errorOf(response, limits) {
  const body = await response.clone().json().catch(() => null);
  const told = readRetryAfter(response.headers);
  const exact = Number.isFinite(body?.retry_after_ms) ? body.retry_after_ms
    : Number.isFinite(body?.retry_after_secs) ? body.retry_after_secs * 1000 : null;
  const retryAfterMs = told === null && exact === null ? null : Math.max(told ?? 0, exact ?? 0);
  const message = typeof body?.message === 'string' ? body.message : 'Too many requests';
  return new RateLimitError(message, { retryAfterMs, limits, response, body });
}

function pause(millis, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, Math.min(millis, LONGEST_WAIT_MILLIS));
    function done() {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** fetch with the shared state and without retries. */
export const fetchWithRateLimit = createFetch();

/** Green above 50 % left, yellow above 20 %, else red. */
export function levelOf({ remaining, limit }) {
  const share = shareOf({ remaining, limit });
  return share > 0.5 ? 'green' : share > 0.2 ? 'yellow' : 'red';
}

const STYLE = `
  :host { display: inline-grid; grid-template-columns: auto minmax(64px, 1fr) auto; align-items: center; gap: 8px;
    min-width: 180px; font: 13px/20px system-ui, sans-serif; font-variant-numeric: tabular-nums; color: inherit; }
  :host([hidden]) { display: none; }
  .mark { width: 12px; height: 12px; background: var(--fill); }
  .green { --fill: var(--rate-limit-green, #2f9e63); } .green .mark { border-radius: 50%; }
  .yellow { --fill: var(--rate-limit-yellow, #dca11d); } .yellow .mark { clip-path: polygon(50% 0, 100% 100%, 0 100%); }
  .red { --fill: var(--rate-limit-red, #d2453c); }
  .all { display: contents; }
  .track { height: 8px; border-radius: 4px; overflow: hidden; background: color-mix(in srgb, currentColor 16%, transparent); }
  .bar { height: 100%; border-radius: 4px; background: var(--fill); transition: width .3s ease-out; }
  @media (prefers-reduced-motion: reduce) { .bar { transition: none; } }`;

/** The words of the indicator, to be replaced one by one for another language. */
const WORDS = {
  label: 'requests',
  text: (remaining, limit, label) => `${remaining}/${limit} ${label}`,
  name: (label) => `${label} left`,
  spoken: (remaining, limit, label, level) => `${remaining} of ${limit} ${label} left, ${level}`,
  wait: (seconds) => `wait ${seconds} s`,
  green: 'plenty left',
  yellow: 'running low',
  red: 'nearly used up',
};
const REFILL_MILLIS = 250;

/** What is left now, if it grows evenly from what was read to the whole at the reset. */
function refilled({ limit, remaining, resetAt, readAt }) {
  const share = (Date.now() - readAt) / Math.max(1, resetAt - readAt);
  return Math.min(limit, Math.floor(remaining + Math.max(0, share) * (limit - remaining)));
}

/** Outside a browser there is no HTMLElement; the rest of the module works without it. */
const Element = globalThis.HTMLElement ?? class {};

/**
 * `<rate-limit-indicator>`: what is left of the tightest limit, as a bar, a shape and text. Shows the shared state, or
 * the one set as its `state`. Empty before the first limits. `label` names what is counted: "requests". With `countdown` it
 * shows how long to wait after a refusal. With `refill` it lets the number grow until the reset, which is right for a
 * token bucket, and wrong for a window, whose requests come back together. `words` replaces its texts.
 */
export class RateLimitIndicator extends Element {
  static observedAttributes = ['label', 'countdown', 'refill'];
  #state = rateLimits;
  #unsubscribe = null;
  #parts = null;
  #timer = 0;
  #words = WORDS;
  #onWait = () => this.#draw();

  /** Its texts; those that are not given stay. */
  get words() {
    return this.#words;
  }

  set words(words) {
    this.#words = { ...WORDS, ...words };
    if (this.#parts !== null) this.#draw();
  }

  get state() {
    return this.#state;
  }

  set state(state) {
    this.#state.removeEventListener('wait', this.#onWait);
    this.#state = state;
    if (this.isConnected) this.connectedCallback();
  }

  connectedCallback() {
    this.#build();
    this.disconnectedCallback();
    this.#unsubscribe = this.#state.subscribe(() => this.#draw());
    if (this.hasAttribute('countdown')) this.#state.addEventListener('wait', this.#onWait);
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#unsubscribe?.();
    this.#state.removeEventListener('wait', this.#onWait);
  }

  attributeChangedCallback(name) {
    if (name === 'countdown' && this.isConnected) this.connectedCallback();
    else if (this.#parts !== null) this.#draw();
  }

  #build() {
    if (this.#parts !== null) return;
    const root = this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const part = (name, parent) => {
      const element = document.createElement('span');
      element.className = name;
      element.setAttribute('part', name);
      parent.append(element);
      return element;
    };
    const all = part('all', root);
    const mark = part('mark', all);
    const track = part('track', all);
    track.style.display = 'block';
    const bar = part('bar', track);
    bar.style.display = 'block';
    this.#parts = { all, mark, bar, text: part('text', all) };
  }

  #draw() {
    clearTimeout(this.#timer);
    const known = this.#state.value;
    this.toggleAttribute('hidden', known === null);
    if (known === null) return;
    // A limit whose reset has passed since it was read is full.
    const wait = known.resetAt === null ? Infinity : known.resetAt - Date.now();
    const isRefilling = this.hasAttribute('refill') && wait > 0 && wait < LONGEST_WAIT_MILLIS && known.remaining < known.limit;
    const remaining = wait <= 0 ? known.limit : isRefilling ? refilled(known) : known.remaining;
    if (wait > 0 && wait < LONGEST_WAIT_MILLIS) this.#timer = setTimeout(() => this.#draw(), isRefilling ? Math.min(REFILL_MILLIS, wait + 50) : wait + 50);
    const level = levelOf({ remaining, limit: known.limit });
    const words = this.#words;
    const label = this.getAttribute('label') ?? words.label;
    const until = this.hasAttribute('countdown') ? this.#state.waitUntil : null;
    const more = until === null ? '' : words.wait(Math.ceil((until - Date.now()) / 1000));
    this.#parts.all.className = `all ${level}`;
    this.#parts.bar.style.width = `${shareOf({ remaining, limit: known.limit }) * 100}%`;
    this.#parts.text.textContent = [words.text(remaining, known.limit, label), more].filter(Boolean).join(' · ');
    this.dataset.level = level;
    this.setAttribute('role', 'meter');
    this.setAttribute('aria-label', words.name(label));
    this.setAttribute('aria-valuemin', '0');
    this.setAttribute('aria-valuemax', String(Math.max(1, known.limit)));
    this.setAttribute('aria-valuenow', String(remaining));
    this.setAttribute('aria-valuetext', [words.spoken(remaining, known.limit, label, words[level]), more].filter(Boolean).join(', '));
  }
}

if (globalThis.customElements && !customElements.get('rate-limit-indicator')) {
  customElements.define('rate-limit-indicator', RateLimitIndicator);
}
