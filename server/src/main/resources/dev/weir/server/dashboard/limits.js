/**
 * View of all limits: what each counts, for which subjects, how much, and its latest results. Shadow results stand
 * beside enforced ones.
 */
import { Badge, Button, Empty, h, Icon, Name, Sparkline } from './parts.js';
import { ago, duration, neverApplied, number, percent } from './format.js';
import { now, state } from './state.js';
import { param, setParams } from './routes.js';
import { polled, timeRange } from './time.js';
import { UsePicker } from './use.js';

const NOTHING = { allowed: 0, limited: 0, impossible: 0, unavailable: 0, shadow_denied: 0, warned: 0, denied_by_step: [], shadow_by_step: [] };
const LOOK_MILLIS = 2000;

/** What each limit decided in the chosen range; null until it is known. */
function countsByLimit() {
  const { source, seconds, isZoomed, from, to } = timeRange();
  const part = isZoomed ? { from: String(from), to: String(to) } : { from: String(-seconds) };
  const { data, failure } = polled(`/v1/series/limits?${new URLSearchParams({ range: source, ...part })}`, LOOK_MILLIS);
  return { counts: data?.limits ?? null, failure };
}

export function Limits() {
  const { rules, overview } = state;
  const { counts, failure } = countsByLimit();
  return h('div', { class: 'limits' },
    failure && h('p', { class: 'failure', role: 'alert' }, failure),
    rules.limits.length === 0
      ? h(Empty, { icon: 'limits', title: 'No limits' }, 'The configuration has none, so every request is allowed. Add some under limits: and the server reloads it automatically.')
      : h('ul', { class: 'limit-list' }, rules.limits.map((limit) =>
        h(Limit, {
          key: limit.name,
          limit,
          counts: counts === null ? null : counts[limit.name] ?? NOTHING,
          refusals: overview.limits[limit.name]?.refused ?? [],
          skipped: overview.never_applied.find((one) => one.limit === limit.name),
        }))),
    rules.penalty && h(Penalty, { penalty: rules.penalty, deniedBy: overview.last_hour.denied_by }));
}

function Limit({ limit, counts, refusals, skipped }) {
  const known = counts ?? NOTHING;
  const denied = known.limited + known.impossible;
  const refused = limit.shadow ? known.shadow_denied : denied;
  const all = known.allowed + denied + known.shadow_denied;
  const steps = limit.shadow ? known.shadow_by_step : known.denied_by_step;
  const { words } = timeRange();
  const isOpen = param('use') === limit.name;
  return h('li', { class: 'card limit' },
    h('header', { class: 'limit-head' },
      h('h2', null, h(Name, { value: limit.name })),
      limit.shadow
        ? h(Badge, { level: 'shadow', icon: 'info', title: 'It reports what it would deny, and denies nothing' }, 'Shadow')
        : h(Badge, { icon: 'admin' }, 'Enforced'),
      h('p', { class: 'quiet' }, sentence(limit))),
    skipped && h('div', { class: 'banner', role: 'note' }, h(Icon, { name: 'warn' }),
      h('p', null, h('strong', null, 'It has never applied. '), neverApplied(skipped))),
    h('dl', { class: 'limit-numbers', 'aria-busy': counts === null ? 'true' : undefined },
      h(Figure, { label: 'Allowed', value: known.allowed }),
      h(Figure, { label: 'Denied', value: denied, share: limit.shadow ? 0 : share(refused, all), isOff: limit.shadow }),
      h(Figure, { label: 'Would deny', value: known.shadow_denied, share: limit.shadow ? share(refused, all) : 0, isOff: !limit.shadow }),
      known.unavailable > 0 && h(Figure, { label: 'Store down', value: known.unavailable }),
      h(Figure, { label: 'Warned', value: known.warned, isOff: limit.warn === null })),
    h('div', { class: 'limit-spark' },
      h('span', { class: 'hint' }, `${limit.shadow ? 'Would deny' : 'Denied'}, ${words}`),
      h(Sparkline, { values: steps.length ? steps : [0], label: limit.shadow ? 'Would deny' : 'Denied', level: limit.shadow ? 'shadow' : 'bad', unit: 'in one step' })),
    h('div', { class: 'limit-more' },
      h(Rates, { limit }),
      h(Lately, { refusals, isMet: known.allowed > 0, limit })),
    h('div', { class: 'limit-use' },
      h(Button, { icon: 'limits', 'aria-expanded': String(isOpen), onClick: () => setParams({ use: isOpen ? '' : limit.name }) }, 'Pick a rate by use'),
      isOpen && h(UsePicker, { key: limit.name, limit })));
}

const share = (part, all) => (all === 0 ? 0 : part / all);

const Figure = ({ label, value, share: part = 0, isOff }) =>
  h('div', { class: isOff ? 'is-off' : '' }, h('dt', null, label),
    h('dd', null, isOff && value === 0 ? '–' : number(value), part > 0 && h('span', { class: 'hint' }, percent(part))));

function sentence(limit) {
  const whose = limit.per.length === 0 ? 'all together' : `each ${limit.per.join(' × ').replaceAll('|', ' or ')}`;
  const when = Object.entries(limit.match).map(([attribute, pattern]) => `${attribute} ${pattern === 'absent' ? 'is absent' : `is ${pattern}`}`);
  return `${limit.algorithm} for ${whose}${when.length ? `, when ${when.join(' and ')}` : ''}`;
}

function Rates({ limit }) {
  const rows = Object.entries(limit.rates);
  return h('div', null, h('h3', null, limit.by ? `Rate by ${limit.by}` : 'Rate'),
    h('table', { class: 'table table-rates' },
      h('tbody', null, rows.map(([row, rate]) =>
        h('tr', { key: row },
          h('th', { scope: 'row' }, rows.length === 1 && row === 'default' ? 'everyone' : row),
          h('td', { class: 'num' }, rate),
          h('td', null, limit.burst[row] !== undefined && h('span', { class: 'hint' }, `burst ${limit.burst[row]}`),
            limit.changed.includes(row) && h(Badge, { icon: 'admin', title: 'An administrator has replaced the configured rate' }, 'Changed')))))),
    h('p', { class: 'hint' }, [
      limit.cost !== '1' && `costs ${limit.cost}`,
      limit.warn && `warns at ${limit.warn}`,
      limit.on_missing === 'deny' && `denies requests without ${limit.per.join(', ')}`,
      limit.on_store_failure === 'allow' && 'passes when the store fails',
    ].filter(Boolean).join(' · ')));
}

function Lately({ refusals, isMet, limit }) {
  return h('div', null, h('h3', null, limit.shadow ? 'Would have denied lately' : 'Denied lately'),
    refusals.length === 0
      ? h('p', { class: 'quiet' }, isMet ? 'Nobody.' : `No request has met it (${timeRange().words}).`)
      : h('table', { class: 'table table-lately' },
        h('tbody', null, refusals.map((refusal, i) =>
          h('tr', { key: `${refusal.at}-${i}` },
            h('th', { scope: 'row' }, refusal.value === null ? 'everyone' : h('span', { class: 'identity' },
              h('span', { class: 'kind' }, refusal.attribute), h(Name, { value: refusal.value }))),
            h('td', null, refusal.reason === 'unavailable' ? 'store down' : refusal.wait_ms === null ? 'never fits' : `wait ${duration(Math.ceil(refusal.wait_ms / 1000))}`),
            h('td', { class: 'num quiet' }, ago((now() - refusal.at) / 1000)))))));
}

function Penalty({ penalty, deniedBy }) {
  const refused = deniedBy.find(({ reason }) => reason === 'penalized')?.count ?? 0;
  return h('section', { class: 'card', 'aria-labelledby': 'penalty-title' }, h('h2', { id: 'penalty-title' }, 'Backoff'),
    h('p', { class: 'quiet' }, `A subject that is denied repeatedly (by ${penalty.per.join(' × ')}) gets a wait of ${penalty.backoff.join(', ')}; ${duration(penalty.reset_after_secs)} without a violation clears it. `
      + (penalty.enforce ? 'The wait is enforced.' : 'The wait is reported, not enforced.')),
    (penalty.enforce || refused > 0) && h('dl', { class: 'limit-numbers' }, h(Figure, { label: 'Denied', value: refused })));
}
