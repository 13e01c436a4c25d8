/**
 * The range of time that the page shows, from the address: the last minutes, hours or days, or a part of them that was
 * zoomed into. All charts and sums use it.
 */
import { Button, h, Icon, Segments } from './parts.js';
import { dayAndTime, timeOfDay, timeWithSeconds } from './format.js';
import { changed, goOn, now, pause, read, state } from './state.js';
import { param, setParams } from './routes.js';

const USUAL = '15m';
/** The name in the address, the name on the page, in words, the seconds, and the series of the server that covers it. */
const RANGES = [
  ['live', 'Live', 'last 5 min', 300, '1h'],
  ['15m', '15 min', 'last 15 min', 900, '1h'],
  ['1h', '1 hour', 'last hour', 3600, '1h'],
  ['1d', '1 day', 'last day', 86_400, '1d'],
  ['1w', '1 week', 'last week', 604_800, '1w'],
];
const HOUR = 3600;
const DAY = 86_400;
const REFUSALS = ['limited', 'penalized', 'impossible', 'unavailable'];
const LOOK_MILLIS = 5000;
const MOST_KEPT = 8;

/** The time that the page shows as now, in seconds: that of the pause while it is paused. */
const shownNow = () => (state.pausedAt || now()) / 1000;

/** The chosen range: `from` and `to` in seconds, and the shortest series that covers it. */
export function timeRange() {
  const [key, , words, seconds, source] = RANGES.find(([name]) => name === param('range')) ?? RANGES.find(([name]) => name === USUAL);
  const [from, to] = [Number(param('from')), Number(param('to'))];
  if (from > 0 && to > from) {
    const age = shownNow() - from;
    return { key, from, to, isZoomed: true, words: between(from, to), source: age <= HOUR ? '1h' : age <= DAY ? '1d' : '1w' };
  }
  return { key, from: shownNow() - seconds, to: shownNow(), seconds, isZoomed: false, words, source };
}

/** The times of an axis or a part of it; with seconds if it is short, with the day if it is long. */
export function momentText(from, to) {
  return to - from > DAY ? dayAndTime : to - from <= 10 * 60 ? timeWithSeconds : timeOfDay;
}

function between(from, to) {
  const text = momentText(from, to);
  return `${text(from * 1000)} – ${text(to * 1000)}`;
}

export const zoom = (from, to) => setParams({ from: String(Math.floor(from)), to: String(Math.ceil(to)) });

/** The range of the whole page, and whether it stands still. */
export function RangeBar() {
  const range = timeRange();
  return h('div', { class: 'tools range-bar', role: 'group', 'aria-label': 'Time' },
    h(Segments, {
      label: 'Time range', options: RANGES.map(([key, title]) => [key, title]), value: range.isZoomed ? null : range.key,
      onChange: (next) => setParams({ range: next === USUAL ? '' : next, from: '', to: '' }),
    }),
    range.isZoomed && h(Button, { onClick: () => setParams({ from: '', to: '' }), title: 'Show the whole range again' }, h('span', { id: 'zoomed' }, range.words), h(Icon, { name: 'close', small: true }), h('span', { class: 'sr-only' }, 'Reset zoom')),
    h(Button, { onClick: state.pausedAt ? goOn : pause, 'aria-pressed': String(state.pausedAt !== 0) }, state.pausedAt ? 'Go on' : 'Pause'));
}

/** What was read of the server, by path; the oldest is dropped. */
const kept = new Map();

/** Reads a path of the server now and then, while the page shows it and is not paused. */
export function polled(path, everyMillis = LOOK_MILLIS) {
  let entry = kept.get(path);
  if (entry === undefined) {
    entry = { data: null, failure: null, at: 0, isLoading: false };
    kept.set(path, entry);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  }
  const isDue = Date.now() - entry.at >= everyMillis && (state.pausedAt === 0 || entry.data === null);
  if (isDue && !entry.isLoading && !document.hidden) load(path, entry);
  return entry;
}

async function load(path, entry) {
  entry.isLoading = true;
  try {
    Object.assign(entry, { data: await read(path), failure: null });
  } catch (failure) {
    entry.failure = failure.message;
  }
  Object.assign(entry, { isLoading: false, at: Date.now() });
  changed();
}

/** The series of all decisions, or of one limit. Those of the last hour come with the stream; others are read. */
export function seriesOf(limit = '') {
  const { source } = timeRange();
  if (limit === '' && source === '1h') return { data: state.history, failure: null };
  const { data, failure } = polled(`/v1/series?${new URLSearchParams({ range: source, ...(limit && { limit }) })}`);
  return { data: data && withSums(data), failure };
}

/** Adds what is drawn. A shadow limit's refusals were allowed, and are not among the denied. */
function withSums(data) {
  const { series } = data;
  const add = (names, i) => names.reduce((sum, name) => sum + (series[name]?.[i] ?? 0), 0);
  data.summed ??= {
    latestAt: data.latest_at,
    slotSecs: data.slot_secs,
    series: {
      ...series,
      allowed: series.allowed.map((_, i) => add(['allowed', 'unavailable_allowed'], i)),
      denied: series.allowed.map((_, i) => add(REFUSALS, i)),
    },
  };
  return data.summed;
}

/** The sum of a series in the chosen range; the step that still grows counts. */
export function sumIn(data, name) {
  const { from, to } = timeRange();
  const values = data.series[name] ?? [];
  return values.reduce((sum, value, i) => {
    const at = data.latestAt - (values.length - 1 - i) * data.slotSecs;
    return at + data.slotSecs > from && at < to ? sum + value : sum;
  }, 0);
}

/** The refused requests of the chosen range, by reason. */
export const refusalsIn = (data) =>
  REFUSALS.map((reason) => ({ reason, count: sumIn(data, reason) })).filter(({ count }) => count > 0);

/**
 * The steps of the chosen range, oldest first. The step that still grows is left out, because it would look like a drop,
 * and so is the time before recording began.
 */
export function pointsIn(data, names, perSecond) {
  const { from, to } = timeRange();
  const length = data.series[names[0]]?.length ?? 0;
  const points = [];
  for (let i = 0; i < length; i++) {
    const at = data.latestAt - (length - 1 - i) * data.slotSecs;
    const isOver = at + data.slotSecs <= shownNow() && i < length - (state.pausedAt === 0 ? 1 : 0);
    if (isOver && at + data.slotSecs > from && at < to && at + data.slotSecs > state.overview.recorded_since) {
      points.push({ at, ...Object.fromEntries(names.map((name) => [name, perSecond ? data.series[name][i] / data.slotSecs : data.series[name][i]])) });
    }
  }
  return points;
}
