/**
 * Choosing a rate by looking: how much the keys of a limit use in one period, with a line to drag, and what a rate of that
 * many would have refused.
 */
import { Component, h, Segments } from './parts.js';
import { duration, finePercent, number, plural } from './format.js';
import { polled } from './time.js';

const HEIGHT = 160;
const BOTTOM = 22;
const TOP = 8;
const SIDE = 12;
const BARS = 40;
/** Where the axis begins: between no use and a use of one. Counts lie between their bars. */
const LEAST = 0.5;
const LOOK_MILLIS = 10_000;

/** What a rate of this count would have refused: the use beyond it in each period, and the keys that went beyond it. */
export function refusedAt({ buckets }, count) {
  const above = buckets.filter(({ up_to: upTo }) => upTo > count);
  const all = sum(buckets, 'used');
  const refused = above.reduce((total, { used, windows }) => total + Math.max(0, used - windows * count), 0);
  return { share: all === 0 ? 0 : refused / all, keys: sum(above, 'keys') };
}

const sum = (buckets, name) => buckets.reduce((total, bucket) => total + bucket[name], 0);

export class UsePicker extends Component {
  state = { place: 0, count: null, width: 480 };

  componentDidMount() {
    this.observer = new ResizeObserver(([entry]) => this.setState({ width: entry.contentRect.width }));
    this.observer.observe(this.base);
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  render({ limit }, { place, count, width }) {
    const { data, failure } = polled(`/v1/limits/${encodeURIComponent(limit.name)}/use`, LOOK_MILLIS);
    const rates = data?.rates.filter(({ buckets }) => buckets.length > 0) ?? [];
    const rate = rates[Math.min(place, rates.length - 1)];
    return h('div', { class: 'use' },
      failure && h('p', { class: 'failure', role: 'alert' }, failure),
      !data && !failure && h('p', { class: 'quiet', role: 'status' }, 'Loading…'),
      data && !rate && h('p', { class: 'quiet' }, limit.algorithm === 'concurrency'
        ? 'This limit counts slots, which have no use in a period.' : 'No request has met this limit since the server started.'),
      rate && [
        rates.length > 1 && h(Segments, { key: 'rates', label: 'Rate', options: rates.map((one, i) => [i, `${one.row === 'default' ? '' : `${one.row}: `}per ${one.per}`]), value: Math.min(place, rates.length - 1), onChange: (next) => this.setState({ place: next, count: null }) }),
        this.picker(rate, Math.max(1, count ?? this.inForce(rate)), width),
      ]);
  }

  inForce({ rate, buckets }) {
    return rate === null ? buckets.at(-1).up_to : Number.parseInt(rate, 10);
  }

  picker(rate, count, width) {
    const plot = new Plot(rate, this.inForce(rate), width);
    const { share, keys } = refusedAt(rate, count);
    const text = verdict(rate, count, share, keys, this.props.limit);
    return h('div', { key: 'picker', class: 'use-picker' },
      h('div', { class: 'use-plot' },
        h('svg', {
          width, height: HEIGHT, role: 'slider', tabindex: 0, 'aria-label': `Rate for ${this.props.limit.name}`,
          'aria-valuemin': 1, 'aria-valuemax': plot.most, 'aria-valuenow': Math.min(count, plot.most), 'aria-valuetext': text,
          onPointerDown: (event) => this.drag(event, plot, true),
          onPointerMove: (event) => this.drag(event, plot, false),
          onKeyDown: (event) => this.step(event, count, plot),
        },
        h('text', { class: 'chart-time', x: SIDE, y: TOP + 6 }, plural(plot.mostKeys, 'key')),
        plot.bars.map(({ from, to, keys: many, height }) => h('rect', {
          key: from, class: from >= count ? 'use-bar use-bar-refused' : 'use-bar', x: plot.x(from + 0.5) + 0.5, width: Math.max(1, plot.x(to + 0.5) - plot.x(from + 0.5) - 1), y: HEIGHT - BOTTOM - height, height,
        }, h('title', null, `${plural(many, 'key')} used at most ${number(to)} per ${rate.per}`))),
        h('path', { class: 'use-base', d: `M${SIDE} ${HEIGHT - BOTTOM}H${width - SIDE}` }),
        plot.ticks().map((value) => h('text', { key: value, class: 'chart-time', x: plot.x(value), y: HEIGHT - 6, 'text-anchor': 'middle' }, number(value))),
        rate.rate !== null && h('path', { class: 'use-now', d: `M${plot.x(this.inForce(rate) + 0.5)} ${TOP}V${HEIGHT - BOTTOM}` }, h('title', null, `Now ${rate.rate}`)),
        h('path', { class: 'use-line', d: `M${plot.x(count + 0.5)} ${TOP}V${HEIGHT - BOTTOM}` }),
        h('path', { class: 'use-grip', d: `M${plot.x(count + 0.5) - 6} ${TOP - 6}h12v6l-6 6l-6-6z` }))),
      h('div', { class: 'use-choice' },
        h('label', { class: 'choice' }, h('span', null, 'Rate'),
          h('input', { type: 'number', min: 1, step: 1, value: count, onInput: (event) => event.target.value > 0 && this.setState({ count: Math.floor(event.target.value) }) }),
          h('span', null, `per ${rate.per}`)),
        h('p', { class: 'use-verdict', role: 'status' }, text)),
      h('p', { class: 'hint' }, honesty(rate)));
  }

  drag(event, plot, isPress) {
    if (isPress && event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
    if (event.buttons !== 1) return;
    this.setState({ count: plot.count(event.clientX - event.currentTarget.getBoundingClientRect().left) });
  }

  step(event, count, plot) {
    const small = Math.max(1, Math.round(count * 0.05));
    const to = {
      ArrowRight: count + small, ArrowUp: count + small, ArrowLeft: count - small, ArrowDown: count - small,
      PageUp: count * 2, PageDown: Math.floor(count / 2), Home: 1, End: plot.most,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.setState({ count: Math.min(plot.most, Math.max(1, to)) });
    }
  }
}

/** A logarithmic axis: most keys use little, and few use much. */
class Plot {
  constructor({ buckets }, inForce, width) {
    this.buckets = buckets;
    this.most = Math.max(10, inForce * 2, Math.ceil(buckets.at(-1).up_to * 1.2));
    this.inner = Math.max(1, width - 2 * SIDE);
    this.bars = this.group();
    this.mostKeys = Math.max(0, ...this.bars.map(({ keys }) => keys));
  }

  x(count) {
    return SIDE + (Math.log(Math.max(LEAST, count) / LEAST) / Math.log(this.most / LEAST)) * this.inner;
  }

  count(left) {
    const share = Math.min(1, Math.max(0, (left - SIDE) / this.inner));
    return Math.max(1, Math.round(LEAST * (this.most / LEAST) ** share - 0.5));
  }

  group() {
    const edges = [...new Set(Array.from({ length: BARS + 1 }, (_, i) => Math.round(this.most ** (i / BARS))))];
    const bars = edges.map((to, i) => ({ from: i === 0 ? 0 : edges[i - 1], to, keys: 0 }));
    for (const { up_to: upTo, keys } of this.buckets) {
      const bar = bars.find(({ to }) => upTo <= to) ?? bars.at(-1);
      bar.keys += keys;
    }
    const most = Math.max(1, ...bars.map(({ keys }) => keys));
    return bars.filter(({ keys }) => keys > 0).map((bar) => ({ ...bar, height: Math.max(2, (bar.keys / most) * (HEIGHT - TOP - BOTTOM - 16)) }));
  }

  ticks() {
    const ticks = [1];
    while (ticks.at(-1) * 10 <= this.most) ticks.push(ticks.at(-1) * 10);
    return ticks;
  }
}

function verdict({ per, one_of: oneOf }, count, share, keys, limit) {
  const about = oneOf > 1 ? 'about ' : '';
  if (keys === 0) return `${number(count)} per ${per} would have denied nothing.`;
  return `${number(count)} per ${per} would have denied ${about}${finePercent(share)} of ${limit.cost === '1' ? 'requests' : 'the cost'}, ${about}${keyWords(keys, limit.per)}.`;
}

/** `4 agents`, `1 agent × channel`, `the budget that all share`. */
function keyWords(count, per) {
  if (per.length === 0) return 'of the budget that all share';
  return per.length === 1 && !per[0].includes('|') ? plural(count, per[0]) : plural(count, `key of ${per.join(' × ').replaceAll('|', ' or ')}`, `keys of ${per.join(' × ').replaceAll('|', ' or ')}`);
}

function honesty({ observed_secs: observed, one_of: oneOf, keys }) {
  return `An estimate from the requests of the last ${duration(observed)} on this node, denied ones included. Bars are keys by the most they used in one period. `
    + (oneOf > 1 ? `${plural(keys, 'key')} were observed, one of ${number(oneOf)}. ` : '')
    + 'Periods begin with a key’s first request; a burst, or a window that begins elsewhere, denies a little more or less.';
}
