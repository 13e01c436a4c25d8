/**
 * Client of the admin API. The token is kept in this page's memory only: not in a cookie, in storage or in the URL. It
 * is gone when the page is closed.
 */
import { changed, useToken } from './state.js';

const ROOT = '/api/admin/rate-limits';

let token = null;

/** An error response, with the server's message. */
export class AdminError extends Error {
  constructor(status, problem) {
    super(problem.message ?? `The server answered ${status}.`);
    this.status = status;
    this.field = problem.field;
  }
}

export const isSignedIn = () => token !== null;

/** Tries the token, and keeps it only if the server accepts it. */
export async function signIn(candidate) {
  await call('GET', '', undefined, candidate);
  token = candidate;
  useToken(candidate);
  changed();
}

export function signOut() {
  token = null;
  useToken(null);
  changed();
}

export const settings = () => call('GET', '');
export const audit = async () => (await call('GET', '/api/admin/audit?limit=50')).entries;
export const auditOf = async (subject) => (await call('GET', `/api/admin/audit?limit=50&subject=${path(subject)}`)).entries;
export const putOverride = (subject, limits, validity) => call('PUT', `/${path(subject)}`, { limits, ...validity });
export const putDefaults = (limits) => call('PUT', '/defaults', { limits });
export const removeOverride = (subject) => call('DELETE', `/${path(subject)}`);
export const exempt = (subject, validity) => call('POST', '/whitelist', { agent: subject, ...validity });
export const endExemption = (subject) => call('DELETE', `/whitelist/${path(subject)}`);
export const revert = (version) => call('POST', `/api/admin/audit/${version}/revert`);
export const acknowledge = (id) => call('POST', `/api/admin/alerts/${id}/acknowledge`);
export const mute = (id, length) => call('PUT', `/api/admin/alerts/${id}/mute`, { for: length });
export const unmute = (id) => call('DELETE', `/api/admin/alerts/${id}/mute`);
export const reset = (attributes) => call('POST', '/reset', { attributes });

const path = (subject) => encodeURIComponent(subject);

async function call(method, address, body, withToken = token) {
  const url = address.startsWith('/api/') ? address : ROOT + address;
  if (withToken === null) throw new AdminError(401, { message: 'This page no longer has the admin token. Sign in again.' });
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${withToken}`, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
    });
  } catch {
    throw new AdminError(0, { message: 'The server does not answer. Nothing was changed, as far as this page knows.' });
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401 && withToken === token) signOut();
  throw new AdminError(response.status, problem);
}
