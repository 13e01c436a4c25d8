/** Formats numbers, times and names for people. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockWithSeconds = new Intl.DateTimeFormat('en', {
  hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** 12,345; from ten million on 12.3M, so that the width is bounded. */
export const number = (value) => (Math.abs(value) >= 1e7 ? compact : whole).format(value);

/** 0.4, 12, 1,234: for rates, whose fractions matter only when small. */
export const rate = (value) => (value < 10 ? oneDigit : whole).format(value);

/** Formats a share from 0 to 1. Never rounds a small share to 0 %, nor a large one to 100 %. */
export function percent(share) {
  if (share > 0 && share < 0.01) return '< 1 %';
  if (share < 1 && share > 0.99) return '> 99 %';
  return `${Math.round(share * 100)} %`;
}

/** 850 ns, 12 µs, 3.4 ms, 1.2 s. */
export function latency(nanos) {
  if (nanos < 1e3) return `${whole.format(nanos)} ns`;
  if (nanos < 1e6) return `${rate(nanos / 1e3)} µs`;
  if (nanos < 1e9) return `${rate(nanos / 1e6)} ms`;
  return `${rate(nanos / 1e9)} s`;
}

/** Formats a share from 0 to 1 with enough digits to compare small ones: 0.3 %, 0.04 %, 12 %. */
export function finePercent(share) {
  const value = share * 100;
  if (value > 0 && value < 0.01) return '< 0.01 %';
  return `${value < 1 ? Number(value.toPrecision(2)) : value < 10 ? oneDigit.format(value) : whole.format(value)} %`;
}

/** 45 s, 3 min, 2 h, 5 d. */
export function duration(seconds) {
  const value = Math.max(0, Math.round(seconds));
  if (value < 90) return `${value} s`;
  if (value < 5400) return `${Math.round(value / 60)} min`;
  if (value < 129_600) return `${Math.round(value / 3600)} h`;
  return `${Math.round(value / 86_400)} d`;
}

export const ago = (seconds) => (seconds < 2 ? 'now' : `${duration(seconds)} ago`);

export const timeOfDay = (millis) => clock.format(millis);

export const timeWithSeconds = (millis) => clockWithSeconds.format(millis);

export const dayAndTime = (millis) => `${day.format(millis)}, ${clock.format(millis)}`;

export const exactTime = (millis) => `${day.format(millis)}, ${clockWithSeconds.format(millis)}`;

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Returns why a limit was skipped for every request, and what to do. */
export function neverApplied({ missing, carried, similar, skipped }) {
  return `${plural(skipped, 'request')} matched it and lacked ${missing.join(', ')}`
    + (similar === null ? '' : `; they carry the similar ${similar}, so one of the two is probably misspelt`)
    + `. They carry ${carried.length === 0 ? 'no attribute' : carried.join(', ')}.`
    + ' Send what is missing, set it in defaults, or deny such requests with on-missing: deny.';
}

/** What refused, and why, for people: `heavy`, `backoff`, `store`. */
const WHY = { impossible: 'never fits', unavailable: 'store down' };

export const refusedBy = ({ limit, reason }) =>
  (reason === 'penalized' ? 'backoff' : `${limit ?? 'other limits'}${WHY[reason] ? ` (${WHY[reason]})` : ''}`);

/** The words for a number of refusals by reason. */
export const REASONS = { limited: 'limit', penalized: 'backoff', impossible: 'never fits', unavailable: 'store down' };

/** `24 backoff · 6 limit`, most first; empty if there were none. */
export function byReason(deniedBy) {
  const sums = {};
  for (const { reason, count } of deniedBy) sums[reason] = (sums[reason] ?? 0) + count;
  return Object.entries(sums).sort(([, a], [, b]) => b - a).map(([reason, count]) => `${number(count)} ${REASONS[reason]}`).join(' · ');
}

/** Characters that show nothing, or change the direction of text; the joiners of emoji and scripts are left alone. */
const INVISIBLE = /[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
const SHOWS_NOTHING = /^[\p{C}\p{Z}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]*$/u;
const ANY = /./gsu;

/** A name that a client chose, with its invisible characters written as `⟨U+200B⟩`, so that no two names look alike. */
export function visible(name) {
  if (name.trim() === '') return '(blank)';
  const coded = (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  return name.replace(SHOWS_NOTHING.test(name) ? ANY : INVISIBLE, coded);
}
