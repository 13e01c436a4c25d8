/** Dialogs for rates: of one subject, and of all subjects. */
import { Button, Component, Dialog, h, Icon, Name } from './parts.js';
import { state } from './state.js';
import * as api from './admin-api.js';
import { close, confirm, confirmRemoveOverride, perform } from './actions.js';
import { howLong, restored, unchanged, ValidityFields, validityOf } from './validity.js';

/** Dialog for the rates of one subject. Empty fields keep the default rate. */
export class OverrideDialog extends Component {
  state = {
    subject: this.props.subject ?? '', values: flatten(this.props.limits), validity: unchanged(this.props.validity), failure: null,
    ...this.props.draft,
  };

  /** Multiplies every rate that holds. */
  times = (factor) => () => this.setState({
    values: Object.fromEntries(state.rules.limits.flatMap((limit) => Object.keys(limit.rates).map((row) =>
      [keyOf(limit.name, row), multiplied(this.props.limits[limit.name]?.[row] ?? everyone(limit.name, row), factor)]))),
  });

  review = (event) => {
    event.preventDefault();
    if (hasFaults(this.state.values)) return showFaults(this);
    const limits = unflatten(this.state.values);
    const subject = this.state.subject.trim();
    if (subject === '') return this.setState({ failure: 'Enter the subject as attribute=value, such as agent=a1.' });
    const before = this.props.limits;
    const hadSome = Object.keys(before).length > 0;
    if (Object.keys(limits).length === 0) {
      return hadSome ? confirmRemoveOverride(subject, before, this.props.validity) : this.setState({ failure: 'Fill in at least one rate, such as 100/min.' });
    }
    confirm({
      title: `Set the rates of ${subject}?`,
      text: `They apply from its next request on, ${howLong(this.state.validity)}. It starts with full budgets.`,
      list: changesOf(before, limits, everyone),
      label: 'Set rates',
      back: { kind: 'override', ...this.props, draft: { ...this.state, failure: null } },
      work: () => perform(() => api.putOverride(subject, limits, validityOf(this.state.validity)), `${subject} has rates of its own.`,
        () => (hadSome ? api.putOverride(subject, before, restored(this.props.validity)) : api.removeOverride(subject))),
    });
    return undefined;
  };

  render({ subject: given }, { subject, values, validity, failure }) {
    return h(Dialog, { title: 'Rates of its own', onClose: close, wide: true },
      h('form', { onSubmit: this.review },
        h('label', { class: 'field' }, h('span', null, 'Whose'),
          h('input', {
            name: 'subject', value: subject, readOnly: Boolean(given), placeholder: `${state.rules.bare}=name`, autocomplete: 'off', spellcheck: false,
            onInput: (event) => this.setState({ subject: event.target.value }),
          })),
        h('p', { class: 'hint' }, 'Such as 100/min, 5/s, 1000/day; 0/min always denies. Empty keeps the default rate.'),
        h('div', { class: 'field-row' }, [2, 5, 10].map((factor) => h(Button, { key: factor, onClick: this.times(factor) }, `× ${factor}`))),
        h(RateFields, { values, placeholder: everyone, onChange: (changes) => this.setState({ values: changes }) }),
        h(ValidityFields, { value: validity, onChange: (chosen) => this.setState({ validity: chosen }) }),
        h(Foot, { failure })));
  }
}

/** Dialog for the default rates of all subjects without their own. Empty fields keep the configuration's rate. */
export class DefaultsDialog extends Component {
  state = { values: flatten(this.props.limits), failure: null };

  review = (event) => {
    event.preventDefault();
    if (hasFaults(this.state.values)) return showFaults(this);
    const limits = unflatten(this.state.values);
    const before = this.props.limits;
    const list = changesOf(before, limits, configured);
    if (list.length === 0) return this.setState({ failure: 'Nothing is different from what holds now.' });
    confirm({
      title: 'Change everyone’s rates?',
      text: 'They apply from the next request on, to all subjects without their own rates. What was spent stays spent.',
      list,
      label: 'Change rates',
      work: () => perform(() => api.putDefaults(limits), 'Everyone’s rates are changed.', () => api.putDefaults(before)),
    });
    return undefined;
  };

  render(_, { values, failure }) {
    return h(Dialog, { title: 'Everyone’s rates', onClose: close, wide: true },
      h('form', { onSubmit: this.review },
        h('p', { class: 'hint' }, 'Such as 100/min, 5/s, 1000/day; 0/min always denies. Empty keeps the configured rate.'),
        h(RateFields, { values, placeholder: configured, onChange: (changes) => this.setState({ values: changes }) }),
        h(Foot, { failure })));
  }
}

/** A number and a period; the server checks again, and knows more. */
const RATE = /^[0-9][0-9_]{0,20} *\/ *(month|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?|([0-9]{1,15}(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?))+)$/;
const SLOTS = /^[0-9][0-9_]{0,20}$/;

/** What is wrong with a rate, while it is typed; null if nothing is, or the field is empty. */
function faultOf(limit, text = '') {
  if (text.trim() === '') return null;
  if (limit.algorithm === 'concurrency') return SLOTS.test(text.trim()) ? null : 'Write a number of slots, such as 5.';
  return RATE.test(text.trim()) ? null : 'Write a number and a period, such as 60/min.';
}

const hasFaults = (values) => state.rules.limits.some((limit) =>
  Object.keys(limit.rates).some((row) => faultOf(limit, values[keyOf(limit.name, row)]) !== null));

/** Moves the focus to the first field with a fault. */
function showFaults(dialog) {
  dialog.setState({ failure: 'Mend the rates that are marked.' });
  dialog.base.querySelector('[aria-invalid=true]').focus();
}

const RateFields = ({ values, placeholder, onChange }) =>
  h('div', { class: 'rate-fields' }, state.rules.limits.flatMap((limit) => Object.keys(limit.rates).map((row) => {
    const key = keyOf(limit.name, row);
    const fault = faultOf(limit, values[key]);
    const name = key.replace('\n', '.');
    return h('label', { class: 'field field-rate', key },
      h('span', null, h(Name, { value: limit.name }), Object.keys(limit.rates).length > 1 ? ` · ${row}` : ''),
      h('input', {
        name, value: values[key] ?? '', placeholder: placeholder(limit.name, row), autocomplete: 'off', spellcheck: false,
        'aria-invalid': fault ? 'true' : undefined, 'aria-describedby': fault ? `fault-${name}` : undefined,
        onInput: (event) => onChange({ ...values, [key]: event.target.value }),
      }),
      fault && h('span', { class: 'field-fault', id: `fault-${name}` }, fault));
  })));

const Foot = ({ failure }) => [
  failure && h('p', { class: 'failure', role: 'alert' }, h(Icon, { name: 'bad', small: true }), failure),
  h('footer', { class: 'dialog-foot' },
    h(Button, { onClick: close }, 'Cancel'),
    h('button', { class: 'button button-main' }, 'Review…')),
];

/** `10/hour` times 2 is `20/hour`; several rates of a limit are all multiplied. */
const multiplied = (rates, factor) => rates.replace(/(^|,\s*)(\d+)/g, (_, before, count) => before + Number(count) * factor);

const rateOf = (rates) => (limit, row) => state.rules.limits.find((one) => one.name === limit)?.[rates][row] ?? 'as configured';
const everyone = rateOf('rates');
const configured = rateOf('configured');

const keyOf = (limit, row) => `${limit}\n${row}`;

const flatten = (limits) => Object.fromEntries(Object.entries(limits)
  .flatMap(([limit, rows]) => Object.entries(rows).map(([row, rate]) => [keyOf(limit, row), rate])));

function unflatten(values) {
  const limits = {};
  for (const [key, rate] of Object.entries(values)) {
    const [limit, row] = key.split('\n');
    if (rate.trim() !== '') (limits[limit] ??= {})[row] = rate.trim();
  }
  return limits;
}

/** Returns the differences as text; `otherwise` returns the rate that applies if none is given. */
function changesOf(before, after, otherwise) {
  const keys = [...new Set([...Object.keys(flatten(before)), ...Object.keys(flatten(after))])];
  return keys.map((key) => {
    const [limit, row] = key.split('\n');
    return [limit, row, before[limit]?.[row] ?? otherwise(limit, row), after[limit]?.[row] ?? otherwise(limit, row)];
  }).filter(([, , old, next]) => old !== next).map(([limit, row, old, next]) => `${limit} · ${row}: ${old} → ${next}`);
}
