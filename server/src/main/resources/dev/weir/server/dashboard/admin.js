/** View of the runtime settings, and forms to change them. Asks for the token first, and keeps it in memory only. */
import { Button, Card, Component, Empty, h, Icon, Name, Skeleton } from './parts.js';
import { ago, exactTime, number } from './format.js';
import { now, state } from './state.js';
import * as api from './admin-api.js';
import { Validity } from './validity.js';
import { confirmEndExemption, confirmExempt, confirmRemoveOverride, confirmResetOf, openDefaults, openOverride, confirmRevert } from './actions.js';

export const Admin = () => (api.isSignedIn() ? h(Settings) : h('div', { class: 'narrow' }, h(Card, { title: 'Sign in', id: 'sign-in-title' }, h(SignIn))));

export class SignIn extends Component {
  state = { failure: null, isBusy: false };

  submit = async (event) => {
    event.preventDefault();
    const input = event.target.elements.token;
    this.setState({ isBusy: true, failure: null });
    try {
      await api.signIn(input.value.trim());
    } catch (failure) {
      this.setState({ isBusy: false, failure: explain(failure) });
      input.select();
    }
  };

  render({ reason = 'Changes need a token: the admin token that the server was started with, or one of the role operate or admin.' }, { failure, isBusy }) {
    return h('form', { class: 'sign-in', onSubmit: this.submit },
      h('p', { class: 'quiet' }, reason, ' This page keeps it in memory only, until you close or reload it.'),
      h('div', { class: 'field-row' },
        h('label', { class: 'field' }, h('span', null, 'Admin token'),
          h('input', { name: 'token', type: 'password', autocomplete: 'off', required: true, spellcheck: false })),
        h('button', { class: 'button button-main', disabled: isBusy }, isBusy ? 'Trying…' : 'Sign in')),
      failure && h('p', { class: 'failure', role: 'alert' }, h(Icon, { name: 'bad', small: true }), failure));
  }
}

function explain(failure) {
  switch (failure.status) {
    case 401: return 'This is not the token. It is what was given by --admin-token-file or WEIR_ADMIN_TOKEN, or in the file of --tokens.';
    case 403: return failure.message.includes('is off')
      ? 'The admin API is off. Start the server with --admin-token-file or --tokens, or set WEIR_ADMIN_TOKEN.'
      : failure.message;
    case 429: return 'Too many wrong tokens from here. Wait a minute and try again.';
    default: return failure.message;
  }
}

/** Reloads whenever the server reports changed settings, wherever the change was made. */
class Settings extends Component {
  state = { settings: null, audit: [], failure: null };

  componentDidMount() {
    this.load();
  }

  componentDidUpdate() {
    if (this.loadedVersion !== state.rules.version && !this.isLoading) this.load();
  }

  async load() {
    this.isLoading = true;
    this.loadedVersion = state.rules.version;
    try {
      const [settings, audit] = await Promise.all([api.settings(), api.audit()]);
      this.setState({ settings, audit, failure: null });
    } catch (failure) {
      this.setState({ failure: failure.message });
    } finally {
      this.isLoading = false;
    }
  }

  render(_, { settings, audit, failure }) {
    if (failure) {
      return h('div', { class: 'banner', role: 'alert' }, h(Icon, { name: 'warn' }), h('p', null, failure), h(Button, { onClick: () => this.load() }, 'Try again'));
    }
    return h('div', { class: 'admin' },
      h('div', { class: 'tools tools-end' }, h('span', { class: 'quiet' }, 'Signed in until this page is closed or reloaded.'),
        h(Button, { onClick: api.signOut }, 'Forget the token')),
      settings ? [h(Overrides, { settings }), h(Defaults, { settings }), h(Exemptions, { settings }), h(Resets), h(Audit, { audit })] : h(Skeleton));
  }
}

function Overrides({ settings }) {
  const entries = Object.entries(settings.overrides);
  return h(Card, {
    title: 'Rates of their own', id: 'overrides-title', class: 'area-overrides',
    aside: h(Button, { kind: 'main', onClick: () => openOverride('') }, 'Set rates…'),
  }, entries.length === 0
    ? h(Empty, { icon: 'admin', title: 'Everyone has the same rates' }, 'Set a rate for one subject: it applies from the next request on, on every node, and survives restarts.')
    : h('table', { class: 'table' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Whose'), h('th', { scope: 'col' }, 'Rates'), h('th', { scope: 'col' }, h('span', { class: 'sr-only' }, 'Actions')))),
      h('tbody', null, entries.map(([subject, limits]) => h('tr', { key: subject },
        h('th', { scope: 'row' }, h(Name, { value: subject }), h(Validity, { validity: settings.override_validity[subject] })),
        h('td', null, h('ul', { class: 'plain rates' }, Object.entries(limits).flatMap(([limit, rows]) =>
          Object.entries(rows).map(([row, rate]) => h('li', { key: `${limit} ${row}` }, `${limit} · ${row} `, h('b', null, rate)))))),
        h('td', { class: 'actions' },
          h(Button, { onClick: () => openOverride(subject, limits, settings.override_validity[subject]), 'aria-label': `Edit the rates of ${subject}` }, 'Edit…'),
          h(Button, { onClick: () => confirmRemoveOverride(subject, limits, settings.override_validity[subject]), 'aria-label': `Remove the rates of ${subject}` }, 'Remove…')))))));
}

/** Shows only rates that differ from the configuration; the view of the limits has all. */
function Defaults({ settings }) {
  const changes = Object.entries(settings.defaults_changed).flatMap(([limit, rows]) => Object.entries(rows).map(([row, rate]) => [limit, row, rate]));
  return h(Card, {
    title: 'Everyone’s rates', id: 'defaults-title', class: 'area-defaults',
    aside: h(Button, { onClick: () => openDefaults(settings.defaults_changed) }, 'Change…'),
  }, changes.length === 0
    ? h('p', { class: 'quiet' }, 'As the configuration says. ', h('a', { href: '#/limits' }, 'See the limits'))
    : h('ul', { class: 'plain rates' }, changes.map(([limit, row, rate]) =>
      h('li', { key: `${limit} ${row}` }, `${limit} · ${row} `, h('b', null, rate), h('span', { class: 'hint' }, ` instead of ${configuredRate(limit, row)}`)))));
}

const configuredRate = (limit, row) => state.rules.limits.find((one) => one.name === limit)?.configured[row] ?? 'nothing';

function Exemptions({ settings }) {
  const set = pairs(settings.exempt);
  const configured = pairs(settings.exempt_configured);
  return h(Card, { title: 'Exempt', id: 'exempt-title', class: 'area-exempt' },
    h('form', { class: 'field-row', onSubmit: (event) => submitWhose(event, confirmExempt) },
      h(Whose, { label: 'Exempt somebody' }), h('button', { class: 'button button-plain' }, 'Exempt…')),
    h('ul', { class: 'plain exempt-list' },
      configured.map((subject) => h('li', { key: `configured ${subject}` }, h(Name, { value: subject }), h('span', { class: 'hint' }, 'by the configuration'))),
      set.map((subject) => h('li', { key: subject }, h(Name, { value: subject }), h(Validity, { validity: settings.exempt_validity[subject] }),
        h(Button, { onClick: () => confirmEndExemption(subject, settings.exempt_validity[subject]), 'aria-label': `End the exemption of ${subject}` }, 'End…')))));
}

const pairs = (byAttribute) => Object.entries(byAttribute).flatMap(([attribute, values]) => values.map((value) => `${attribute}=${value}`));

const Whose = ({ label, placeholder = `${state.rules.bare}=name` }) =>
  h('label', { class: 'field' }, h('span', null, label),
    h('input', { name: 'whose', required: true, placeholder, autocomplete: 'off', spellcheck: false }));

/** A value without an attribute belongs to the attribute that penalties apply to. */
function submitWhose(event, act) {
  event.preventDefault();
  const text = event.target.elements.whose.value.trim();
  if (text !== '') act(text.includes('=') ? text : `${state.rules.bare}=${text}`);
}

const Resets = () =>
  h(Card, { title: 'Reset', id: 'reset-title', class: 'area-reset' },
    h('p', { class: 'quiet' }, 'Refills all budgets of a subject and clears its violations. More attributes restrict it to some of them, such as ', h('code', null, 'agent=a1 channel=http tier=heavy'), '.'),
    h('form', { class: 'field-row', onSubmit: (event) => submitReset(event) },
      h(Whose, { label: 'Attributes', placeholder: `${state.rules.bare}=name …` }), h('button', { class: 'button button-plain' }, 'Reset…')));

function submitReset(event) {
  event.preventDefault();
  const text = event.target.elements.whose.value.trim();
  const attributes = Object.fromEntries(text.split(/\s+/).map((part) => {
    const at = part.indexOf('=');
    return at > 0 ? [part.slice(0, at), part.slice(at + 1)] : [state.rules.bare, part];
  }));
  confirmResetOf(text, attributes);
}

const CHANGES = {
  put_defaults: 'set everyone’s rates',
  put_override: 'set the rates of',
  remove_override: 'removed the rates of',
  replace_exempt: 'replaced who is exempt',
  add_exempt: 'exempted',
  remove_exempt: 'ended the exemption of',
  reset_budgets: 'reset',
  expire_override: 'ended, as it was set for a time, the rates of',
  expire_exempt: 'ended, as it was set for a time, the exemption of',
};

const Audit = ({ audit }) =>
  h(Card, { title: 'Who changed what', id: 'audit-title', class: 'area-audit' },
    audit.length === 0
      ? h(Empty, { icon: 'info', title: 'No changes yet' }, 'Every change is listed here with its author and time.')
      : h(AuditTable, { audit }));

export const AuditTable = ({ audit }) =>
  h('table', { class: 'table audit' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'When'), h('th', { scope: 'col' }, 'Who'), h('th', { scope: 'col' }, 'What'), h('th', { scope: 'col' }, h('span', { class: 'sr-only' }, 'Actions')))),
    h('tbody', null, audit.map((entry) => {
      const at = Date.parse(entry.when);
      return h('tr', { key: entry.version },
        h('td', { class: 'num', title: exactTime(at) }, ago((now() - at) / 1000)),
        h('td', null, h(Name, { value: entry.who })),
        h('td', null, CHANGES[entry.change] ?? entry.change, ' ', entry.subject && h(Name, { value: entry.subject }),
          h(Validity, { validity: entry.expires_at || entry.reason ? entry : null }),
          entry.limits && h('span', { class: 'hint' }, ` ${ratesText(entry.limits)}`),
          entry.attributes && h(Name, { value: Object.entries(entry.attributes).map((pair) => pair.join('=')).join(' ') }),
          entry.values && h('span', { class: 'hint' }, ` ${number(entry.values.length)}`)),
        h('td', { class: 'actions' }, isRevertible(audit, entry) && h(Button, { onClick: () => confirmRevert(entry, CHANGES[entry.change]), 'aria-label': `Revert: ${CHANGES[entry.change]} ${entry.subject}` }, 'Revert…')));
    })));

const KINDS = { put_override: 'rates', remove_override: 'rates', expire_override: 'rates', add_exempt: 'exempt', remove_exempt: 'exempt', expire_exempt: 'exempt', replace_exempt: 'exempt' };

/** Only the latest change of one subject's rates, or of its exemption; the server refuses others. */
function isRevertible(audit, entry) {
  return Boolean(entry.subject && KINDS[entry.change])
    && !audit.some((later) => later.version > entry.version && KINDS[later.change] === KINDS[entry.change] && (later.subject === entry.subject || later.change === 'replace_exempt'));
}

const ratesText = (limits) => Object.entries(limits)
  .flatMap(([limit, rows]) => Object.entries(rows).map(([row, rate]) => `${limit} · ${row} ${rate}`))
  .join(', ');
