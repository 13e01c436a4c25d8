/** How long a change holds, and why: fields of dialogs, and texts. */
import { h } from './parts.js';
import { duration, exactTime } from './format.js';
import { now } from './state.js';

const LENGTHS = [['15m', '15 minutes'], ['1h', '1 hour'], ['1d', '1 day'], ['', 'Until it is ended'], ['until', 'Until a time…']];

/** The choice before anything is entered: what holds now, or else as long as nobody ends it. */
export const unchanged = (present) => ({ length: present?.expires_at ? 'until' : '', until: present?.expires_at ? local(present.expires_at) : '', reason: present?.reason ?? '' });

/** The time in the browser's zone, as its input for times has it. */
const local = (second) => {
  const at = new Date(second * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

export const ValidityFields = ({ value, onChange }) =>
  h('div', { class: 'validity' },
    h('label', { class: 'field' }, h('span', null, 'For'),
      h('select', { name: 'length', value: value.length, onChange: (event) => onChange({ ...value, length: event.target.value }) },
        LENGTHS.map(([key, text]) => h('option', { key, value: key }, text)))),
    value.length === 'until' && h('label', { class: 'field' }, h('span', null, 'Until'),
      h('input', { name: 'until', type: 'datetime-local', required: true, value: value.until, onInput: (event) => onChange({ ...value, until: event.target.value }) })),
    h('label', { class: 'field' }, h('span', null, 'Reason'),
      h('input', { name: 'reason', maxLength: 200, value: value.reason, placeholder: 'for the audit', autocomplete: 'off', onInput: (event) => onChange({ ...value, reason: event.target.value }) })));

/** The members of the request. */
export function validityOf({ length, until, reason }) {
  return {
    ...(length === 'until' ? { expires_at: Math.floor(new Date(until).getTime() / 1000) } : length && { for: length }),
    ...(reason.trim() && { reason: reason.trim() }),
  };
}

/** The members of the request that restore what holds now. */
export const restored = (present) => ({
  ...(present?.expires_at && { expires_at: present.expires_at }), ...(present?.reason && { reason: present.reason }),
});

/** `ends in 59 min`, and the reason. */
export function Validity({ validity }) {
  if (!validity) return null;
  return h('span', { class: 'hint validity-text' },
    validity.expires_at && h('span', { title: exactTime(validity.expires_at * 1000) }, `ends in ${duration(validity.expires_at - now() / 1000)}`),
    validity.expires_at && validity.reason && ' · ', validity.reason && h('bdi', null, validity.reason));
}

/** For how long, as the end of a sentence. */
export const howLong = ({ length, until }) => (length === '' ? 'until that is ended'
  : length === 'until' ? `until ${exactTime(new Date(until).getTime())}; then it ends by itself`
    : `for ${LENGTHS.find(([key]) => key === length)[1]}; then it ends by itself`);
