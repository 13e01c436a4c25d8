/**
 * The state of the page, in one object. Code that changes it calls `changed`; the page is then drawn once before the
 * next frame, however many calls there were.
 */
import { open } from './stream.js';

/** Age in milliseconds after which the page shows that it is not live. The server sends once a second. */
const STALE_MILLIS = 3500;
const CHART_SLOTS = 720;
const MOST_NOTABLE = 200;

export const state = {
  connection: { status: 'connecting', heardAt: 0, retryAt: 0 },
  overview: null,
  rules: null,
  history: { latestAt: 0, slotSecs: 5, allowed: [], denied: [] },
  notable: [],
  /** Subjects by id. */
  subjects: new Map(),
  subjectsVersion: 0,
  mostSubjects: 10_000,
  keptSecs: 3600,
  /** How far the server's clock is ahead of the browser's, in milliseconds. */
  aheadMillis: 0,
  route: '',
  dialog: null,
  toast: null,
  announcement: '',
  alertsReadTo: 0,
};

let draw = () => {};
let isDue = false;

export function onChange(callback) {
  draw = callback;
}

export function changed(patch) {
  if (patch) Object.assign(state, patch);
  if (!isDue) {
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  }
}

/** Text for a screen reader to announce once. */
export function announce(text) {
  changed({ announcement: text });
}

/** The current time by the server's clock, in milliseconds. */
export const now = () => Date.now() + state.aheadMillis;

export const isStale = () =>
  state.overview !== null &&
  (state.connection.status !== 'live' || Date.now() - state.connection.heardAt > STALE_MILLIS);

const handlers = {
  history(data) {
    // A new connection starts from scratch: the server may be another one.
    state.subjects.clear();
    state.subjectsVersion++;
    state.notable = [];
    state.mostSubjects = data.most_subjects;
    state.keptSecs = data.kept_secs;
    state.history = {
      latestAt: data.latest_at, slotSecs: data.slot_secs, allowed: data.allowed, denied: data.denied,
    };
  },
  rules(data) {
    state.rules = data;
  },
  overview(data) {
    state.overview = data;
    state.aheadMillis = data.now - Date.now();
    extendChart(data.newest);
  },
  notable(data) {
    state.notable = [...data.entries.reverse(), ...state.notable].slice(0, MOST_NOTABLE);
    if (location.hash === '#/alerts') state.alertsReadTo = state.notable[0].number;
  },
  subjects(data) {
    data.subjects.forEach(takeSubject);
    state.subjectsVersion++;
    forgetSubjects();
  },
};

/** The last two slots arrive each second; slots between them and the known ones had no requests. */
function extendChart(newest) {
  const { history } = state;
  const steps = Math.round((newest.latest_at - history.latestAt) / history.slotSecs);
  for (let i = 0; i < Math.min(steps, CHART_SLOTS); i++) {
    history.allowed.push(0);
    history.denied.push(0);
  }
  for (const series of ['allowed', 'denied']) {
    const values = history[series];
    values.splice(0, Math.max(0, values.length - CHART_SLOTS));
    newest[series].forEach((value, i) => {
      values[values.length - newest[series].length + i] = value;
    });
  }
  history.latestAt = newest.latest_at;
}

function takeSubject(news) {
  let subject = state.subjects.get(news.id);
  if (news.attribute !== undefined) {
    const { id, attribute, value, cut, exempt, overridden, budgets } = news;
    subject = { id, attribute, value, cut, exempt, overridden, budgets, text: `${attribute} ${value}`.toLowerCase() };
    state.subjects.set(news.id, subject);
  }
  if (subject === undefined) return;
  const { violations, all: allViolations, consecutive, until, seen, denied } = news;
  Object.assign(subject, { revision: state.subjectsVersion, violations, allViolations, consecutive, until, seen, denied, used: 0 });
  subject.budgets.forEach((budget, i) => {
    budget.remaining = news.left[2 * i];
    budget.resetAt = news.left[2 * i + 1];
    budget.used = budget.capacity > 0 ? (budget.capacity - budget.remaining) / budget.capacity : 0;
    if (!budget.shadow) subject.used = Math.max(subject.used, budget.used);
  });
}

/** Evicts subjects like the server: keeps the latest ones only, for as long as it does. */
function forgetSubjects() {
  const eldest = now() / 1000 - state.keptSecs;
  for (const subject of state.subjects.values()) {
    if (subject.seen < eldest) state.subjects.delete(subject.id);
  }
  const surplus = state.subjects.size - state.mostSubjects;
  if (surplus > 0) {
    [...state.subjects.values()]
      .sort((a, b) => a.seen - b.seen)
      .slice(0, surplus)
      .forEach((subject) => state.subjects.delete(subject.id));
  }
}

/** Whether the subject has to wait, by the server's clock. */
export const isThrottled = (subject) => subject.consecutive > 0 && subject.until * 1000 > now();

/** Whether the subject is being refused: throttled, or refused within the last minute where no penalty counts. */
export const isLimited = (subject) => isThrottled(subject) || subject.denied > now() / 1000 - 60;

export const alertCount = () =>
  state.notable.filter((entry) => isAlarming(entry) && entry.number > state.alertsReadTo).length;

export const isAlarming = (entry) => ['alert', 'store_unavailable', 'configuration_rejected'].includes(entry.kind);

/** The token for the stream, if the server requires one; kept in memory only. */
let token = null;

/** Reopens the stream if it was refused, or opened with another token. */
export function useToken(value) {
  const isOther = token !== null || state.connection.isRefused;
  token = value;
  if (isOther) stream.retry();
}

export const stream = open('/v1/events?view=dashboard', handlers, (connection) => {
  const before = state.connection.status;
  changed({ connection });
  if (connection.status !== before) {
    announce(connection.status === 'live' ? 'Live' : 'Connection lost. Trying again.');
  }
}, () => token);

/** Fetches a document of this server, with the token if the page has one. */
export async function getJson(url) {
  const response = await fetch(url, {
    headers: token === null ? {} : { Authorization: `Bearer ${token}` }, credentials: 'omit', cache: 'no-store',
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return response.json();
}

// Displayed ages and waits advance without updates of the server.
setInterval(() => changed(), 1000);
