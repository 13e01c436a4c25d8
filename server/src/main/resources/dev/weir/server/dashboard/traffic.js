/** The charts of the overview: requests by result, of all limits or of one, and how long decisions and the store take. */
import { Button, Card, h } from './parts.js';
import { Chart } from './chart.js';
import { byReason, latency, number, rate, visible } from './format.js';
import { announce, readText, state } from './state.js';
import { param, setParams } from './routes.js';
import { pointsIn, refusalsIn, seriesOf, sumIn, timeRange } from './time.js';

const EXPORTS = [['csv', 'CSV', 'text/csv'], ['json', 'JSON', 'application/json']];
const REQUESTS = [
  { key: 'allowed', title: 'Allowed', kind: 'allowed', unit: '/s', isArea: true },
  { key: 'denied', title: 'Denied', kind: 'denied', unit: '/s', isArea: true },
];
const TIMES = [['decision', 'Decisions'], ['store', 'Calls of the store']];
const LATENCY_HEIGHT = 150;
const MOST_MARKS = 50;

/** The limit in the address, if there is one with this name. */
const chosenLimit = () => (state.rules.limits.some(({ name }) => name === param('limit')) ? param('limit') : '');

/** What happened to the server as a whole in the chosen range, to be seen beside the numbers; newest first. */
function marks() {
  const { from, to } = timeRange();
  return state.notable.map((entry) => ({ at: entry.at, ...MARKS[entry.kind]?.(entry) }))
    .filter(({ text, at }) => text && at >= from * 1000 && at <= to * 1000).slice(0, MOST_MARKS);
}

const MARKS = {
  server_started: () => ({ level: 'info', text: 'The server started' }),
  configuration_reloaded: ({ changes }) => ({ level: 'info', text: `Configuration: ${changes.length === 0 ? 'loaded again' : changes.slice(0, 3).join('; ')}${changes.length > 3 ? ` and ${changes.length - 3} more` : ''}` }),
  configuration_rejected: () => ({ level: 'bad', text: 'A changed configuration was rejected' }),
  settings_changed: ({ who }) => ({ level: 'info', text: `Settings changed by ${who ?? 'another node'}` }),
  store_unavailable: () => ({ level: 'bad', text: 'The store stopped answering' }),
  store_recovered: () => ({ level: 'ok', text: 'The store answers again' }),
  alert: ({ subject }) => ({ level: 'bad', text: `Alert${Object.entries(subject).map(([attribute, value]) => ` ${attribute} ${visible(value)}`).join('')}` }),
};

export function Traffic() {
  const { data, failure } = seriesOf(chosenLimit());
  return h(Card, { title: 'Requests a second', id: 'chart-title', class: 'area-chart', aside: h(Tools) },
    failure && h('p', { class: 'failure', role: 'alert' }, failure),
    data === null ? h('p', { class: 'quiet', role: 'status' }, 'Loading…') : [
      h(Chart, { key: 'chart', label: 'Requests a second', points: pointsIn(data, ['allowed', 'denied'], true), lines: REQUESTS, format: rate, slotSecs: data.slotSecs, marks: marks(), isMarked: true }),
      h('p', { key: 'reasons', class: 'hint', id: 'series-reasons' }, reasons(data)),
    ]);
}

const Tools = () =>
  h('div', { class: 'tools tools-end' },
    h('label', { class: 'choice' }, h('span', null, 'Limit'),
      h('select', { value: chosenLimit(), onChange: (event) => setParams({ limit: event.target.value }) },
        h('option', { value: '' }, 'All'), state.rules.limits.map(({ name }) => h('option', { key: name, value: name }, name)))),
    EXPORTS.map(([format, title, type]) => h(Button, { key: format, onClick: () => save(format, type), 'aria-label': `Save the series as ${title}` }, title)));

function reasons(data) {
  const text = byReason(refusalsIn(data));
  const shadow = sumIn(data, 'shadow_denied');
  return `${text === '' ? 'None denied' : `Denied: ${text}`}, ${timeRange().words}.${shadow > 0 ? ` A shadow would have denied ${number(shadow)}.` : ''}`;
}

/** How long decisions take, and the store's part of it. */
export function Latency() {
  const { data, failure } = seriesOf();
  return h(Card, { title: 'Latency', id: 'latency-title', class: 'area-latency', aside: h('span', { class: 'hint' }, 'median and 99th percentile') },
    failure && h('p', { class: 'failure', role: 'alert' }, failure),
    data === null ? h('p', { class: 'quiet', role: 'status' }, 'Loading…') : h('div', { class: 'latencies' }, TIMES.map(([name, title]) => {
      const [p50, p99] = [`${name}_p50_ns`, `${name}_p99_ns`];
      return h('div', { key: name, id: `latency-${name}` }, h('h3', null, title),
        h(Chart, {
          label: `${title}, time`, points: pointsIn(data, [p50, p99], false).map((point) => ({ ...point, [p50]: point[p50] || null, [p99]: point[p99] || null })),
          lines: [{ key: p50, title: 'p50', kind: 'p50' }, { key: p99, title: 'p99', kind: 'p99' }],
          format: latency, slotSecs: data.slotSecs, marks: marks(), height: LATENCY_HEIGHT, least: 1000,
        }));
    })));
}

/** Saves what the server has, not what is drawn. A link could not send the token. */
async function save(format, type) {
  const { source, from, to, isZoomed, key } = timeRange();
  const limit = chosenLimit();
  const part = isZoomed || key === 'live' || key === '15m' ? { from: String(Math.floor(from)), to: String(Math.ceil(to)) } : {};
  try {
    const text = await readText(`/v1/series?${new URLSearchParams({ range: source, format, ...(limit && { limit }), ...part })}`);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `weir-${isZoomed ? 'zoom' : key}${limit && `-${limit}`}.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (failure) {
    announce(failure.message);
  }
}
