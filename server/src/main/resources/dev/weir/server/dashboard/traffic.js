/**
 * The chart of the overview with its range and limit. The last hour of all limits comes with the stream; a longer range, or
 * one limit, is read from the server now and then.
 */
import { Button, Component, h } from './parts.js';
import { Chart, chosenRange } from './chart.js';
import { byReason } from './format.js';
import { announce, read, readText, state } from './state.js';
import { param, setParams } from './routes.js';

const REFUSALS = ['limited', 'penalized', 'impossible', 'unavailable'];
const LONG = { '1d': '1d', '1w': '1w' };
const LOOK_MILLIS = 5000;
const EXPORTS = [['csv', 'CSV', 'text/csv'], ['json', 'JSON', 'application/json']];

/** The limit in the address, if there is one with this name. */
const chosenLimit = () => (state.rules.limits.some(({ name }) => name === param('limit')) ? param('limit') : '');

function query(format) {
  const limit = chosenLimit();
  return `/v1/series?${new URLSearchParams({ range: LONG[chosenRange()] ?? '1h', ...(limit && { limit }), ...(format && { format }) })}`;
}

export class Traffic extends Component {
  state = { series: null, failure: null };

  componentDidMount() {
    this.timer = setInterval(() => !document.hidden && this.load(), LOOK_MILLIS);
    this.load();
  }

  componentDidUpdate() {
    if (this.asked !== undefined && this.asked !== query()) this.load();
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  isStreamed() {
    return LONG[chosenRange()] === undefined && chosenLimit() === '';
  }

  async load() {
    const asked = query();
    this.asked = asked;
    if (this.isStreamed()) return;
    try {
      const series = await read(asked);
      if (this.asked === asked) this.setState({ series, failure: null });
    } catch (failure) {
      this.setState({ failure: failure.message });
    }
  }

  render({ marks }, { series, failure }) {
    const isCurrent = series !== null && series.limit === (chosenLimit() || null) && series.range === (LONG[chosenRange()] ?? '1h');
    const history = this.isStreamed() || !isCurrent ? state.history : historyOf(series);
    return h('div', { class: 'traffic' },
      h('div', { class: 'tools tools-end' },
        h('label', { class: 'choice' }, h('span', null, 'Limit'),
          h('select', { value: chosenLimit(), onChange: (event) => setParams({ limit: event.target.value }) },
            h('option', { value: '' }, 'All'), state.rules.limits.map(({ name }) => h('option', { key: name, value: name }, name)))),
        EXPORTS.map(([format, title, type]) => h(Button, { key: format, onClick: () => save(format, type), 'aria-label': `Save the series as ${title}` }, title))),
      failure && h('p', { class: 'failure', role: 'alert' }, failure),
      !this.isStreamed() && !isCurrent
        ? h('p', { class: 'quiet', role: 'status' }, 'Loading…')
        : h(Chart, { history, startedAt: state.overview.started_at, marks }),
      !this.isStreamed() && isCurrent && h('p', { class: 'hint', id: 'series-reasons' }, reasons(series)));
  }
}

/** The shape that the chart draws. A shadow limit's refusals were allowed, and are not among the denied. */
function historyOf({ series, latest_at: latestAt, slot_secs: slotSecs }) {
  const denied = series.allowed.map((_, i) => REFUSALS.reduce((all, reason) => all + (series[reason]?.[i] ?? 0), 0));
  return { latestAt, slotSecs, allowed: series.allowed.map((allowed, i) => allowed + (series.unavailable_allowed?.[i] ?? 0)), denied };
}

function reasons({ series, range }) {
  const text = byReason(REFUSALS.filter((reason) => series[reason]).map((reason) => ({ reason, count: sum(series[reason]) })).filter(({ count }) => count > 0));
  return `${text === '' ? 'None denied' : `Denied: ${text}`}, in the last ${range === '1h' ? 'hour' : range === '1d' ? 'day' : 'week'} since the server started.`
    + (series.shadow_denied && sum(series.shadow_denied) > 0 ? ` A shadow would have denied ${sum(series.shadow_denied)}.` : '');
}

const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Saves what the server has, not what is drawn. A link could not send the token. */
async function save(format, type) {
  try {
    const text = await readText(query(format));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `weir-${LONG[chosenRange()] ?? '1h'}${chosenLimit() && `-${chosenLimit()}`}.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (failure) {
    announce(failure.message);
  }
}
