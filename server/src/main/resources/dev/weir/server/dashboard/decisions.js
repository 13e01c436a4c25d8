/** View of single decisions: follow them as they are made, or ask what would be decided about a request, and why. */
import { Button, Card, Component, Empty, h, Icon, Name } from './parts.js';
import { number, percent } from './format.js';
import { read, send, state, token } from './state.js';
import { address, param, route, setParams } from './routes.js';
import { open } from './stream.js';
import { attributesText, DecisionTable, whyDecided } from './subject.js';

const MOST_SHOWN = 200;
const REASONS = [['', 'All'], ['allowed', 'Allowed'], ['limited', 'No budget left'], ['penalized', 'Backoff'], ['impossible', 'Never fits'], ['unavailable', 'Store down']];

export function Decisions() {
  const { parts, params } = route();
  const isExplain = parts[0] === 'explain';
  return h('div', { class: 'decisions-view' },
    h('nav', { class: 'segments', 'aria-label': 'Decisions' },
      h('a', { href: address('decisions'), 'aria-current': isExplain ? undefined : 'true' }, 'Follow'),
      h('a', { href: address('decisions', 'explain'), 'aria-current': isExplain ? 'true' : undefined }, 'Explain')),
    isExplain ? h(Explain, { key: 'explain' }) : h(Tail, { key: params.toString() }));
}

/** `agent=a1 action=ping` as attributes; text without `=` belongs to the attribute that penalties apply to. */
function attributesOf(text) {
  return Object.fromEntries(text.split(/\s+/).filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    return at > 0 ? [part.slice(0, at), part.slice(at + 1)] : [state.rules.bare, part];
  }));
}

/** The parameters of the address that are attributes. */
const attributeParams = () => Object.fromEntries([...route().params].filter(([name]) => !['limit', 'reason'].includes(name)));

/** Decisions as they are made, newest first. A new filter opens a new stream. */
class Tail extends Component {
  state = { decisions: [], isPaused: false, held: [], second: null, status: 'connecting' };

  componentDidMount() {
    let count = 0;
    this.stream = open(`/v1/tail?${route().params}`, {
      decision: (decision) => {
        const entry = { ...decision, id: ++count };
        const added = (entries) => [entry, ...entries].slice(0, MOST_SHOWN);
        this.setState(({ isPaused, decisions, held }) => (isPaused ? { held: added(held) } : { decisions: added(decisions) }));
      },
      second: (second) => this.setState({ second }),
    }, ({ status }) => this.setState({ status }), token);
  }

  componentWillUnmount() {
    this.stream.close();
  }

  pause = () => {
    const { isPaused, held, decisions } = this.state;
    this.setState(isPaused ? { isPaused: false, held: [], decisions: [...held, ...decisions].slice(0, MOST_SHOWN) } : { isPaused: true });
  };

  filter = (event) => {
    event.preventDefault();
    const { attributes, limit, reason } = event.target.elements;
    const gone = Object.fromEntries(Object.keys(attributeParams()).map((name) => [name, '']));
    setParams({ ...gone, limit: limit.value, reason: reason.value, ...attributesOf(attributes.value) });
  };

  render(_, { decisions, isPaused, held, second, status }) {
    return [
      h('form', { class: 'tools', onSubmit: this.filter },
        h('label', { class: 'choice' }, h('span', null, 'Attributes'), h('input', { name: 'attributes', placeholder: `${state.rules.bare}=name`, defaultValue: attributesText(attributeParams()), autocomplete: 'off', spellcheck: false })),
        h('label', { class: 'choice' }, h('span', null, 'Limit'), h('select', { name: 'limit' },
          h('option', { value: '', selected: param('limit') === '' }, 'All'), state.rules.limits.map(({ name }) => h('option', { key: name, value: name, selected: param('limit') === name }, name)))),
        h('label', { class: 'choice' }, h('span', null, 'Result'), h('select', { name: 'reason' },
          REASONS.map(([key, text]) => h('option', { key, value: key, selected: param('reason') === key }, text)))),
        h('button', { class: 'button button-main' }, 'Filter'),
        h(Button, { onClick: this.pause, 'aria-pressed': String(isPaused) }, isPaused ? `Go on (${number(held.length)} new)` : 'Pause')),
      h('p', { class: 'quiet found', role: 'status' }, status !== 'live' ? 'Connecting…' : isPaused ? 'Paused.' : 'Decisions appear as they are made.'),
      second?.sampled && h('div', { class: 'banner', role: 'note', id: 'tail-sampled' }, h(Icon, { name: 'info' }),
        h('p', null, `A sample: ${number(second.sent)} of ${number(second.decisions)} decisions of the last second (${percent(second.sent / second.decisions)}). A filter shows more of what you look for.`)),
      h(Card, { title: 'Decisions', id: 'tail-title' }, decisions.length === 0
        ? h(Empty, { icon: 'decisions', title: 'None yet' }, 'Each decision that fits the filter appears here. Exempt requests, and those without a limit, do not.')
        : h(DecisionTable, { decisions })),
    ];
  }
}

/** What would be decided about a request, and why; it spends nothing. The request is in the address. */
class Explain extends Component {
  state = { explanation: null, failure: null };

  componentDidMount() {
    if (Object.keys(attributeParams()).length > 0) this.ask();
  }

  submit = (event) => {
    event.preventDefault();
    const gone = Object.fromEntries(Object.keys(attributeParams()).map((name) => [name, '']));
    setParams({ ...gone, ...attributesOf(event.target.elements.attributes.value) });
    this.ask();
  };

  async ask() {
    try {
      this.setState({ explanation: await send('/v1/explain', { attributes: attributeParams() }), failure: null });
    } catch (failure) {
      this.setState({ explanation: null, failure: failure.message });
    }
  }

  render(_, { explanation, failure }) {
    return [
      h(Card, { title: 'A request', id: 'explain-title' },
        h('form', { class: 'field-row', onSubmit: this.submit },
          h('label', { class: 'field' }, h('span', null, 'Attributes'),
            h('input', { name: 'attributes', required: true, placeholder: 'agent=a1 action=ping channel=http', defaultValue: attributesText(attributeParams()), autocomplete: 'off', spellcheck: false })),
          h('button', { class: 'button button-main' }, 'Explain')),
        h('p', { class: 'hint' }, 'Nothing is spent and nothing is counted.'),
        failure && h('p', { class: 'failure', role: 'alert' }, h(Icon, { name: 'bad', small: true }), failure)),
      explanation && h(Explanation, { explanation }),
    ];
  }
}

function Explanation({ explanation: { attributes, matched, skipped, exempt, decision } }) {
  return h(Card, { title: 'A check would answer', id: 'answer-title', class: 'explanation' },
    h('p', { class: `verdict ${decision.allowed ? 'level-ok' : 'level-bad'}`, role: 'status' }, h(Icon, { name: decision.allowed ? 'ok' : 'bad' }),
      exempt !== null ? `Allowed: ${exempt} is exempt` : matched.length === 0 ? 'Allowed: no limit applies'
        : decision.allowed ? 'Allowed' : `Denied by ${decision.reason === 'penalized' ? 'the backoff' : decision.limit}: ${whyDecided(decision)}`),
    h('h3', null, 'Attributes, after defaults and classification'),
    h('p', null, h(Name, { value: attributesText(attributes) || 'none', class: 'name-long' })),
    matched.length > 0 && [h('h3', null, 'Limits that apply'), h('div', { class: 'wide', tabIndex: 0, role: 'region', 'aria-label': 'Table of limits' }, h('table', { class: 'table' },
      h('thead', null, h('tr', null, ['Limit', 'Counted by', 'Row', 'Left', 'Result'].map((title) => h('th', { scope: 'col', key: title }, title)))),
      h('tbody', null, matched.map((limit) => h('tr', { key: limit.limit },
        h('th', { scope: 'row' }, h(Name, { value: limit.limit }), limit.override && h('span', { class: 'hint' }, ` own rate ${limit.override.rate} of ${limit.override.subject}`)),
        h('td', null, limit.key_by.length === 0 ? 'all together' : limit.key_by.join(' × ')),
        h('td', null, limit.row ?? '–'),
        h('td', { class: 'num' }, `${number(limit.remaining)} / ${number(limit.capacity)}`),
        h('td', { class: limit.allowed ? 'level-ok' : 'level-bad' }, limit.allowed ? 'fits' : limit.shadow ? 'would deny (shadow)' : 'denies'))))))],
    skipped.length > 0 && [h('h3', null, 'Limits that do not apply'), h('ul', { class: 'plain skipped' }, skipped.map(({ limit, why }) =>
      h('li', { key: limit }, h('b', null, h(Name, { value: limit })), ` ${why}`)))]);
}
