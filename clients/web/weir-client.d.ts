/** One limit, as the IETF fields name it. */
export interface NamedLimit {
  name: string;
  limit: number;
  remaining: number;
  /** When it is whole again; null if the server does not say. */
  resetAt: Date | null;
  windowSecs: number | null;
}

/** What a response said: the tightest limit, and all that were named. */
export interface RateLimits {
  /** null if only `X-RateLimit-*` was there. */
  name: string | null;
  limit: number;
  remaining: number;
  resetAt: Date | null;
  limits: NamedLimit[];
  readAt: Date;
}

/** What a server may say in the body of a 429; every field may be missing. */
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

/** A server has refused: 429. */
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

/** What the headers of a response say; null if they say nothing. */
export declare function readLimits(headers: Headers, nowMs?: number): RateLimits | null;

/** How long `Retry-After` says to wait, in milliseconds; null if it says nothing. */
export declare function readRetryAfter(headers: Headers, nowMs?: number): number | null;

/** What is known now. Dispatches `change`. */
export declare class RateLimitState extends EventTarget {
  readonly value: RateLimits | null;
  set(value: RateLimits | null): void;
  /** Calls back now and after each change; returns what ends it. */
  subscribe(listener: (value: RateLimits | null) => void): () => void;
}

/** What pages share that do not make their own. */
export declare const rateLimits: RateLimitState;

export interface FetchOptions {
  /** Where what is learned is kept; the shared state if not given. */
  state?: RateLimitState;
  /** How often to wait and try again after a 429; 0 if not given. */
  retries?: number;
  /** Waits longer than this are not waited for; a minute if not given. */
  maxWaitMs?: number;
  /** In place of the browser's. */
  fetch?: typeof globalThis.fetch;
  /** In place of Math.random, for tests. */
  random?: () => number;
}

/** Makes a fetch that minds rate limits. It rejects with a RateLimitError on 429. */
export declare function createFetch(options?: FetchOptions): typeof globalThis.fetch;

/** fetch with the shared state and without retries. */
export declare const fetchWithRateLimit: typeof globalThis.fetch;

export type Level = 'green' | 'yellow' | 'red';

/** Green above 50 % left, yellow above 20 %, else red. */
export declare function levelOf(limit: { remaining: number; limit: number }): Level;

/** `<rate-limit-indicator label="requests">` */
export declare class RateLimitIndicator extends HTMLElement {
  state: RateLimitState;
}

declare global {
  interface HTMLElementTagNameMap {
    'rate-limit-indicator': RateLimitIndicator;
  }
}
