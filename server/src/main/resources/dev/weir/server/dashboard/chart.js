/**
 * A chart of lines over time. Drawn as SVG; also available as a table, and by arrow keys. Dragging, or Shift with the arrow
 * keys and Enter, zooms the whole page.
 */
import { Component, h } from './parts.js';
import { exactTime, timeOfDay } from './format.js';
import { momentText, timeRange, zoom } from './time.js';

const LEFT = 52;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 24;
const TABLE_ROWS = 12;
const LISTED_MARKS = 5;
/** A drag of fewer pixels is a click. */
const SHORTEST_DRAG = 8;

/** Returns the smallest round number that is not below the value. */
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.1)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((nice) => nice >= value * 0.999);
}

/**
 * `points` have `at` in seconds and a value for each line; null or, with `isGap`, 0 is a gap. A line has `key`, `title`,
 * `kind` for its style, and `isArea`. `format` writes a value, `label` says what is shown.
 */
export class Chart extends Component {
  state = { width: 600, at: null, drag: null, anchor: null };

  componentDidMount() {
    this.observer = new ResizeObserver(([entry]) => this.setState({ width: entry.contentRect.width }));
    this.observer.observe(this.base.querySelector('.chart-plot'));
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  render({ points, lines, label, format, slotSecs, marks = [], height = 280, least = 1, isMarked }, { width, at, drag, anchor }) {
    const plot = this.plot(width, height, least);
    const chosen = at === null ? null : points[Math.min(at, points.length - 1)] ?? null;
    const selected = drag && Math.abs(drag.to - drag.from) >= SHORTEST_DRAG ? drag
      : anchor !== null && chosen ? { from: plot.x(points[Math.min(anchor, points.length - 1)].at), to: plot.x(chosen.at) } : null;
    return h('div', { class: 'chart' },
      h('div', { class: 'chart-head' }, h(Legend, { lines, format, chosen: chosen ?? points.at(-1), isChosen: chosen !== null })),
      h('div', { class: 'chart-plot', style: { minHeight: `${height}px` } },
        h('svg', {
          width, height, role: 'img', tabindex: 0,
          'aria-label': describe(label, points, lines, format),
          onPointerDown: (event) => this.press(event),
          onPointerMove: (event) => this.point(event, plot),
          onPointerUp: (event) => this.release(event, plot),
          onPointerCancel: () => this.setState({ drag: null }),
          onPointerLeave: () => this.setState({ at: null }),
          onBlur: () => this.setState({ at: null, anchor: null }),
          onKeyDown: (event) => this.step(event),
        },
        plot.ticks.map((tick) => h('g', { key: tick.value, class: 'chart-tick' },
          h('line', { x1: LEFT, x2: width - RIGHT, y1: tick.y, y2: tick.y }),
          h('text', { x: LEFT - 8, y: tick.y + 4, 'text-anchor': 'end' }, tick.value === 0 ? '0' : format(tick.value)))),
        plot.times.map((time) => h('text', { key: time.x, class: 'chart-time', x: time.x, y: height - 6, 'text-anchor': time.anchor }, time.text)),
        marks.map((mark) => h('g', { key: `${mark.at} ${mark.text}`, class: `chart-mark chart-mark-${mark.level}` },
          h('title', null, `${exactTime(mark.at)}: ${mark.text}`),
          h('line', { x1: plot.x(mark.at / 1000), x2: plot.x(mark.at / 1000), y1: TOP, y2: height - BOTTOM }),
          h('path', { d: `M${plot.x(mark.at / 1000) - 5} ${TOP - 8}h10l-5 8z` }))),
        lines.filter(({ isArea }) => isArea).map(({ key, kind }) => h('path', { key, class: `chart-${kind}-area`, d: plot.area(key) })),
        lines.map(({ key, kind }) => h('path', { key, class: `chart-${kind}`, d: plot.line(key) })),
        selected && h('rect', { class: 'chart-selection', x: Math.min(selected.from, selected.to), y: TOP, width: Math.abs(selected.to - selected.from), height: height - TOP - BOTTOM }),
        chosen && h('g', { class: 'chart-cursor' },
          h('line', { x1: plot.x(chosen.at), x2: plot.x(chosen.at), y1: TOP, y2: height - BOTTOM }),
          lines.filter(({ key }) => this.isKnown(chosen[key])).map(({ key, kind }) => (kind === 'denied' || kind === 'p99'
            ? h('rect', { key, class: `chart-dot-${kind}`, x: plot.x(chosen.at) - 4, y: plot.y(chosen[key]) - 4, width: 8, height: 8 })
            : h('circle', { key, class: `chart-dot-${kind}`, cx: plot.x(chosen.at), cy: plot.y(chosen[key]), r: 4 }))))),
        h('p', { class: 'sr-only', role: 'status' }, chosen && `${exactTime(chosen.at * 1000)}: ${spoken(chosen, lines, format)}${anchor === null ? '' : '. Enter zooms.'}`)),
      isMarked && marks.length > 0 && h('ul', { class: 'marks', 'aria-label': 'Marks in the chart' }, marks.slice(0, LISTED_MARKS).map((mark) =>
        h('li', { key: `${mark.at} ${mark.text}` }, h('span', { class: `mark mark-${mark.level}`, 'aria-hidden': 'true' }, '▼'), h('span', { class: 'num' }, timeOfDay(mark.at)), ` ${mark.text}`)),
      marks.length > LISTED_MARKS && h('li', null, `and ${marks.length - LISTED_MARKS} more; `, h('a', { href: '#/alerts?show=all' }, 'see all'))),
      h(Table, { points, lines, format, slotSecs }));
  }

  isKnown(value) {
    return value !== null && !(this.props.isGap && value === 0);
  }

  plot(width, height, least) {
    const { points, lines, slotSecs } = this.props;
    const range = timeRange();
    const to = range.isZoomed ? range.to : points.at(-1)?.at ?? range.to;
    const from = range.isZoomed ? range.from : to - range.seconds + slotSecs;
    const ceiling = niceCeiling(Math.max(least, ...points.flatMap((point) => lines.map(({ key }) => point[key] ?? 0))));
    const inner = Math.max(1, width - LEFT - RIGHT);
    const base = height - BOTTOM;
    const x = (second) => Math.max(LEFT, Math.min(LEFT + inner, LEFT + ((second - from) / Math.max(1, to - from)) * inner));
    const second = (left) => from + ((left - LEFT) / inner) * (to - from);
    const y = (value) => base - (value / ceiling) * (base - TOP);
    const at = (point, key) => `${x(point.at).toFixed(1)} ${y(point[key]).toFixed(1)}`;
    const line = (key) => points.map((point, i) => (this.isKnown(point[key])
      ? `${i > 0 && this.isKnown(points[i - 1][key]) ? 'L' : 'M'}${at(point, key)}${i > 0 && this.isKnown(points[i - 1][key]) ? '' : 'h.1'}` : '')).join('');
    const area = (key) => (points.length === 0 ? '' : `${line(key)}L${x(points.at(-1).at).toFixed(1)} ${base}L${x(points[0].at).toFixed(1)} ${base}Z`);
    const ticks = [0, ceiling / 2, ceiling].map((value) => ({ value, y: y(value) }));
    const text = momentText(from, to);
    const times = points.length === 0 ? [] : (width < 480 ? [0, 1] : [0, 1 / 3, 2 / 3, 1]).map((share) => ({
      x: LEFT + share * inner, text: text((from + share * (to - from)) * 1000), anchor: share === 0 ? 'start' : share === 1 ? 'end' : 'middle',
    }));
    return { x, y, second, line, area, ticks, times };
  }

  press(event) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const left = this.left(event);
    this.setState({ drag: { from: left, to: left } });
  }

  left(event) {
    return event.clientX - event.currentTarget.getBoundingClientRect().left;
  }

  point(event, plot) {
    const left = this.left(event);
    const { points } = this.props;
    const distance = (point) => Math.abs(plot.x(point.at) - left);
    const at = points.reduce((best, point, i) => (distance(point) < distance(points[best]) ? i : best), 0);
    this.setState(({ drag }) => ({ at: points.length === 0 ? null : at, drag: drag && { ...drag, to: left } }));
  }

  release(event, plot) {
    const { drag } = this.state;
    this.setState({ drag: null });
    const left = this.left(event);
    if (drag && Math.abs(left - drag.from) >= SHORTEST_DRAG) this.zoom(plot.second(drag.from), plot.second(left));
  }

  /** Zooms to these times, at least two steps apart. */
  zoom(one, other) {
    const { slotSecs } = this.props;
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    const missing = Math.max(0, 2 * slotSecs - (to - from)) / 2;
    zoom(from - missing, to + missing);
  }

  step(event) {
    const { points, slotSecs } = this.props;
    const { at, anchor } = this.state;
    const last = points.length - 1;
    const from = at ?? last;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key];
    if (to !== undefined && last >= 0) {
      event.preventDefault();
      this.setState({ at: Math.min(last, Math.max(0, to)), anchor: event.shiftKey ? anchor ?? from : null });
    } else if (event.key === 'Enter' && anchor !== null && at !== null) {
      this.zoom(points[Math.min(anchor, last)].at, points[Math.min(at, last)].at + slotSecs);
      this.setState({ at: null, anchor: null });
    } else if (event.key === 'Escape') {
      this.setState({ at: null, anchor: null, drag: null });
    }
  }
}

const valueText = (value, format) => (value === null || value === undefined ? 'nothing' : format(value));

const spoken = (point, lines, format) => lines.map(({ key, title }) => `${valueText(point[key], format)} ${title.toLowerCase()}`).join(' and ');

function describe(label, points, lines, format) {
  if (points.length === 0) return `${label}: nothing yet`;
  return `${label} over ${Math.max(1, Math.round((points.at(-1).at - points[0].at) / 60))} minutes, `
    + `lately ${spoken(points.at(-1), lines, format)}. Arrow keys read single moments; with Shift and then Enter they zoom.`;
}

const Legend = ({ lines, format, chosen, isChosen }) =>
  h('dl', { class: 'legend' },
    lines.map(({ key, title, kind, unit = '' }) => h('div', { key }, h('dt', null, h('span', { class: `swatch swatch-${kind}` }), title),
      h('dd', null, chosen && chosen[key] !== null ? `${format(chosen[key])}${unit}` : '–'))),
    h('div', { class: 'legend-when' }, isChosen ? timeOfDay(chosen.at * 1000) : ''));

/** The same data as a table, also for screen readers: a dozen means over the range; of latencies, the greatest. */
function Table({ points, lines, format }) {
  const size = Math.max(1, Math.ceil(points.length / TABLE_ROWS));
  const rows = [];
  for (let i = 0; i < points.length; i += size) {
    const part = points.slice(i, i + size);
    rows.push({ at: part[0].at, values: lines.map(({ key, unit }) => (unit
      ? part.reduce((sum, point) => sum + point[key], 0) / part.length
      : Math.max(...part.map((point) => point[key] ?? 0)))) });
  }
  return h('details', { class: 'chart-table' }, h('summary', null, 'As a table'),
    h('table', null,
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'From'), lines.map(({ key, title, unit = '' }) => h('th', { key, scope: 'col', class: 'num' }, `${title}${unit}`)))),
      h('tbody', null, rows.map((row) => h('tr', { key: row.at },
        h('th', { scope: 'row' }, exactTime(row.at * 1000)),
        row.values.map((value, i) => h('td', { key: lines[i].key, class: 'num' }, format(value))))))));
}
