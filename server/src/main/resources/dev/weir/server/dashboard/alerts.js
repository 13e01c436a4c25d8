/** View of alerts as incidents, and of other notable events, newest first, with the actions they call for. */
import { Badge, Button, Card, Empty, h, Icon, Name, Segments } from './parts.js';
import { ago, duration, exactTime, number, plural } from './format.js';
import { isAlarming, isMuted, now, state } from './state.js';
import { address, param, setParams } from './routes.js';
import * as api from './admin-api.js';
import { perform, toast } from './actions.js';

export function Alerts() {
  const entries = merged(state.notable).filter((entry) => entry.kind !== 'alert' && (isAll() || isAlarming(entry)));
  const groups = grouped([...state.incidents.values()]);
  return h('div', { class: 'alerts' },
    h('div', { class: 'tools' }, h(Segments, {
      label: 'Show', value: isAll() ? 'all' : 'alarming', options: [['alarming', 'Alerts and failures'], ['all', 'Everything']],
      onChange: (show) => setParams({ show: show === 'all' ? 'all' : '' }),
    })),
    entries.length === 0 && groups.length === 0 && h(Nothing),
    groups.map(([name, incidents]) => h(Group, { key: name, name, incidents })),
    entries.length > 0 && h('ol', { class: 'card entries' }, entries.map((entry) => h(Entry, { key: entry.number, entry }))),
    h(RulesCard));
}

/** The incidents of each rule: those that last first, then the latest. */
function grouped(incidents) {
  const groups = new Map();
  incidents.sort((a, b) => b.ongoing - a.ongoing || b.last_at - a.last_at)
    .forEach((incident) => groups.set(incident.name, [...(groups.get(incident.name) ?? []), incident]));
  return [...groups];
}

function Group({ name, incidents }) {
  const ongoing = incidents.filter((incident) => incident.ongoing).length;
  return h(Card, {
    title: ruleText(incidents[0]), id: `group-${name}`, class: 'incidents',
    aside: h('span', { class: 'hint' }, `${plural(incidents.length, 'incident')}, ${number(ongoing)} ongoing`),
  }, h('ol', { class: 'entries' }, incidents.map((incident) => h(Incident, { key: incident.id, incident }))));
}

const ruleText = ({ watches, threshold, within_secs: within }) => (watches === 'violations'
  ? `${number(threshold)} violations within ${duration(within)}` : `${threshold} % of all requests denied within ${duration(within)}`);

function Incident({ incident }) {
  const { ongoing, first_at: first, last_at: last, count, episodes } = incident;
  const level = !ongoing ? 'ok' : isMuted(incident) || incident.acknowledged_by !== null ? 'info' : 'bad';
  return h('li', { class: `entry entry-${level} incident`, id: `incident-${incident.id}` }, h(Icon, { name: level }),
    h('div', null,
      h('p', { class: 'entry-title' }, titleOf(incident)),
      h('p', { class: 'quiet' }, h(Badge, { level: ongoing ? 'bad' : 'ok' }, ongoing ? 'Ongoing' : 'Over'),
        ` ${plural(count, 'denied request')} · first ${exactTime(first)} · last ${ago((now() - last) / 1000)}`
        + (episodes > 1 ? ` · ${number(episodes)} times` : '') + ` · rule: ${ruleText(incident)}`),
      incident.acknowledged_by !== null && h('p', { class: 'hint' }, `Acknowledged by ${incident.acknowledged_by}, ${ago((now() - incident.acknowledged_at) / 1000)}`),
      isMuted(incident) && h('p', { class: 'hint' }, `Muted by ${incident.muted_by} for ${duration((incident.muted_until - now()) / 1000)} more`)),
    h('div', { class: 'incident-actions' }, h(IncidentActions, { incident })));
}

function titleOf({ watches, subject }) {
  if (watches !== 'violations') return 'Too many requests are denied';
  const named = Object.entries(subject);
  return named.length === 0 ? 'Sustained abuse' : ['Sustained abuse by ', named.map(([attribute, value]) => [`${attribute} `, h(Name, { value })])];
}

/** What an operator can do. Without a token, the page that leads to the subject or the limits is left. */
function IncidentActions({ incident }) {
  const [[attribute, value] = []] = Object.entries(incident.subject);
  const isOne = Object.keys(incident.subject).length === 1;
  return [
    isOne ? h('a', { class: 'button button-plain', href: address('subjects', attribute, value) }, 'Look')
      : h('a', { class: 'button button-plain', href: address('limits') }, 'See limits'),
    api.isSignedIn() && incident.ongoing && incident.acknowledged_by === null
      && h(Button, { onClick: () => act(() => api.acknowledge(incident.id), 'Acknowledged.') }, 'Acknowledge'),
    api.isSignedIn() && (isMuted(incident)
      ? h(Button, { onClick: () => act(() => api.unmute(incident.id), 'It is heard again.') }, 'Unmute')
      : h(Button, { onClick: () => act(() => api.mute(incident.id, '1h'), 'Muted for 1 hour: it does not count here, and webhooks are not told.', () => api.unmute(incident.id)) }, 'Mute 1 h')),
  ];
}

async function act(work, done, undo) {
  try {
    await perform(work, done, undo);
  } catch (failure) {
    toast(failure.message, null, 'bad');
  }
}

const isAll = () => param('show') === 'all';

/** Outages shortly after one another are one entry, that of the latest; newest first. */
function merged(notable) {
  const entries = [];
  let last = null;
  for (const entry of notable) {
    if (last !== null && entry.kind === last.kind && isOutage(entry) && last.firstAt - entry.at < FLAPPING_MILLIS) {
      last.times++;
      last.firstAt = entry.at;
    } else if (isOutage(entry)) {
      last = { ...entry, times: 1, firstAt: entry.at };
      entries.push(last);
    } else if (!(entry.kind === 'store_recovered' && last !== null && last.firstAt - entry.at < FLAPPING_MILLIS)) {
      entries.push(entry);
    }
  }
  return entries;
}

const isOutage = (entry) => entry.kind === 'store_unavailable';
const FLAPPING_MILLIS = 10 * 60_000;

const Nothing = () =>
  h(Empty, { icon: 'ok', title: isAll() ? 'No events' : 'No alerts' },
    state.rules.alerts.length === 0
      ? 'The configuration has no alert rules. Add some under alerts: to be notified of sustained abuse.'
      : 'Alerts, failures of the store and rejected configurations appear here since the server started.');

function Entry({ entry }) {
  const { level, title, text, list, action } = told(entry);
  return h('li', { class: `entry entry-${level}` }, h(Icon, { name: level }),
    h('div', null, h('p', { class: 'entry-title' }, title), text && h('p', { class: 'quiet' }, text),
      list && (list.length === 0 ? h('p', { class: 'quiet' }, 'No limit, rate or other value is different.')
        : h('ul', { class: 'changes' }, list.map((line) => h('li', { key: line }, line))))),
    action,
    h('time', { class: 'quiet num', dateTime: new Date(entry.at).toISOString(), title: exactTime(entry.at) }, ago((now() - entry.at) / 1000)));
}

function told(entry) {
  switch (entry.kind) {
    case 'store_unavailable':
      return {
        level: 'bad',
        title: entry.times > 1 ? `The store failed ${entry.times} times since ${exactTime(entry.firstAt)}` : 'The store stopped answering',
        text: `${entry.cause.replace(/[.\s]+$/, '')}. See that it runs; it is tried again by itself.`,
      };
    case 'server_started':
      return { level: 'info', title: 'The server started', text: 'Its earlier numbers were kept.' };
    case 'store_recovered':
      return { level: 'ok', title: 'The store answers again', text: `After ${duration(entry.unavailable_ms / 1000)}.` };
    case 'settings_changed':
      return {
        level: 'info', title: 'Settings changed', text: `By ${entry.who ?? 'another node'}, version ${entry.version}.`,
        action: h('a', { class: 'button button-plain', href: '#/admin' }, 'See changes'),
      };
    case 'configuration_reloaded':
      return { level: 'info', title: 'A changed configuration was loaded', text: entry.source, list: entry.changes };
    case 'configuration_rejected':
      return { level: 'bad', title: 'A changed configuration has faults; the last good one stays', text: entry.faults };
    default:
      return { level: 'info', title: entry.kind };
  }
}

const RulesCard = () =>
  h(Card, { title: 'Rules', id: 'rules-title' },
    state.rules.alerts.length === 0
      ? h('p', { class: 'quiet' }, 'None.')
      : h('ul', { class: 'plain' }, state.rules.alerts.map((rule, i) => h('li', { key: i },
        rule.watches === 'violations'
          ? `${rule.threshold} violations within ${duration(rule.within_secs)}${rule.per.length ? ` by one ${rule.per.join(' × ')}` : ''}`
          : `${rule.threshold} % of all requests denied within ${duration(rule.within_secs)}`,
        h('span', { class: 'hint' }, rule.webhook ? ' · a webhook is told' : ' · shown here only')))));
