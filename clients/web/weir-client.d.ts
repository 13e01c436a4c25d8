/** One limit, as the IETF fields name it. */
export interface NamedLimit {
  name: string;
  limit: number;
  remaining: number;
  /** When it is full again; null if the server does not report it. */
  resetAt: Date | null;
  windowSecs: number | null;
}

/** The limits in a response: the tightest one, and all that were named. */
export interface RateLimits {
  /** null if the response had only `X-RateLimit-*`. */
  name: string | null;
  limit: number;
  remaining: number;
  resetAt: Date | null;
  limits: NamedLimit[];
  readAt: Date;
}

/** Fields that the body of a 429 may have; each may be missing. */
export interface RefusalBody {
  error?: string;
  message?: string;
  reason?: string;
  scope?: string | null;
  limit?: string | null;
  retry_after_ms?: number | null;
  retry_after_secs?: number | null;
  [field: string]: unknown;
}

/** The server has refused the request: 429. */
export declare class RateLimitError extends Error {
  readonly name: 'RateLimitError';
  /** How long to wait; null if the server names no wait: then waiting does not help. */
  readonly retryAfterMs: number | null;
  /** The same in whole seconds, rounded up. */
  readonly retryAfterSecs: number | null;
  readonly limits: RateLimits | null;
  readonly response: Response;
  readonly body: RefusalBody | null;
  constructor(message: string, details: {
    retryAfterMs: number | null; limits: RateLimits | null; response: Response; body: RefusalBody | null;
  });
}

/** Returns the limits in a response's headers; null if there are none. */
export declare function readLimits(headers: Headers, nowMs?: number): RateLimits | null;

/** Returns the wait of `Retry-After` in milliseconds; null if it is missing or malformed. */
export declare function readRetryAfter(headers: Headers, nowMs?: number): number | null;

/** An event `wait`: at a refusal, and once a second until the wait is over. */
export interface WaitEvent extends Event {
  readonly detail: { until: Date; remainingSecs: number };
}

/** An event `warning`: the server warns that a limit is nearly used up. */
export interface WarningEvent extends Event {
  readonly detail: { text: string; limits: RateLimits | null };
}

/** The current limits. Dispatches `change`, `wait` and `warning`. */
export declare class RateLimitState extends EventTarget {
  readonly value: RateLimits | null;
  /** Until when the server has asked to wait; null if it has not, or that time has passed. */
  readonly waitUntil: Date | null;
  wait(millis: number): void;
  warn(text: string): void;
  addEventListener(type: 'wait', listener: (event: WaitEvent) => void): void;
  addEventListener(type: 'warning', listener: (event: WarningEvent) => void): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: AddEventListenerOptions | boolean): void;
  set(value: RateLimits | null): void;
  /** Calls the listener now and after each change; returns a function that unsubscribes. */
  subscribe(listener: (value: RateLimits | null) => void): () => void;
}

/** The default state, shared by all code that does not create its own. */
export declare const rateLimits: RateLimitState;

export interface FetchOptions {
  /** Where the limits are kept; default: the shared state. */
  state?: RateLimitState;
  /** How often to wait and retry after a 429; default: 0. */
  retries?: number;
  /** The longest wait in milliseconds; default: one minute. */
  maxWaitMs?: number;
  /** Replaces the browser's fetch. */
  fetch?: typeof globalThis.fetch;
  /** Replaces Math.random, for tests. */
  random?: () => number;
}

/** Creates a fetch with rate limits. It rejects with a RateLimitError on 429. */
export declare function createFetch(options?: FetchOptions): typeof globalThis.fetch;

/** fetch with the shared state and without retries. */
export declare const fetchWithRateLimit: typeof globalThis.fetch;

export type Level = 'green' | 'yellow' | 'red';

/** Green above 50 % left, yellow above 20 %, else red. */
export declare function levelOf(limit: { remaining: number; limit: number }): Level;

/** The texts of the indicator. */
export interface IndicatorWords {
  label: string;
  text: (remaining: number, limit: number, label: string) => string;
  name: (label: string) => string;
  spoken: (remaining: number, limit: number, label: string, level: string) => string;
  wait: (seconds: number) => string;
  green: string;
  yellow: string;
  red: string;
}

/** `<rate-limit-indicator label="requests" countdown refill>` */
export declare class RateLimitIndicator extends HTMLElement {
  state: RateLimitState;
  get words(): IndicatorWords;
  set words(words: Partial<IndicatorWords>);
}

declare global {
  interface HTMLElementTagNameMap {
    'rate-limit-indicator': RateLimitIndicator;
  }
}
