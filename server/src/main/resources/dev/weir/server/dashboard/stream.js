/**
 * The event stream, reopened whenever it ends: after half a second at first, after five at most, with jitter so that
 * many pages do not return at once. A silent stream counts as ended.
 *
 * It is read by fetch, not by EventSource, which can neither send a token nor report why it was refused.
 */
const SILENT_MILLIS = 8000;
const FIRST_WAIT_MILLIS = 500;
const LONGEST_WAIT_MILLIS = 5000;

export function open(url, handlers, onConnection, token) {
  let abort = null;
  let wait = FIRST_WAIT_MILLIS;
  let timer = 0;
  let connection = { status: 'connecting', heardAt: 0, retryAt: 0 };

  const tell = (patch) => {
    connection = { ...connection, ...patch };
    onConnection(connection);
  };

  function connect() {
    clearTimeout(timer);
    abort?.abort();
    const own = new AbortController();
    abort = own;
    watch();
    read(own).then(lost, lost).catch(() => {});

    function lost() {
      if (abort === own && !own.signal.aborted) ended();
    }
  }

  async function read(own) {
    const given = token();
    const response = await fetch(url, {
      headers: { Accept: 'text/event-stream', ...(given && { Authorization: `Bearer ${given}` }) },
      credentials: 'omit',
      cache: 'no-store',
      signal: own.signal,
    });
    if (!response.ok) {
      if (response.status === 401 || response.status === 403) tell({ isRefused: true });
      return;
    }
    tell({ isRefused: false });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split('\n\n');
      rest = events.pop();
      events.forEach(hear);
    }
  }

  function hear(event) {
    const lines = event.split('\n');
    const field = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join('\n');
    const handle = handlers[field('event')];
    if (!handle) return;
    handle(JSON.parse(field('data')));
    wait = FIRST_WAIT_MILLIS;
    watch();
    tell({ status: 'live', heardAt: Date.now(), retryAt: 0 });
  }

  function watch() {
    clearTimeout(timer);
    timer = setTimeout(ended, SILENT_MILLIS);
  }

  function ended() {
    abort?.abort();
    clearTimeout(timer);
    const pause = wait * (0.75 + Math.random() / 2);
    wait = Math.min(wait * 2, LONGEST_WAIT_MILLIS);
    timer = setTimeout(connect, pause);
    tell({ status: 'lost', retryAt: Date.now() + pause });
  }

  /** Ends the stream for good. */
  function close() {
    clearTimeout(timer);
    abort?.abort();
    abort = null;
  }

  connect();
  return { retry: connect, close };
}
