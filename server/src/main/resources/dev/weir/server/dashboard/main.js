/** The frame around the views: navigation, connection state, dialogs and messages. */
import { render } from './preact.js';
import { h, Icon, Button, Name, Skeleton, Card } from './parts.js';
import { duration, exactTime, number, plural, timeOfDay, visible } from './format.js';
import { alertCount, changed, goOn, isStale, isStoreDown, keep, kept, now, onChange, readAlerts, state, stream } from './state.js';
import { address, isRanged, lastAddress, remember, route } from './routes.js';
import { RangeBar } from './time.js';
import { Overview } from './overview.js';
import { Subjects } from './subjects.js';
import { SubjectPage } from './subject.js';
import { Decisions } from './decisions.js';
import { Limits } from './limits.js';
import { Admin, SignIn } from './admin.js';
import { Alerts } from './alerts.js';
import { OpenDialog } from './actions.js';

const VIEWS = {
  overview: ['Overview', Overview],
  subjects: ['Subjects', Subjects],
  limits: ['Limits', Limits],
  decisions: ['Decisions', Decisions],
  admin: ['Admin', Admin],
  alerts: ['Alerts', Alerts],
};

/** Where the documentation explains a view, if the server has it. */
const EXPLAINED = {
  overview: 'dashboard.html', subjects: 'dashboard.html#reasons-and-states', limits: 'configuration.html',
  decisions: 'server.html#explanations', admin: 'dashboard.html#making-changes', alerts: 'dashboard.html#alerts',
};

const THEMES = { auto: 'light dark', light: 'light', dark: 'dark' };

function shown() {
  const { view } = route();
  return Object.hasOwn(VIEWS, view) ? view : 'overview';
}

/** What a view is about, if the address says that. */
function aboutOf(view, parts) {
  return view === 'subjects' && parts.length === 2 ? { attribute: parts[0], value: parts[1] } : null;
}

function App() {
  const view = shown();
  const about = aboutOf(view, route().parts);
  const [title, View] = about ? [h('span', null, h('span', { class: 'kind' }, about.attribute), h(Name, { value: about.value })), SubjectPage] : VIEWS[view];
  return h('div', { class: 'frame' },
    h('a', { class: 'skip', href: '#main', onClick: skip }, 'Skip to the content'),
    h(Header),
    h(Navigation, { view }),
    h('main', { id: 'main', tabIndex: -1, class: isStale() ? 'is-stale' : '' },
      h(Stale),
      h(Banners),
      h('h1', { class: view === 'overview' ? 'sr-only' : '' }, title),
      h(LearnMore, { view }),
      isRanged(view) && state.overview && h(RangeBar),
      state.connection.isRefused ? h(Refused) : state.overview && state.rules ? h(View, { key: about ? address(view, about.attribute, about.value) : view, ...about }) : h(Loading)),
    h(Toast),
    h('p', { class: 'sr-only', role: 'status', 'aria-live': 'polite' }, state.announcement),
    h(OpenDialog));
}

function LearnMore({ view }) {
  const docs = state.overview?.server.docs;
  return docs && h('p', { class: 'hint' }, h('a', { href: docs + EXPLAINED[view], target: '_blank', rel: 'noopener' }, 'Learn more about this page'));
}

/** The hash is the route, so the skip link moves the focus by script. */
function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

const Header = () =>
  h('header', { class: 'top' },
    h('a', { class: 'brand', href: '#/overview' }, h('img', { src: '/dashboard/icon.svg', alt: '', width: 24, height: 24 }), 'Weir'),
    h(Server),
    h(Live),
    h(Theme));

/** Which server this is, for operators who look at several. */
function Server() {
  if (!state.overview) return null;
  const { name, node, version } = state.overview.server;
  return h('span', { class: 'server', title: `${node}, version ${version}` },
    name !== null && h('b', null, name), h('span', { class: 'hint' }, `${node} · ${version}`));
}

function Live() {
  if (isStale()) {
    return h('span', { class: 'live live-lost' }, h(Icon, { name: 'warn', small: true }), 'Not live');
  }
  if (isStoreDown()) {
    return h('span', { class: 'live live-lost' }, h(Icon, { name: 'bad', small: true }), 'Store down');
  }
  if (state.pausedAt) {
    return h('span', { class: 'live live-paused' }, `Paused at ${timeOfDay(state.pausedAt)}`, h(Button, { onClick: goOn }, 'Go on'));
  }
  return state.overview
    ? h('span', { class: 'live live-on' }, h('span', { class: 'live-dot' }), 'Live')
    : h('span', { class: 'live' }, 'Connecting…');
}

function Theme() {
  const dark = document.documentElement.dataset.theme === 'dark'
    || (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  return h('button', {
    type: 'button', class: 'icon-button', 'aria-label': dark ? 'Use the light theme' : 'Use the dark theme',
    onClick: () => useTheme(dark ? 'light' : 'dark'),
  }, h(Icon, { name: dark ? 'sun' : 'moon' }));
}

function useTheme(theme) {
  keep('theme', theme);
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="color-scheme"]').content = THEMES[theme];
  changed();
}

const Navigation = ({ view }) =>
  h('nav', { class: 'nav', 'aria-label': 'Views' },
    h('ul', null, Object.entries(VIEWS).map(([key, [title]]) => {
      const count = key === 'alerts' ? alertCount() : 0;
      return h('li', { key }, h('a', { href: lastAddress(key), 'aria-current': key === view ? 'page' : undefined },
        h(Icon, { name: key }), h('span', null, title),
        count > 0 && h('span', { class: 'count', 'aria-label': `${count} new` }, count)));
    })));

function Stale() {
  if (!isStale()) return null;
  const { connection } = state;
  const age = duration((Date.now() - connection.heardAt) / 1000);
  const wait = connection.retryAt - Date.now();
  return h('div', { class: 'banner', role: 'alert' }, h(Icon, { name: 'warn' }),
    h('p', null, h('strong', null, `What you see is ${age} old. `),
      connection.status === 'lost' ? 'The server does not answer. ' : 'The server has stopped sending. ',
      wait > 500 ? `Next try in ${duration(wait / 1000)}.` : 'Trying now…'),
    h(Button, { onClick: stream.retry }, 'Try now'));
}

/** What is wrong with the server as a whole; on every view, until it is mended. */
function Banners() {
  const { newest: overview, rules } = state;
  if (!overview || !rules) return null;
  const banners = [storeBanner(overview.store, rules), offBanner(rules), rejectedBanner(overview.configuration_rejected)].filter(Boolean);
  return banners.length > 0 && h('section', { class: 'banners', 'aria-label': 'State of the server' }, banners.map(({ key, level, title, text, code, action }) =>
    h('div', { key, id: `banner-${key}`, class: `banner banner-${level}` }, h(Icon, { name: level }),
      h('div', null, h('p', null, h('strong', null, title, ' '), text), code && h('pre', null, code)), action)));
}

function storeBanner(store, rules) {
  const seeWhen = h('a', { class: 'button button-plain', href: '#/alerts' }, 'See when');
  const isFlapping = store.outages > 1;
  if (!store.available) {
    const since = isFlapping ? store.first_outage_at : store.unavailable_since ?? now();
    return {
      key: 'store', level: 'bad', action: seeWhen,
      title: isFlapping
        ? `The store fails on and off: ${store.outages} times since ${exactTime(since)}. It does not answer now.`
        : `The store does not answer since ${exactTime(since)} (${duration((now() - since) / 1000)}).`,
      text: `${whatHappens(rules)} ${perSecond(store)} See that the store runs and can be reached; it is tried again by itself.`,
    };
  }
  return isFlapping && {
    key: 'store', level: 'warn', action: seeWhen,
    title: `The store fails on and off: ${store.outages} times since ${exactTime(store.first_outage_at)}. It answers now.`,
    text: whatHappens(rules),
  };
}

/** What happens to requests while the store does not answer. */
function whatHappens({ limits }) {
  const enforced = limits.filter((limit) => !limit.shadow);
  const open = enforced.filter((limit) => limit.on_store_failure === 'allow');
  if (open.length === 0) return 'Without it, requests are denied (reason unavailable).';
  if (open.length === enforced.length) return 'Without it, requests are allowed unchecked.';
  return `Without it, requests are denied (reason unavailable), except those to which only ${open.map(({ name }) => name).join(', ')} apply.`;
}

const perSecond = ({ denied_per_sec: denied, allowed_per_sec: allowed }) =>
  `Now ${number(denied)} a second are denied${allowed > 0 ? ` and ${number(allowed)} a second allowed unchecked` : ''}.`;

const offBanner = ({ enabled }) => !enabled && {
  key: 'off', level: 'warn', title: 'Limiting is off.', text: 'Every request is allowed: the configuration has enabled: false.',
};

const rejectedBanner = (rejected) => rejected && {
  key: 'rejected', level: 'bad',
  title: `The changed configuration was rejected at ${exactTime(rejected.at)}.`,
  text: `The last valid one stays in force. Mend ${plural(rejected.faults.split('\n').length, 'fault')} in the file:`,
  code: rejected.faults,
};

/** Shown when the server requires a token for its data. */
const Refused = () =>
  h('div', { class: 'narrow' }, h(Card, { title: 'Sign in', id: 'sign-in-title' },
    h(SignIn, { reason: 'This server shows its numbers only to who has a token, of the role read or more.' })));

const Loading = () =>
  state.connection.status === 'lost'
    ? h('div', { class: 'banner', role: 'alert' }, h(Icon, { name: 'warn' }),
      h('p', null, h('strong', null, 'The server does not answer. '),
        'Check that it runs and that this page can reach it. The page keeps trying.'),
      h(Button, { onClick: stream.retry }, 'Try now'))
    : h(Card, { title: 'Waiting for the first numbers', id: 'loading' }, h(Skeleton, { rows: 4 }));

function Toast() {
  const { toast } = state;
  if (!toast) return null;
  return h('div', { class: `toast toast-${toast.level ?? 'ok'} ${toast.isHeld ? 'toast-held' : ''}`, role: 'status' },
    h(Icon, { name: toast.level === 'bad' ? 'bad' : toast.isHeld ? 'info' : 'ok' }), h('p', null, toast.text),
    toast.undo && h(Button, { kind: 'ghost', onClick: toast.undo, title: 'Ctrl+Z', 'aria-keyshortcuts': 'Control+Z' }, 'Undo'),
    h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Dismiss', onClick: () => changed({ toast: null }) },
      h(Icon, { name: 'close' })));
}

function draw() {
  const about = aboutOf(shown(), route().parts);
  const server = state.overview?.server.name;
  document.title = `${isStale() ? '(not live) ' : ''}${about ? `${about.attribute} ${visible(about.value)}` : VIEWS[shown()][0]} · ${server ? `${server} · ` : ''}Weir`;
  render(h(App), document.getElementById('app'));
}

addEventListener('hashchange', () => {
  changed({ dialog: null });
  remember();
  if (shown() === 'alerts') readAlerts();
  scrollTo(0, 0);
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, dialog');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    if (document.getElementById('search') === null) location.hash = lastAddress('subjects');
    setTimeout(() => document.getElementById('search')?.focus(), 50);
  }
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, dialog');
  if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !isTyping && state.toast?.undo) {
    event.preventDefault();
    state.toast.undo();
  }
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => changed());

if (THEMES[kept('theme')]) useTheme(kept('theme'));
document.getElementById('app').replaceChildren();
remember();
onChange(draw);
draw();
