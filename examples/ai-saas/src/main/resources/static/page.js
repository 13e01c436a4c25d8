/** Sends requests as a member, and shows the remaining budgets. */
import { fetchWithRateLimit, RateLimitError } from './client/weir-client.js';

const of = (id) => document.getElementById(id);
const headers = () => ({ 'Content-Type': 'application/json', Authorization: `Bearer token-of-${of('member').value}` });

async function ask() {
  of('answer').textContent = '';
  try {
    const response = await fetchWithRateLimit('/api/ai/completions', {
      method: 'POST', headers: headers(), body: JSON.stringify({ prompt: of('prompt').value, maxTokens: 200 }),
    });
    await showTokens(response);
  } catch (failure) {
    of('answer').textContent = failure instanceof RateLimitError && failure.retryAfterSecs !== null
      ? `${failure.message} (${failure.retryAfterSecs} s)`
      : failure.message;
  }
  await showLimits();
}

/** Reads the server-sent events of a POST: one for each token, and a last one with the number of tokens used. */
async function showTokens(response) {
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? '';
      of('answer').textContent += event.startsWith('event: done') ? ` — ${data} tokens` : `${data} `;
    }
  }
}

async function showLimits() {
  const response = await fetch('/api/rate-limits', { headers: headers() });
  if (!response.ok) return;
  const { limits } = await response.json();
  of('limits').replaceChildren(...limits.map(({ resource, remaining, limit, window }) => {
    const row = document.createElement('tr');
    row.append(...[resource, remaining, limit, window].map((text) => {
      const cell = document.createElement('td');
      cell.textContent = text;
      return cell;
    }));
    return row;
  }));
}

of('form').addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
of('member').addEventListener('change', showLimits);
showLimits();
