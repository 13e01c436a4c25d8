/** Sends requests to the server of this page, as an application would to its own server. */
import { createFetch, fetchWithRateLimit, RateLimitError } from './weir-client.js';

const MOST_LINES = 10;
const patientFetch = createFetch({ retries: 3 });
const log = document.getElementById('log');

function attributes() {
  return Object.fromEntries(document.getElementById('attributes').value.trim().split(/\s+/).map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1)];
  }));
}

async function ask(send) {
  try {
    const response = await send('/v1/check', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ attributes: attributes() }),
    });
    say(response.ok ? 'Allowed' : `Failed: ${(await problem(response)).message ?? `the server answered ${response.status}`}`);
  } catch (failure) {
    say(failure instanceof RateLimitError ? `Denied: ${failure.message}` : `Failed: ${failure.message}`);
  }
}

const problem = (response) => response.json().catch(() => ({}));

function say(text) {
  const line = document.createElement('li');
  line.textContent = `${new Date().toLocaleTimeString('en', { hourCycle: 'h23' })}  ${text}`;
  log.prepend(line);
  while (log.children.length > MOST_LINES) log.lastChild.remove();
}

document.getElementById('form').addEventListener('submit', (event) => {
  event.preventDefault();
  ask(fetchWithRateLimit);
});
document.getElementById('ten').addEventListener('click', () => {
  for (let i = 0; i < 10; i++) ask(fetchWithRateLimit);
});
document.getElementById('patient').addEventListener('click', () => ask(patientFetch));
