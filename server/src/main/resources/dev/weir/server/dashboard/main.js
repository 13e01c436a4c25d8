/** The frame around the views: navigation, connection state, dialogs and messages. */
import { render } from './preact.js';
import { h, Icon, Button, Skeleton, Card } from './parts.js';
import { duration } from './format.js';
import { alertCount, changed, isStale, onChange, state, stream } from './state.js';
import { Overview } from './overview.js';
import { Subjects } from './subjects.js';
import { Limits } from './limits.js';
import { Admin, SignIn } from './admin.js';
import { Alerts } from './alerts.js';
import { OpenDialog } from './actions.js';

const VIEWS = {
  overview: ['Overview', Overview],
  subjects: ['Subjects', Subjects],
  limits: ['Limits', Limits],
  admin: ['Admin', Admin],
  alerts: ['Alerts', Alerts],
};

const THEMES = { auto: 'light dark', light: 'light', dark: 'dark' };

function route() {
  const [view] = location.hash.replace(/^#\//, '').split('?');
  return VIEWS[view] ? view : 'overview';
}

function App() {
  const view = route();
  const [title, View] = VIEWS[view];
  return h('div', { class: 'frame' },
    h('a', { class: 'skip', href: '#main', onClick: skip }, 'Skip to the content'),
    h(Header),
    h(Navigation, { view }),
    h('main', { id: 'main', tabIndex: -1, class: isStale() ? 'is-stale' : '' },
      h(Stale),
      h('h1', { class: view === 'overview' ? 'sr-only' : '' }, title),
      state.connection.isRefused ? h(Refused) : state.overview && state.rules ? h(View, { state }) : h(Loading)),
    h(Toast),
    h('p', { class: 'sr-only', role: 'status', 'aria-live': 'polite' }, state.announcement),
    h(OpenDialog));
}

/** The hash is the route, so the skip link moves the focus by script. */
function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

const Header = () =>
  h('header', { class: 'top' },
    h('a', { class: 'brand', href: '#/overview' }, h('img', { src: '/dashboard/icon.svg', alt: '', width: 24, height: 24 }), 'Weir'),
    h(Live),
    h(Theme));

function Live() {
  if (isStale()) {
    return h('span', { class: 'live live-lost' }, h(Icon, { name: 'warn', small: true }), 'Not live');
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
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="color-scheme"]').content = THEMES[theme];
  changed();
}

const Navigation = ({ view }) =>
  h('nav', { class: 'nav', 'aria-label': 'Views' },
    h('ul', null, Object.entries(VIEWS).map(([key, [title]]) => {
      const count = key === 'alerts' ? alertCount() : 0;
      return h('li', { key }, h('a', { href: `#/${key}`, 'aria-current': key === view ? 'page' : undefined },
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
    toast.undo && h(Button, { kind: 'ghost', onClick: toast.undo }, 'Undo'),
    h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Dismiss', onClick: () => changed({ toast: null }) },
      h(Icon, { name: 'close' })));
}

function draw() {
  document.title = `${isStale() ? '(not live) ' : ''}${VIEWS[route()][0]} · Weir`;
  render(h(App), document.getElementById('app'));
}

addEventListener('hashchange', () => {
  changed({ dialog: null, alertsReadTo: route() === 'alerts' ? state.notable[0]?.number ?? 0 : state.alertsReadTo });
  scrollTo(0, 0);
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, dialog');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    if (route() !== 'subjects') location.hash = '#/subjects';
    setTimeout(() => document.getElementById('search')?.focus(), 50);
  }
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => changed());

document.getElementById('app').replaceChildren();
onChange(draw);
draw();
