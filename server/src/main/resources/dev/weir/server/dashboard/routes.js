/**
 * The address of what is shown, after the `#`: the view, what it is about, and how it is shown. Everything that a user
 * chooses is in it, so that it can be sent to somebody else: `#/subjects?q=crawler&sort=name`, `#/subjects/agent/a1`.
 */
import { changed } from './state.js';

/** The last address of each view, so that the navigation leads back to it. */
const last = new Map();

export function route() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...parts] = path.split('/').map(decoded);
  return { view, parts, params: new URLSearchParams(query) };
}

export const param = (name, usual = '') => route().params.get(name) ?? usual;

/** The address of a view, or of what it is about. */
export const address = (...parts) => `#/${parts.map((part) => encodeURIComponent(part.toWellFormed?.() ?? part)).join('/')}`;

/** The address of a view as it was left. */
export const lastAddress = (view) => last.get(view) ?? address(view);

/** Replaces parameters, without a new entry in the browser's history. Empty ones are left out. */
export function setParams(patch) {
  const { view, parts, params } = route();
  Object.entries(patch).forEach(([name, value]) => (value === '' ? params.delete(name) : params.set(name, value)));
  const query = params.toString();
  history.replaceState(null, '', address(view || 'overview', ...parts) + (query === '' ? '' : `?${query}`));
  remember();
  changed();
}

/** Remembers the address of the view that is shown. What a view is about is not part of it. */
export function remember() {
  const { view, parts } = route();
  if (view !== '' && parts.length === 0) last.set(view, location.hash);
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
