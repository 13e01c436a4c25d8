/** Chart of allowed and refused requests over time. Drawn as SVG; also available as a table, and by arrow keys. */
import { Component, h, Segments } from './parts.js';
import { dayAndTime, exactTime, rate, timeOfDay } from './format.js';
import { param, setParams } from './routes.js';

const HEIGHT = 280;
const LEFT = 44;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const RANGES = [['5m', '5 min'], ['15m', '15 min'], ['1h', '1 hour'], ['1d', '1 day'], ['1w', '1 week']];
const SLOTS = { '5m': 60, '15m': 180, '1h': 720, '1d': 1440, '1w': 672 };

/** The chosen range, from the address. */
export const chosenRange = () => (Object.hasOwn(SLOTS, param('range')) ? param('range') : '15m');
const TABLE_ROWS = 12;

/** Returns the smallest round number that is not below the value. */
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.1)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((nice) => nice >= value * 0.999);
}

export class Chart extends Component {
  state = { width: 600, at: null };

  componentDidMount() {
    this.observer = new ResizeObserver(([entry]) => this.setState({ width: entry.contentRect.width }));
    this.observer.observe(this.base.querySelector('.chart-plot'));
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  render({ history, startedAt, marks = [] }, { width, at }) {
    const range = chosenRange();
    const slots = SLOTS[range];
    const points = this.points(history, slots, startedAt);
    const plot = this.plot(points, width, slots);
    const within = marks.filter((mark) => points.length > 0 && mark.at >= points[0].millis && mark.at <= points.at(-1).millis + history.slotSecs * 2000);
    const chosen = at === null ? null : points[Math.min(at, points.length - 1)];
    return h('div', { class: 'chart' },
      h('div', { class: 'chart-head' }, h(Legend, { chosen: chosen ?? points.at(-1), isChosen: chosen !== null }),
        h(Segments, { label: 'Time range', options: RANGES, value: range, onChange: (next) => setParams({ range: next === '15m' ? '' : next }) })),
      h('div', { class: 'chart-plot' },
        h('svg', {
          width, height: HEIGHT, role: 'img', tabIndex: 0,
          'aria-label': describe(points),
          onPointerMove: (event) => this.point(event, points, plot),
          onPointerLeave: () => this.setState({ at: null }),
          onBlur: () => this.setState({ at: null }),
          onKeyDown: (event) => this.step(event, points),
        },
        plot.ticks.map((tick) => h('g', { key: tick.value, class: 'chart-tick' },
          h('line', { x1: LEFT, x2: width - RIGHT, y1: tick.y, y2: tick.y }),
          h('text', { x: LEFT - 8, y: tick.y + 4, 'text-anchor': 'end' }, rate(tick.value)))),
        plot.times.map((time) => h('text', { key: time.x, class: 'chart-time', x: time.x, y: HEIGHT - 6, 'text-anchor': time.anchor }, time.text)),
        within.map((mark) => h('g', { key: `${mark.at} ${mark.text}`, class: `chart-mark chart-mark-${mark.level}` },
          h('title', null, `${exactTime(mark.at)}: ${mark.text}`),
          h('line', { x1: plot.xAt(mark.at), x2: plot.xAt(mark.at), y1: TOP, y2: HEIGHT - BOTTOM }),
          h('path', { d: `M${plot.xAt(mark.at) - 5} ${TOP - 8}h10l-5 8z` }))),
        h('path', { class: 'chart-allowed-area', d: plot.area('allowed') }),
        h('path', { class: 'chart-denied-area', d: plot.area('denied') }),
        h('path', { class: 'chart-allowed', d: plot.line('allowed') }),
        h('path', { class: 'chart-denied', d: plot.line('denied') }),
        chosen && h('g', { class: 'chart-cursor' },
          h('line', { x1: plot.x(chosen), x2: plot.x(chosen), y1: TOP, y2: HEIGHT - BOTTOM }),
          h('circle', { class: 'chart-dot-allowed', cx: plot.x(chosen), cy: plot.y(chosen.allowed), r: 4 }),
          h('rect', { class: 'chart-dot-denied', x: plot.x(chosen) - 4, y: plot.y(chosen.denied) - 4, width: 8, height: 8 }))),
        h('p', { class: 'sr-only', role: 'status' }, chosen && `${exactTime(chosen.millis)}: ${spoken(chosen)}`)),
      within.length > 0 && h('ul', { class: 'marks', 'aria-label': 'Marks in the chart' }, within.map((mark) =>
        h('li', { key: `${mark.at} ${mark.text}` }, h('span', { class: `mark mark-${mark.level}`, 'aria-hidden': 'true' }, '▼'), h('span', { class: 'num' }, timeOfDay(mark.at)), ` ${mark.text}`))),
      h(Table, { points }));
  }

  /**
   * Leaves out the slot that still grows, because it would look like a drop, and the time before the server started,
   * which has no data.
   */
  points(history, slots, startedAt) {
    const end = Math.max(0, history.allowed.length - 1);
    const begin = Math.max(0, end - slots);
    return history.allowed.slice(begin, end).map((allowed, i) => ({
      place: slots - (end - begin) + i,
      millis: (history.latestAt - (end - begin - i) * history.slotSecs) * 1000,
      allowed: allowed / history.slotSecs,
      denied: history.denied[begin + i] / history.slotSecs,
    })).filter((point) => point.millis / 1000 >= startedAt - history.slotSecs);
  }

  plot(points, width, slots) {
    const ceiling = niceCeiling(Math.max(1, ...points.map((point) => Math.max(point.allowed, point.denied))));
    const inner = Math.max(1, width - LEFT - RIGHT);
    const base = HEIGHT - BOTTOM;
    const x = ({ place }) => LEFT + (place / (slots - 1)) * inner;
    const y = (value) => base - (value / ceiling) * (base - TOP);
    const line = (series) => points.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p).toFixed(1)} ${y(p[series]).toFixed(1)}`).join('');
    const area = (series) => (points.length === 0 ? '' : `${line(series)}L${x(points.at(-1)).toFixed(1)} ${base}L${x(points[0]).toFixed(1)} ${base}Z`);
    const ticks = [0, ceiling / 2, ceiling].map((value) => ({ value, y: y(value) }));
    const places = width < 480 ? [0, 1] : [0, 1 / 3, 2 / 3, 1];
    const times = points.length === 0 ? [] : places.map((share) => {
      const place = Math.round(share * (slots - 1));
      const millis = points.at(-1).millis - (slots - 1 - place) * this.props.history.slotSecs * 1000;
      return { x: x({ place }), text: this.props.history.slotSecs > 60 ? dayAndTime(millis) : timeOfDay(millis), anchor: share === 0 ? 'start' : share === 1 ? 'end' : 'middle' };
    });
    const last = points.at(-1);
    const xAt = (millis) => Math.min(LEFT + inner, x({ place: last.place + (millis - last.millis) / (this.props.history.slotSecs * 1000) }));
    return { x, xAt, y, line, area, ticks, times };
  }

  point(event, points, plot) {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const distance = (point) => Math.abs(plot.x(point) - left);
    const at = points.reduce((best, point, i) => (distance(point) < distance(points[best]) ? i : best), 0);
    this.setState({ at: points.length === 0 ? null : at });
  }

  step(event, points) {
    const last = points.length - 1;
    const from = this.state.at ?? last;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.setState({ at: Math.min(last, Math.max(0, to)) });
    }
  }
}

const spoken = (point) => `${rate(point.allowed)} allowed and ${rate(point.denied)} denied a second`;

function describe(points) {
  if (points.length === 0) return 'Requests a second: nothing yet';
  return `Requests a second over ${Math.max(1, Math.round((points.at(-1).millis - points[0].millis) / 60_000))} minutes, `
    + `lately ${spoken(points.at(-1))}. Arrow keys read single moments.`;
}

const Legend = ({ chosen, isChosen }) =>
  h('dl', { class: 'legend' },
    h('div', null, h('dt', null, h('span', { class: 'swatch swatch-allowed' }), 'Allowed'),
      h('dd', null, chosen ? `${rate(chosen.allowed)}/s` : '–')),
    h('div', null, h('dt', null, h('span', { class: 'swatch swatch-denied' }), 'Denied'),
      h('dd', null, chosen ? `${rate(chosen.denied)}/s` : '–')),
    h('div', { class: 'legend-when' }, isChosen ? timeOfDay(chosen.millis) : ''));

/** The same data as a table, also for screen readers: a dozen means over the range. */
function Table({ points }) {
  const size = Math.max(1, Math.ceil(points.length / TABLE_ROWS));
  const rows = [];
  for (let i = 0; i < points.length; i += size) {
    const part = points.slice(i, i + size);
    const mean = (series) => part.reduce((sum, point) => sum + point[series], 0) / part.length;
    rows.push({ millis: part[0].millis, allowed: mean('allowed'), denied: mean('denied') });
  }
  return h('details', { class: 'chart-table' }, h('summary', null, 'As a table'),
    h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'From'), h('th', { scope: 'col', class: 'num' }, 'Allowed/s'), h('th', { scope: 'col', class: 'num' }, 'Denied/s'))),
      h('tbody', null, rows.map((row) => h('tr', { key: row.millis },
        h('th', { scope: 'row' }, exactTime(row.millis)),
        h('td', { class: 'num' }, rate(row.allowed)),
        h('td', { class: 'num' }, rate(row.denied)))))));
}
