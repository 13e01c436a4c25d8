/** Overview: what needs action, the traffic, the limited subjects, the state of the store. */
import { Badge, Button, Card, Empty, h, Icon, Name } from './parts.js';
import { Latency, Traffic } from './traffic.js';
import { refusalsIn, seriesOf, sumIn, timeRange } from './time.js';
import { ago, byReason, duration, neverApplied, number, percent, plural, refusedBy } from './format.js';
import { isLimited, isRefused, now, standingOf, state } from './state.js';
import { openSubject } from './actions.js';
import { SubjectBadge } from './subjects.js';
import { ClusterCard } from './cluster.js';

const RECENT_MILLIS = 10 * 60_000;
const MOST_NEEDS = 4;
/** Fewer skipped requests may come from anonymous users; the server's log warns at the same number. */
const MANY_SKIPPED = 10;

const shareOf = ({ allowed, denied }) => (allowed + denied === 0 ? 0 : denied / (allowed + denied));

export function Overview() {
  const { overview } = state;
  return h('div', { class: 'overview' },
    h(Tiles, { overview }),
    h(Needs),
    h(Traffic),
    h(Latency),
    h(Summary, { overview }),
    h(TopLimited, { overview }),
    h(StoreCard, { overview }),
    overview.store.kind === 'cluster' && h(ClusterCard));
}

function Tiles({ overview }) {
  const { data } = seriesOf();
  const { words } = timeRange();
  const share = shareOf(overview.last_minute);
  return h('dl', { class: 'tiles', 'aria-label': 'Numbers' },
    h(Tile, { label: 'Allowed', hint: words, value: data ? number(sumIn(data, 'allowed')) : '…', id: 'tile-allowed' }),
    h(Tile, { label: 'Denied', hint: words, value: data ? number(sumIn(data, 'denied')) : '…', id: 'tile-denied', more: data && byReason(refusalsIn(data)) }),
    h(Tile, { label: 'Denied share', hint: 'last minute', value: percent(share), id: 'tile-share', level: share > 0.5 ? 'bad' : share > 0.2 ? 'warn' : null }),
    h(Tile, { label: 'Denied now', hint: 'subjects', value: number([...state.subjects.values()].filter(isRefused).length), id: 'tile-limited' }),
    h(Tile, { label: 'Not limited', hint: 'all time', value: number(overview.untouched), id: 'tile-untouched' }));
}

const Tile = ({ label, hint, value, level, id, more }) =>
  h('div', { class: `tile ${level ? `tile-${level}` : ''}` },
    h('dt', null, label, h('span', { class: 'hint' }, hint)),
    h('dd', { id }, level && h(Icon, { name: level }), value),
    more && h('dd', { class: 'tile-more', id: `${id}-by` }, more));

const limited = () => [...state.subjects.values()].filter(isLimited);

/** The limited subjects, with the reason and the possible actions. */
function Needs() {
  const needs = [...alertNeeds(), ...limitNeeds(), ...subjectNeeds()];
  return h(Card, { title: 'Needs attention', id: 'needs-title', class: 'area-needs', aside: needs.length > MOST_NEEDS && h('a', { href: '#/subjects' }, `${needs.length - MOST_NEEDS} more`) },
    needs.length === 0
      ? h(Empty, { icon: 'ok', title: 'Nobody is limited' }, 'Denied subjects, alerts and store failures appear here with what to do.')
      : h('ul', { class: 'needs' }, needs.slice(0, MOST_NEEDS).map(Need)));
}

const Need = ({ key, level, title, why, action }) =>
  h('li', { key, class: `need need-${level}` }, h(Icon, { name: level }),
    h('div', null, h('p', { class: 'need-title' }, title), h('p', { class: 'need-why' }, why)), action);

function alertNeeds() {
  const shared = state.notable.find((entry) => entry.kind === 'alert' && entry.watches === 'denied-share' && now() - entry.at < RECENT_MILLIS);
  return shared ? [{
    key: 'share',
    level: 'warn',
    title: `${shared.observed} % of all requests were denied`,
    why: `Alert ${ago((now() - shared.at) / 1000)}. See which limit denies, and whether its rate is right.`,
    action: h('a', { class: 'button button-plain', href: '#/limits' }, 'See limits'),
  }] : [];
}

function limitNeeds() {
  const sure = state.overview.never_applied.filter(({ skipped, similar }) => skipped >= MANY_SKIPPED || similar !== null);
  return sure.map((skipped) => ({
    key: `limit ${skipped.limit}`,
    level: 'warn',
    title: ['Limit ', h(Name, { value: skipped.limit }), ' has never applied'],
    why: neverApplied(skipped),
    action: h('a', { class: 'button button-plain', href: '#/limits' }, 'See limits'),
  }));
}

function subjectNeeds() {
  return limited()
    .sort((a, b) => b.violations - a.violations || b.used - a.used)
    .slice(0, 50)
    .map((subject) => ({
      key: subject.id,
      level: subject.violations >= 10 ? 'bad' : 'warn',
      title: [`${subject.attribute} `, h(Name, { value: subject.value }), NEED_WORDS[standingOf(subject).kind]],
      why: `${plural(subject.violations, 'violation')} in the last hour${mostlyOf(subject)}. ${until(subject)}`,
      action: h(Button, { onClick: () => openSubject(subject) }, 'Act'),
    }));
}

const NEED_WORDS = { refused: ' is denied now', advised: ' is advised to wait', lately: ' was denied lately' };

function until(subject) {
  const { kind, until: end } = standingOf(subject);
  if (kind === 'advised') return `It is advised to wait ${duration(end - now() / 1000)} more; nothing enforces that.`;
  if (subject.consecutive > 0) return `Forgiven in ${duration(subject.until - now() / 1000)} if it stops.`;
  return `Last denied ${ago(now() / 1000 - subject.denied)}.`;
}

/** The limit or backoff that refused most, as the server counted it. */
function mostlyOf(subject) {
  const [most] = subject.deniedBy.filter(({ reason }) => reason !== 'unavailable');
  return most ? `, mostly by ${refusedBy(most)}` : '';
}

/** Card with violations, exempt subjects and top offenders. */
function Summary({ overview }) {
  return h(Card, { title: 'Rate limits', id: 'summary-title', class: 'area-summary' },
    h('dl', { class: 'facts' },
      h('div', null, h('dt', null, 'Violations, last hour'), h('dd', { id: 'violations' }, number(overview.last_hour.violations))),
      h('div', null, h('dt', null, 'Exempt'), h('dd', { id: 'exempt' }, number(overview.exempt))),
      h('div', null, h('dt', null, 'Seen in the last hour'), h('dd', null, number(state.subjects.size)))),
    h('h3', null, 'Top offenders'),
    overview.top.length === 0
      ? h('p', { class: 'quiet' }, 'No subject was denied in the last hour.')
      : h('ol', { class: 'offenders' }, overview.top.slice(0, 3).map((one) =>
        h('li', { key: one.id }, h(Name, { value: one.value }), h('span', { class: 'num' }, number(one.violations))))));
}

/** List of the subjects refused most. */
function TopLimited({ overview }) {
  const most = overview.top[0]?.violations ?? 1;
  return h(Card, { title: 'Top limited identities', id: 'top-title', class: 'area-top', aside: h('span', { class: 'hint' }, 'last hour') },
    overview.top.length === 0
      ? h(Empty, { icon: 'ok', title: 'No denied requests' }, 'The subjects denied most are listed here.')
      : h('table', { class: 'table' },
        h('thead', null, h('tr', null,
          h('th', { scope: 'col' }, 'Identity'), h('th', { scope: 'col', class: 'wide-only' }, h('span', { class: 'sr-only' }, 'Share')),
          h('th', { scope: 'col', class: 'num' }, 'Denied'), h('th', { scope: 'col' }, 'Now'))),
        h('tbody', null, overview.top.map((one) => {
          const subject = state.subjects.get(one.id);
          return h('tr', { key: one.id },
            h('th', { scope: 'row' }, h('span', { class: 'identity' }, h('span', { class: 'kind' }, one.attribute),
              subject
                ? h('button', { type: 'button', class: 'link', onClick: () => openSubject(subject) }, h(Name, { value: one.value }))
                : h(Name, { value: one.value }))),
            h('td', { class: 'wide-only bar-cell' }, h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span', { style: { width: `${(one.violations / most) * 100}%` } }))),
            h('td', { class: 'num' }, number(one.violations)),
            h('td', { class: 'now-cell' }, subject ? h(SubjectBadge, { subject }) : h(Badge, null, 'Not seen lately')));
        }))));
}

function StoreCard({ overview }) {
  const { store } = overview;
  const isKnown = store.entries !== undefined;
  return h(Card, { title: 'Store', id: 'store-title', class: 'area-store', aside: store.available
    ? h(Badge, { level: 'ok', icon: 'ok' }, 'Answers')
    : h(Badge, { level: 'bad', icon: 'bad' }, 'Does not answer') },
  h('dl', { class: 'facts' },
    h(Fact, { label: 'Kind', value: store.kind }),
    h(Fact, { label: 'Circuit breaker', value: store.available ? 'Closed' : 'Open' }),
    h(Fact, { label: 'Answered without it', value: number(overview.unavailable + overview.unavailable_allowed) }),
    isKnown && h(Fact, { label: 'Entries now', value: number(store.entries) }),
    isKnown && h(Fact, { label: 'Entries removed', value: number(store.swept) }),
    isKnown && h(Fact, { label: 'Sweeps', value: number(store.sweeps) }),
    h(Fact, { label: 'Server is up', value: duration(now() / 1000 - overview.started_at) })),
  !isKnown && h('p', { class: 'quiet' }, 'This store removes expired entries by itself.'));
}

const Fact = ({ label, value }) => h('div', null, h('dt', null, label), h('dd', null, value));
