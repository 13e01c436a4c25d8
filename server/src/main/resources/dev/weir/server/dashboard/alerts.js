/** View of notable events for operators, newest first, with the actions they call for. */
import { Button, Card, Empty, h, Icon, Name, Segments } from './parts.js';
import { ago, duration, exactTime } from './format.js';
import { changed, isAlarming, now, state } from './state.js';
import { openSubject } from './actions.js';

const wish = { shown: 'alarming' };

export function Alerts() {
  const entries = merged(state.notable).filter((entry) => wish.shown === 'all' || isAlarming(entry));
  return h('div', { class: 'alerts' },
    h('div', { class: 'tools' }, h(Segments, {
      label: 'Show', value: wish.shown, options: [['alarming', 'Alerts and failures'], ['all', 'Everything']],
      onChange: (shown) => { wish.shown = shown; changed(); },
    })),
    entries.length === 0 ? h(Nothing) : h('ol', { class: 'card entries' }, entries.map((entry) => h(Entry, { key: entry.number, entry }))),
    h(RulesCard));
}

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
  h(Empty, { icon: 'ok', title: wish.shown === 'all' ? 'No events' : 'No alerts' },
    state.rules.alerts.length === 0
      ? 'The configuration has no alert rules. Add some under alerts: to be notified of sustained abuse.'
      : 'Alerts, failures of the store and rejected configurations appear here since the server started.');

function Entry({ entry }) {
  const { level, title, text, action } = told(entry);
  return h('li', { class: `entry entry-${level}` }, h(Icon, { name: level }),
    h('div', null, h('p', { class: 'entry-title' }, title), text && h('p', { class: 'quiet' }, text)),
    action,
    h('time', { class: 'quiet num', dateTime: new Date(entry.at).toISOString(), title: exactTime(entry.at) }, ago((now() - entry.at) / 1000)));
}

function told(entry) {
  switch (entry.kind) {
    case 'alert':
      return entry.watches === 'violations' ? sustained(entry) : {
        level: 'warn',
        title: `${entry.observed} % of all requests denied within ${duration(entry.within_secs)}`,
        text: `The rule says ${entry.threshold} %. See which limit refuses, and whether its rate is right.`,
        action: h('a', { class: 'button button-plain', href: '#/limits' }, 'See limits'),
      };
    case 'store_unavailable':
      return {
        level: 'bad',
        title: entry.times > 1 ? `The store failed ${entry.times} times since ${exactTime(entry.firstAt)}` : 'The store stopped answering',
        text: `${entry.cause.replace(/[.\s]+$/, '')}. See that it runs; it is tried again by itself.`,
      };
    case 'store_recovered':
      return { level: 'ok', title: 'The store answers again', text: `After ${duration(entry.unavailable_ms / 1000)}.` };
    case 'settings_changed':
      return {
        level: 'info', title: 'Settings changed', text: `By ${entry.who ?? 'another node'}, version ${entry.version}.`,
        action: h('a', { class: 'button button-plain', href: '#/admin' }, 'See changes'),
      };
    case 'configuration_reloaded':
      return { level: 'info', title: 'A changed configuration was loaded', text: entry.source };
    case 'configuration_rejected':
      return { level: 'bad', title: 'A changed configuration has faults; the last good one stays', text: entry.faults };
    default:
      return { level: 'info', title: entry.kind };
  }
}

function sustained(entry) {
  const [[attribute, value] = []] = Object.entries(entry.subject);
  const subject = [...state.subjects.values()].find((one) => one.attribute === attribute && one.value === value);
  return {
    level: 'bad',
    title: attribute ? [`Sustained abuse by ${attribute} `, h(Name, { value })] : 'Sustained abuse',
    text: `${entry.observed} violations within ${duration(entry.within_secs)}. Talk to its owner, or give it a rate of its own if it is right.`,
    action: subject && h(Button, { onClick: () => openSubject(subject) }, 'Act'),
  };
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
