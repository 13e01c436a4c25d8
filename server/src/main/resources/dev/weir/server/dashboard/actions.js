/**
 * Actions on a subject, available on every view. Each asks for confirmation first, and offers to undo where that is
 * possible.
 */
import { Badge, Button, Component, Dialog, h, Icon, Name } from './parts.js';
import { ago, number, plural, refusedBy, visible } from './format.js';
import { changed, announce, now, state } from './state.js';
import { address } from './routes.js';
import * as api from './admin-api.js';
import { BudgetRow, labelOf, SubjectBadge, whyNoBudgets } from './subjects.js';
import { SignIn } from './admin.js';
import { DefaultsDialog, OverrideDialog } from './rates.js';
import { restored, unchanged, ValidityFields, validityOf } from './validity.js';

const TOAST_MILLIS = 12_000;
/** How long a reset can be undone, in milliseconds; it is sent only after that. */
const HOLD_MILLIS = 5000;
const LOOK_MILLIS = 500;

export const close = () => changed({ dialog: null });
const keyOf = (subject) => `${subject.attribute}=${subject.value}`;

export const openSubject = (subject) => changed({ dialog: { kind: 'subject', id: subject.id, subject } });
export const openOverride = (subject, limits = {}, validity = null) => changed({ dialog: { kind: 'override', subject, limits, validity } });
export const openDefaults = (limits) => changed({ dialog: { kind: 'defaults', limits } });
export const confirm = (question) => changed({ dialog: { kind: 'confirm', ...question } });

export function OpenDialog() {
  const { dialog } = state;
  switch (dialog?.kind) {
    case 'subject': return h(SubjectDialog, { key: dialog.id, subject: state.subjects.get(dialog.id) ?? dialog.subject });
    case 'override': return h(OverrideDialog, { key: 'override', ...dialog });
    case 'defaults': return h(DefaultsDialog, { key: 'defaults', ...dialog });
    case 'confirm': return h(ConfirmDialog, { key: dialog.title, ...dialog });
    default: return null;
  }
}

/** Runs the action and shows the result; `undo` reverts it. */
export async function perform(work, done, undo) {
  held?.now();
  await work();
  close();
  toast(typeof done === 'function' ? done() : done, undo && (async () => {
    try {
      await undo();
      toast('Undone.');
    } catch (failure) {
      toast(`It could not be undone: ${failure.message}`, null, 'bad');
    }
  }));
}

let toastTimer = 0;

/** Whether the focus is in the message; its time stands still meanwhile. */
const isToastUsed = () => document.querySelector('.toast:focus-within') !== null;

export function toast(text, undo = null, level = 'ok', isHeld = false) {
  clearTimeout(toastTimer);
  const hide = () => {
    if (isToastUsed()) toastTimer = setTimeout(hide, LOOK_MILLIS);
    else changed({ toast: null });
  };
  toastTimer = setTimeout(hide, TOAST_MILLIS);
  changed({ toast: { text: visible(text), undo, level, isHeld }, settingsChangedAt: Date.now() });
  announce(text);
}

/** The delayed action; at most one. */
let held = null;

/**
 * Delays an action that cannot be reverted, and shows that: until then `Undo` drops it. The next action runs it at
 * once. If the page is closed before, it never runs.
 */
function hold(work, text) {
  held?.now();
  const forget = () => {
    clearTimeout(timer);
    held = null;
  };
  const now = async () => {
    forget();
    try {
      tell(await work());
    } catch (failure) {
      tell(`It was not done: ${failure.message}`, 'bad');
    }
  };
  const undo = () => {
    forget();
    toast('Undone: nothing was reset.');
  };
  const due = () => {
    if (isToastUsed()) timer = setTimeout(due, LOOK_MILLIS);
    else now();
  };
  let timer = setTimeout(due, HOLD_MILLIS);
  held = { now, undo, text };
  close();
  toast(text, undo, 'ok', true);
}

/** Shows the result of a delayed action, without hiding the one that is delayed now. */
function tell(result, level = 'ok') {
  if (held) toast(`${result} ${held.text}`, held.undo, level, true);
  else toast(result, null, level);
}

function SubjectDialog({ subject }) {
  return h(Dialog, { title: h('span', null, h('span', { class: 'kind' }, subject.attribute), h(Name, { value: subject.value })), onClose: close, wide: true },
    h(SubjectFacts, { subject }),
    !subject.cut && h('a', { class: 'subject-link', href: address('subjects', subject.attribute, subject.value) }, 'Its decisions and changes'),
    h(SubjectBudgets, { subject }),
    h(SubjectActions, { subject }));
}

/** The state of a subject, and what refused it. */
export function SubjectFacts({ subject }) {
  return h('div', { class: 'subject-now' },
    h('div', { class: 'subject-facts' },
      h(SubjectBadge, { subject }),
      subject.overridden && h(Badge, { icon: 'admin' }, 'Own rates'),
      h('span', null, `${plural(subject.violations, 'violation')} in the last hour, ${number(subject.allViolations)} in all`),
      subject.consecutive > 0 && h('span', null, `${number(subject.consecutive)} in a row`),
      h('span', { class: 'quiet' }, `seen ${ago(now() / 1000 - subject.seen)}`)),
    subject.deniedBy.length > 0 && h('div', null, h('h3', null, 'Denied in the last hour by'),
      h('ul', { class: 'plain refused-by' }, subject.deniedBy.map((row) =>
        h('li', { key: `${row.limit} ${row.reason}` }, `${refusedBy(row)}: ${number(row.count)} `, h('span', { class: 'hint' }, row.reason))))));
}

export const SubjectBudgets = ({ subject }) =>
  h('div', null, h('h3', null, 'Budgets'),
    subject.budgets.length === 0
      ? h('p', { class: 'quiet' }, whyNoBudgets(subject))
      : h('ul', { class: 'budgets budgets-long' }, subject.budgets.map((budget) => h(BudgetRow, { key: labelOf(budget), budget, isLong: true }))),
    subject.budgets.some((budget) => budget.shadow) && h('p', { class: 'hint' }, '◇ A shadow only reports what it would deny.'));

export function SubjectActions({ subject }) {
  if (subject.cut) return h('p', { class: 'quiet' }, 'Its name is longer than 256 characters, so this page has only its beginning and cannot act on it. The admin API can.');
  return api.isSignedIn()
    ? h('footer', { class: 'dialog-foot' },
      h(Button, { onClick: () => editOverride(subject) }, 'Set own rates…'),
      subject.exempt
        ? h(Button, { onClick: () => confirmEndExemption(keyOf(subject)) }, 'End exemption…')
        : h(Button, { onClick: () => confirmExempt(keyOf(subject)) }, 'Exempt…'),
      h(Button, { kind: 'main', onClick: () => confirmReset(subject), disabled: subject.budgets.length === 0 }, 'Reset budgets…'))
    : h('div', { class: 'dialog-sign-in' }, h('h3', null, 'To act, sign in'), h(SignIn));
}

/** Opens the dialog with the current values. */
async function editOverride(subject) {
  try {
    const { overrides, override_validity: validity } = await api.settings();
    openOverride(keyOf(subject), overrides[keyOf(subject)] ?? {}, validity[keyOf(subject)]);
  } catch (failure) {
    toast(failure.message, null, 'bad');
  }
}

export const confirmExempt = (subject) => confirm({
  title: `Exempt ${subject}?`,
  text: 'No limit will apply to it, from its next request on.',
  label: 'Exempt',
  asksHowLong: true,
  work: (validity) => perform(() => api.exempt(subject, validity), `${subject} is exempt.`, () => api.endExemption(subject)),
});

export const confirmEndExemption = (subject, validity) => confirm({
  title: `End the exemption of ${subject}?`,
  text: 'Its requests count again, from the next one on.',
  label: 'End exemption',
  work: () => perform(() => api.endExemption(subject), `${subject} is no longer exempt.`, () => api.exempt(subject, restored(validity))),
});

export const confirmRemoveOverride = (subject, limits, validity) => confirm({
  title: `Remove the rates of ${subject}?`,
  text: 'It gets the default rates from its next request on, and starts with full budgets.',
  label: 'Remove',
  work: () => perform(() => api.removeOverride(subject), `${subject} has everyone's rates.`, () => api.putOverride(subject, limits, restored(validity))),
});

/** Restores what held before a change of one subject. */
export const confirmRevert = (entry, what) => confirm({
  title: `Revert version ${entry.version}?`,
  text: `${entry.who} ${what} ${entry.subject}. What held before is restored, from the next request on.`,
  label: 'Revert',
  work: () => perform(() => api.revert(entry.version), `Version ${entry.version} is reverted.`),
});

const confirmReset = (subject) => confirmResetOf(keyOf(subject), { [subject.attribute]: subject.value });

/** Resets every budget of the subject that has all these attributes. */
export const confirmResetOf = (title, attributes) => confirm({
  title: `Reset ${title}?`,
  text: `All its budgets are refilled and its violations are cleared. You have ${HOLD_MILLIS / 1000} seconds to undo it; then it is done for good.`,
  label: 'Reset',
  work: async () => hold(async () => {
    const { reset, budgets, incomplete } = await api.reset(attributes);
    if (reset === 0) return 'Nothing to reset: no limit keeps a budget of these attributes.';
    return `${plural(reset, 'budget')} of ${title} reset. Limits: ${[...new Set(budgets.map(({ limit }) => limit))].join(', ')}.`
      + (incomplete.length > 0 ? ` There may be more of ${incomplete.join(', ')}, with values that this server has not seen.` : '');
  }, `${title} is reset in ${HOLD_MILLIS / 1000} seconds.`),
});

class ConfirmDialog extends Component {
  state = { failure: null, isBusy: false, validity: unchanged(null) };

  act = async () => {
    this.setState({ isBusy: true, failure: null });
    try {
      await this.props.work(validityOf(this.state.validity));
    } catch (failure) {
      this.setState({ isBusy: false, failure: failure.message });
    }
  };

  render({ title, text, list, label, asksHowLong, back }, { failure, isBusy, validity }) {
    return h(Dialog, { title: h('bdi', { class: 'name-long' }, visible(title)), onClose: close },
      h('p', null, text),
      list && h('ul', { class: 'changes' }, list.map((line) => h('li', { key: line }, line))),
      asksHowLong && h(ValidityFields, { value: validity, onChange: (chosen) => this.setState({ validity: chosen }) }),
      failure && h('p', { class: 'failure', role: 'alert' }, h(Icon, { name: 'bad', small: true }), failure),
      h('footer', { class: 'dialog-foot' },
        back && h(Button, { onClick: () => changed({ dialog: back }) }, 'Back'),
        h(Button, { onClick: close }, 'Cancel'),
        h(Button, { kind: 'main', onClick: this.act, disabled: isBusy }, isBusy ? 'Working…' : label)));
  }
}
