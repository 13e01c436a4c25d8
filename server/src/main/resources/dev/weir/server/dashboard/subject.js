/** The page of one subject: what happened to it, why, what applies to it, and what was changed for it. */
import { Button, Card, Component, Empty, h, Name, Skeleton, Sparkline } from './parts.js';
import { ago, duration, exactTime, number, plural, refusedBy } from './format.js';
import { announce, now, read, state } from './state.js';
import { address } from './routes.js';
import * as api from './admin-api.js';
import { SubjectActions, SubjectBudgets, SubjectFacts } from './actions.js';
import { AuditTable } from './admin.js';

const REFRESH_MILLIS = 2000;

/** A subject that this server has not seen lately. */
const unseen = (attribute, value) => ({
  attribute, value, cut: false, exempt: false, overridden: false, budgets: [], deniedBy: [],
  violations: 0, allViolations: 0, consecutive: 0, until: 0, seen: 0, denied: 0, used: 0,
});

export class SubjectPage extends Component {
  state = { history: null, failure: null, audit: null };

  componentDidMount() {
    this.load();
    this.timer = setInterval(() => !document.hidden && this.load(), REFRESH_MILLIS);
  }

  componentDidUpdate() {
    if (this.auditKey !== this.wantedAudit()) this.loadAudit();
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  wantedAudit() {
    return `${api.isSignedIn()} ${state.rules.version}`;
  }

  async load() {
    const { attribute, value } = this.props;
    if (this.auditKey !== this.wantedAudit()) this.loadAudit();
    try {
      this.setState({ history: await read(`/v1/subjects/${encodeURIComponent(attribute)}/${encodeURIComponent(value)}/history`), failure: null });
    } catch (failure) {
      this.setState({ failure: failure.message });
    }
  }

  async loadAudit() {
    this.auditKey = this.wantedAudit();
    const { attribute, value } = this.props;
    try {
      this.setState({ audit: api.isSignedIn() ? await api.auditOf(`${attribute}=${value}`) : null });
    } catch {
      this.setState({ audit: null });
    }
  }

  render({ attribute, value }, { history, failure, audit }) {
    const found = [...state.subjects.values()].find((one) => one.attribute === attribute && one.value === value);
    const subject = found ?? unseen(attribute, value);
    return h('div', { class: 'subject-page' },
      h('nav', { class: 'crumbs', 'aria-label': 'Path' }, h('a', { href: address('subjects') }, 'Subjects'), ' / ', h('span', { class: 'kind' }, attribute), h(Name, { value }),
        h(CopyLink)),
      h(Card, { title: 'Now', id: 'now-title', class: 'area-now' },
        found ? h(SubjectFacts, { subject }) : h('p', { class: 'quiet' }, 'This server has not seen it in the last hour. Another node may have.'),
        h(SubjectBudgets, { subject }),
        h(SubjectActions, { subject })),
      h(Card, { title: 'Last hour', id: 'timeline-title', class: 'area-timeline' }, failure ? h('p', { class: 'failure', role: 'alert' }, failure) : history ? h(Timeline, { history }) : h(Skeleton)),
      h(Card, { title: 'Latest decisions', id: 'decisions-title', class: 'area-decisions', aside: h('a', { href: `${address('decisions')}?${new URLSearchParams({ [attribute]: value })}` }, 'Follow') },
        history ? h(Decisions, { history }) : h(Skeleton)),
      h(Card, { title: 'Changes', id: 'changes-title', class: 'area-changes' },
        audit === null ? h('p', { class: 'quiet' }, 'Sign in to see who changed its rates or exempted it.')
          : audit.length === 0 ? h('p', { class: 'quiet' }, 'Nobody has changed anything for it.') : h(AuditTable, { audit })));
  }
}

class CopyLink extends Component {
  state = { isCopied: false };

  copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      this.setState({ isCopied: true });
      announce('The link is copied.');
    } catch {
      prompt('The link to this page', location.href);
    }
  };

  render(_, { isCopied }) {
    return h(Button, { onClick: this.copy }, isCopied ? 'Copied' : 'Copy link');
  }
}

const sum = (values) => values.reduce((all, value) => all + value, 0);

/** Requests in five-minute steps. Refusals are complete; allowed requests are known only while they were observed. */
function Timeline({ history }) {
  const { allowed, denied, observed_secs: observed, slot_secs: slot } = history;
  const upSecs = Math.min(slot * observed.length, now() / 1000 - state.overview.started_at);
  const isPartly = sum(observed) < upSecs * 0.95 - 5;
  const rows = [
    { key: 'allowed', label: 'Allowed', values: allowed, level: 'ok', isPartly },
    ...denied.map((row) => ({ key: `${row.limit} ${row.reason}`, label: `Denied by ${refusedBy(row)}`, values: row.counts, level: 'bad' })),
  ];
  return h('div', null,
    h('table', { class: 'table timeline' }, h('tbody', null, rows.map(({ key, label, values, level, isPartly: partly }) =>
      h('tr', { key }, h('th', { scope: 'row' }, label),
        h('td', { class: 'timeline-bars' }, h(Sparkline, { values, label, level, unit: 'in five minutes' })),
        h('td', { class: 'num' }, partly ? `≥ ${number(sum(values))}` : number(sum(values))))))),
    denied.length === 0 && h('p', { class: 'quiet' }, 'No request of it was denied in the last hour.'),
    isPartly && h('p', { class: 'hint' }, `Every denied request is counted. Allowed requests were observed for ${duration(sum(observed))} of ${duration(upSecs)}: always while a dashboard is open, else one second in ten.`));
}

const WHY = {
  allowed: () => 'allowed',
  limited: ({ retry_after_ms: wait }) => `no budget left${wait === null ? '' : `; wait ${duration(Math.ceil(wait / 1000))}`}`,
  impossible: () => 'costs more than the limit ever has',
  penalized: ({ retry_after_ms: wait }) => `backoff after violations${wait === null ? '' : `; wait ${duration(Math.ceil(wait / 1000))}`}`,
  unavailable: () => 'the store did not answer',
};

export const whyDecided = (decision) => (WHY[decision.reason] ?? (() => decision.reason))(decision);

export const attributesText = (attributes) => Object.entries(attributes).map(([name, value]) => `${name}=${value}`).join(' ');

function Decisions({ history }) {
  if (history.decisions.length === 0) {
    return h(Empty, { icon: 'info', title: 'None observed yet' }, 'Denied requests always appear here, allowed requests while a dashboard is open.');
  }
  return h('div', null, h('p', { class: 'hint' }, `${plural(history.decisions.length, 'decision')}, newest first. At most 50 are kept.`), h(DecisionTable, { decisions: history.decisions }));
}

export const DecisionTable = ({ decisions }) =>
  h('div', { class: 'wide', tabIndex: 0, role: 'region', 'aria-label': 'Table of decisions' }, h('table', { class: 'table decisions' },
    h('thead', null, h('tr', null, ['When', 'Result', 'Limit', 'Why', 'Attributes'].map((title) => h('th', { scope: 'col', key: title }, title)))),
    h('tbody', null, decisions.map((decision, i) => h('tr', { key: decision.id ?? `${decision.at}-${i}` },
      h('td', { class: 'num', title: exactTime(decision.at) }, ago((now() - decision.at) / 1000)),
      h('td', { class: decision.allowed ? 'level-ok' : 'level-bad' }, decision.allowed ? 'Allowed' : 'Denied'),
      h('td', null, decision.limit === null ? (decision.reason === 'penalized' ? 'backoff' : '–') : h(Name, { value: decision.limit })),
      h('td', null, whyDecided(decision)),
      h('td', { class: 'attributes' }, h(Name, { value: attributesText(decision.attributes) })))))));
