/**
 * The address of what is shown, after the `#`: the view, what it is about, and how it is shown. Everything that a user
 * chooses is in it, so that it can be sent to somebody else: `#/subjects?q=crawler&sort=name`, `#/subjects/agent/a1`.
 */
import { changed } from './state.js';

/** The last address of each view, so that the navigation leads back to it. */
const last = new Map();

/** The views that show a range of time, and the parameters that choose it. They share one range. */
const RANGED = ['overview', 'limits'];
const RANGE_PARAMS = ['range', 'from', 'to'];
let shared = new URLSearchParams();

export const isRanged = (view) => RANGED.includes(view);

export function route() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, ...parts] = path.split('/').map(decoded);
  return { view, parts, params: new URLSearchParams(query) };
}

export const param = (name, usual = '') => route().params.get(name) ?? usual;

/** The address of a view, or of what it is about. */
export const address = (...parts) => `#/${parts.map((part) => encodeURIComponent(part.toWellFormed?.() ?? part)).join('/')}`;

/** The address of a view as it was left, with the range that is chosen now. */
export function lastAddress(view) {
  const left = last.get(view) ?? address(view);
  if (!isRanged(view)) return left;
  const [path, query = ''] = left.split('?');
  const params = new URLSearchParams(query);
  RANGE_PARAMS.forEach((name) => (shared.has(name) ? params.set(name, shared.get(name)) : params.delete(name)));
  return withQuery(path, params);
}

const withQuery = (path, params) => (params.size === 0 ? path : `${path}?${params}`);

/** Replaces parameters, without a new entry in the browser's history. Empty ones are left out. */
export function setParams(patch) {
  const { view, parts, params } = route();
  Object.entries(patch).forEach(([name, value]) => (value === '' ? params.delete(name) : params.set(name, value)));
  history.replaceState(null, '', withQuery(address(view || 'overview', ...parts), params));
  remember();
  changed();
}

/** Remembers the address of the view that is shown. What a view is about is not part of it. */
export function remember() {
  const { view, parts, params } = route();
  if (view !== '' && parts.length === 0) last.set(view, location.hash);
  if (isRanged(view || 'overview')) {
    shared = new URLSearchParams(RANGE_PARAMS.filter((name) => params.has(name)).map((name) => [name, params.get(name)]));
  }
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
