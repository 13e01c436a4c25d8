/** Components shared by several views. */
import { Component, h } from './preact.js';
import { number, percent, visible } from './format.js';

export { Component, h };

const PATHS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  subjects: 'M8 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2 20c0-3.5 2.7-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.4.8 4 2.9 4 5.5',
  limits: 'M4 6h10M18 6h2M4 12h2M10 12h10M4 18h8M16 18h4M14 4v4M6 10v4M12 16v4',
  admin: 'M12 3 5 6v5c0 4.5 2.9 8 7 10 4.1-2 7-5.5 7-10V6l-7-3ZM9 12l2 2 4-4',
  decisions: 'M4 6h2M10 6h10M4 12h2M10 12h10M4 18h2M10 18h6',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16ZM10 21h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16.5 16.5 21 21',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z',
  close: 'M6 6l12 12M18 6 6 18',
  ok: 'M5 12.5 10 17l9-10',
  warn: 'M12 4 2.5 20h19L12 4ZM12 10v4.5M12 17.2v.1',
  bad: 'M8 3h8l5 5v8l-5 5H8l-5-5V8l5-5ZM12 8v5M12 16.2v.1',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 7.8v.1',
};

/** An icon beside a text; without a text, its container needs a label. */
export const Icon = ({ name, small }) =>
  h('svg', { class: small ? 'icon icon-small' : 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    h('path', { d: PATHS[name] }));

/** Level of a used share: green under 50 %, yellow to 80 %, red above. */
export const levelOf = (used) => (used < 0.5 ? 'ok' : used <= 0.8 ? 'warn' : 'bad');

const LEVEL_WORDS = { ok: 'plenty left', warn: 'half used', bad: 'nearly used up' };

/** Bar for the used share of a budget, with the same information as text. */
export function Meter({ used, label }) {
  const level = levelOf(used);
  const share = Math.min(1, Math.max(0, used));
  return h('span', {
    class: `meter meter-${level}`,
    role: 'meter',
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(share * 100),
    'aria-valuetext': `${percent(share)} used, ${share >= 1 ? 'used up' : LEVEL_WORDS[level]}`,
  }, h('span', { class: 'meter-fill', style: { width: `${share * 100}%` } }));
}

export const Badge = ({ level = 'plain', icon, title, children }) =>
  h('span', { class: `badge badge-${level}`, title }, icon && h(Icon, { name: icon, small: true }), children);

/**
 * A name that a client chose: plain text, cut to fit, with invisible characters written out, and isolated so that it
 * cannot change the direction of other text.
 */
export const Name = ({ value, class: more = '' }) =>
  h('bdi', { class: `name ${more}`, title: visible(value) }, visible(value));

export const Card = ({ title, aside, class: more = '', id, children }) =>
  h('section', { class: `card ${more}`, 'aria-labelledby': id },
    h('header', { class: 'card-head' }, h('h2', { id }, title), aside),
    children);

/** Placeholder for an empty list, with the reason and an action. */
export const Empty = ({ icon = 'info', title, children, action }) =>
  h('div', { class: 'empty' }, h(Icon, { name: icon }), h('p', { class: 'empty-title' }, title),
    children && h('p', { class: 'empty-text' }, children), action);

export const Button = ({ kind = 'plain', icon, children, ...rest }) =>
  h('button', { type: 'button', class: `button button-${kind}`, ...rest },
    icon && h(Icon, { name: icon, small: true }), children);

export const Segments = ({ label, options, value, onChange }) =>
  h('div', { class: 'segments', role: 'group', 'aria-label': label },
    options.map(([key, text]) =>
      h('button', { type: 'button', key, 'aria-pressed': String(key === value), onClick: () => onChange(key) }, text)));

/** A few bars without axes for the last hour. The numbers stand beside it. */
export function Sparkline({ values, label, level, unit = 'a minute' }) {
  const most = Math.max(1, ...values);
  const path = values
    .map((value, i) => (value === 0 ? '' : `M${i + 0.5} 16v${-Math.max(1, (value / most) * 16)}`))
    .join('');
  return h('svg', {
    class: `spark spark-${level}`, viewBox: `0 0 ${values.length} 16`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${label}: at most ${number(most === 1 && !values.includes(1) ? 0 : most)} ${unit}`,
  }, h('path', { d: `M0 15.9H${values.length}`, class: 'spark-base' }), h('path', { d: path }));
}

/** Placeholder before the first data has arrived. */
export const Skeleton = ({ rows = 3 }) =>
  h('div', { class: 'skeleton', role: 'status', 'aria-label': 'Loading' },
    Array.from({ length: rows }, (_, i) => h('span', { key: i })));

/** The elements that had the focus when the open dialogs were opened. */
const openers = [];

/** The browser's modal dialog: it keeps the focus inside and closes with Escape. */
export class Dialog extends Component {
  componentDidMount() {
    openers.push(document.activeElement);
    this.base.showModal();
  }

  /** The browser moves the focus back only from a dialog that it closes itself, not from one that is removed. */
  componentWillUnmount() {
    const opener = openers.pop();
    // A dialog that replaces this one takes the focus itself; its opener is then that of this one.
    setTimeout(() => {
      if (document.querySelector('dialog[open]')) {
        openers[openers.length - 1] = opener;
      } else {
        (opener?.isConnected && opener !== document.body ? opener : document.getElementById('main')).focus();
      }
    });
  }

  render({ title, onClose, children, wide }) {
    return h('dialog', {
      class: wide ? 'dialog dialog-wide' : 'dialog',
      'aria-labelledby': 'dialog-title',
      onClose,
      onClick: (event) => event.target === this.base && onClose(),
    }, h('div', { class: 'dialog-body' },
      h('header', { class: 'dialog-head' }, h('h2', { id: 'dialog-title' }, title),
        h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Close', onClick: onClose },
          h(Icon, { name: 'close' }))),
      children));
  }
}
