/**
 * The event stream, opened again whenever it ends: after half a second at first, after five at most, a little apart so
 * that many pages do not come back at once. A stream that has gone silent counts as ended.
 */
const SILENT_MILLIS = 8000;
const FIRST_WAIT_MILLIS = 500;
const LONGEST_WAIT_MILLIS = 5000;

export function open(url, handlers, onConnection) {
  let source = null;
  let wait = FIRST_WAIT_MILLIS;
  let timer = 0;
  let connection = { status: 'connecting', heardAt: 0, retryAt: 0 };

  const tell = (patch) => {
    connection = { ...connection, ...patch };
    onConnection(connection);
  };

  function connect() {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(url);
    source.onerror = lost;
    for (const [type, handle] of Object.entries(handlers)) {
      source.addEventListener(type, (event) => {
        handle(JSON.parse(event.data));
        wait = FIRST_WAIT_MILLIS;
        watch();
        tell({ status: 'live', heardAt: Date.now(), retryAt: 0 });
      });
    }
    watch();
  }

  function watch() {
    clearTimeout(timer);
    timer = setTimeout(lost, SILENT_MILLIS);
  }

  /** EventSource would try again by itself, but not after an answer that is an error. */
  function lost() {
    source?.close();
    clearTimeout(timer);
    const pause = wait * (0.75 + Math.random() / 2);
    wait = Math.min(wait * 2, LONGEST_WAIT_MILLIS);
    timer = setTimeout(connect, pause);
    tell({ status: 'lost', retryAt: Date.now() + pause });
  }

  connect();
  return { retry: connect };
}
