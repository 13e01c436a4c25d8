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
  /** The newest overview, also while the page is paused: for what must not be missed. */
  newest: null,
  /** When the page was paused, in milliseconds by the server's clock; 0 while it is not. */
  pausedAt: 0,
  rules: null,
  history: { latestAt: 0, slotSecs: 5, series: {} },
  notable: [],
  /** Alerts by id. */
  incidents: new Map(),
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

/** Keeps a choice of the user beyond a reload; without storage, as in some private windows, it is lost. */
export function keep(name, value) {
  try {
    localStorage.setItem(`weir-${name}`, value);
  } catch {
    // The page works without.
  }
}

/** Returns a choice that was kept; null without one. */
export function kept(name) {
  try {
    return localStorage.getItem(`weir-${name}`);
  } catch {
    return null;
  }
}

/** Alerts are numbered since recording began. */
export function readAlerts() {
  state.alertsReadTo = state.notable[0]?.number ?? 0;
  if (state.overview) keep('alerts-read', `${state.overview.recorded_since}:${state.alertsReadTo}`);
  changed();
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
    state.incidents.clear();
    state.mostSubjects = data.most_subjects;
    state.keptSecs = data.kept_secs;
    state.history = { latestAt: data.latest_at, slotSecs: data.slot_secs, series: seriesOf(data) };
  },
  rules(data) {
    state.rules = data;
  },
  overview(data) {
    if (state.overview?.recorded_since !== data.recorded_since) {
      const [since, number] = (kept('alerts-read') ?? '').split(':');
      state.alertsReadTo = Number(since) === data.recorded_since ? Number(number) : 0;
    }
    state.overview = data;
    extendChart(data.newest);
  },
  notable(data) {
    state.notable = [...data.entries.reverse(), ...state.notable].slice(0, MOST_NOTABLE);
    if (location.hash.startsWith('#/alerts')) readAlerts();
  },
  incidents(data) {
    data.incidents.forEach((incident) => state.incidents.set(incident.id, incident));
  },
  subjects(data) {
    data.subjects.forEach(takeSubject);
    state.subjectsVersion++;
    forgetSubjects();
  },
};

const seriesOf = (data) => Object.fromEntries(Object.entries(data).filter(([, values]) => Array.isArray(values)));

/** The last two slots arrive each second; slots between them and the known ones had no requests. */
function extendChart(newest) {
  const { history } = state;
  const steps = Math.min(CHART_SLOTS, Math.max(0, Math.round((newest.latest_at - history.latestAt) / history.slotSecs)));
  for (const [name, latest] of Object.entries(seriesOf(newest))) {
    const values = history.series[name] ??= [];
    for (let i = 0; i < steps; i++) values.push(0);
    values.splice(0, Math.max(0, values.length - CHART_SLOTS));
    latest.forEach((value, i) => {
      values[values.length - latest.length + i] = value;
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
  const { violations, all: allViolations, consecutive, until, seen, denied, denied_by: deniedBy = [] } = news;
  Object.assign(subject, { revision: state.subjectsVersion, violations, allViolations, consecutive, until, seen, denied, deniedBy, used: 0 });
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

export const isStoreDown = () => state.newest !== null && !state.newest.store.available;

/**
 * The state of a subject, by the server's clock. `until` is in seconds; 0 if it is not known.
 *
 *   unknown   the store does not answer
 *   off       limiting is off
 *   exempt    no limit applies
 *   refused   its next request is refused: a budget is empty, or a wait is enforced
 *   advised   its last refusal named a wait, which is not enforced and has not passed
 *   lately    refused within the last minute, without a wait
 *   recorded  its violations in a row still count
 *   fine      none of these
 */
export function standingOf(subject) {
  // Sorting calls this many times for each subject; the state changes at most once a second.
  const { overview, rules } = state;
  const second = Math.floor(now() / 1000);
  const known = subject.known;
  if (known?.second === second && known.revision === subject.revision && known.overview === overview && known.rules === rules) {
    return known.standing;
  }
  const standing = computeStanding(subject, now() / 1000);
  subject.known = { second, revision: subject.revision, overview, rules, standing };
  return standing;
}

function computeStanding(subject, second) {
  if (!state.rules.enabled) return { kind: 'off', until: 0 };
  if (subject.exempt) return { kind: 'exempt', until: 0 };
  if (isStoreDown()) return { kind: 'unknown', until: 0 };
  const wait = waitOf(subject);
  const isWaiting = wait > second;
  if (isWaiting && state.rules.penalty.enforce) return { kind: 'refused', until: wait };
  if (subject.budgets.some(isEmpty)) return { kind: 'refused', until: 0 };
  if (isWaiting) return { kind: 'advised', until: wait };
  if (subject.denied > second - 60 && subject.consecutive === 0) return { kind: 'lately', until: 0 };
  if (subject.consecutive > 0 && subject.until > second) return { kind: 'recorded', until: subject.until };
  return { kind: 'fine', until: 0 };
}

const isEmpty = (budget) => !budget.shadow && budget.remaining === 0;

/** When the wait of the subject's last refusal ends, in seconds; 0 without one. */
function waitOf({ consecutive, until }) {
  const { penalty } = state.rules;
  if (penalty === null || !(consecutive > 0)) return 0;
  return until - penalty.reset_after_secs + penalty.backoff_secs[Math.min(consecutive, penalty.backoff_secs.length) - 1];
}

export const isRefused = (subject) => standingOf(subject).kind === 'refused';

/** Whether the subject is being refused, or was within the last minute. */
export const isLimited = (subject) => ['refused', 'advised', 'lately'].includes(standingOf(subject).kind);

/** The entries that were not read yet. Alerts that are muted, or that somebody has acknowledged, do not count. */
export const alertCount = () =>
  state.notable.filter((entry) => isAlarming(entry) && entry.number > state.alertsReadTo && !isHandled(incidentOf(entry))).length;

const isHandled = (incident) => incident !== undefined && (isMuted(incident) || incident.acknowledged_by !== null);

export const isMuted = (incident) => incident.muted_until !== null && incident.muted_until > now();

/** The incident that an entry about an alert began. */
const incidentOf = (entry) =>
  (entry.kind === 'alert' ? [...state.incidents.values()].find((one) => one.name === entry.name && keyText(one.subject) === keyText(entry.subject)) : undefined);

const keyText = (subject) => JSON.stringify(Object.entries(subject).sort());

export const isAlarming = (entry) => ['alert', 'store_unavailable', 'configuration_rejected'].includes(entry.kind);

/** What is shown while the page is paused; rules and the state of the server are still followed. */
const PAUSED = ['history', 'notable', 'incidents', 'subjects', 'overview'];

/** Handles an event of the stream. What comes while the page is paused is read anew when it goes on. */
function handle(name, data) {
  if (name === 'overview') {
    state.newest = data;
    state.aheadMillis = data.now - Date.now();
  }
  if (state.pausedAt === 0 || !PAUSED.includes(name)) handlers[name](data);
}

export function pause() {
  changed({ pausedAt: now() });
  announce('Paused');
}

export function goOn() {
  changed({ pausedAt: 0 });
  announce('Live');
  stream.retry();
}

/** The token for the stream, if the server requires one; kept in memory only. */
let given = null;

export const token = () => given;

/** Reopens the stream if it was refused, or opened with another token. */
export function useToken(value) {
  const isOther = given !== null || state.connection.isRefused;
  given = value;
  if (isOther) stream.retry();
}

const following = Object.fromEntries(Object.keys(handlers).map((name) => [name, (data) => handle(name, data)]));

export const stream = open('/v1/events?view=dashboard', following, (connection) => {
  const before = state.connection.status;
  changed({ connection });
  if (connection.status !== before) {
    announce(connection.status === 'live' ? 'Live' : 'Connection lost. Trying again.');
  }
}, token);

/** Reads JSON of the server; throws with its message. */
export const read = (path) => call(path, {});

/** Reads a text of the server; throws with its message. */
export const readText = (path) => call(path, {}, (response) => response.text());

/** Sends JSON to the server and returns its answer. */
export const send = (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) });

async function call(path, options, content = (response) => response.json()) {
  const headers = { ...(given && { Authorization: `Bearer ${given}` }), ...(options.body && { 'Content-Type': 'application/json' }) };
  let response;
  try {
    response = await fetch(path, { ...options, headers, credentials: 'omit', cache: 'no-store' });
  } catch {
    throw new Error('The server does not answer.');
  }
  if (response.ok) return content(response);
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.message ?? `The server answered ${response.status}.`);
}

// Displayed ages and waits advance without updates of the server.
setInterval(() => changed(), 1000);
