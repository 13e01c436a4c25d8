/**
 * The worker: authorizes each request by the secret and forwards it to its Durable Object.
 *
 *   GET  /v1/health                          ok
 *   POST /v1/shards/{0..127}                 a call, see call.js
 *   POST /v1/shards/{0..127}/notes           a note, see notes.js
 *   POST /v1/shards/{0..127}/sweep           a sweep; only in tests
 *   GET  /v1/settings/{prefix}               the settings, see settings.js
 *   PUT  /v1/settings/{prefix}
 *   GET  /v1/settings/{prefix}/changes
 */

import { PROTOCOL, told } from './http.js';
import { isAuthorized } from './token.js';

export { WeirSettings } from './settings.js';
export { WeirShard } from './shard.js';

const SHARDS = 128;
const ROUTE = /^\/v1\/(health|shards\/(\d{1,3})(\/notes|\/sweep)?|settings\/([A-Za-z0-9._:-]{1,64})(\/changes)?)$/;

export default {
  async fetch(request, env) {
    if (!env.WEIR_TOKEN) return told(503, 'the secret WEIR_TOKEN is not set; without it nobody is let in');
    if (!await isAuthorized(request, env.WEIR_TOKEN)) {
      return told(401, 'the token is missing or wrong', { 'WWW-Authenticate': 'Bearer' });
    }
    const protocol = request.headers.get('Weir-Protocol') ?? PROTOCOL;
    if (protocol !== PROTOCOL) return told(400, `the worker speaks version ${PROTOCOL} of the protocol and no other`);
    return route(request, env);
  },
};

function route(request, env) {
  const [, found, shard, part, prefix, changes] = ROUTE.exec(pathOf(request)) ?? [];
  const isTimed = env.WEIR_TEST_CLOCK === 'on';
  if (found === undefined || Number(shard ?? 0) >= SHARDS || (part === '/sweep' && !isTimed)) return told(404, 'there is nothing here');
  const methods = allowed(shard, prefix, changes);
  if (!methods.includes(request.method)) return told(405, 'this cannot be done here', { Allow: methods.join(', ') });
  if (shard) return forwarded(request, env.WEIR_SHARDS, `shard-${Number(shard)}`);
  if (prefix) return forwarded(request, env.WEIR_SETTINGS, prefix);
  return told(200, 'ok');
}

function allowed(shard, prefix, changes) {
  if (shard) return ['POST'];
  return prefix && !changes ? ['GET', 'PUT'] : ['GET'];
}

/** The path of a request, with escaped colons of a prefix decoded. */
function pathOf(request) {
  return new URL(request.url).pathname.replace(/%3a/gi, ':');
}

/** Forwards a request. An object that is overloaded, moving or just replaced fails; a later request reaches it. */
async function forwarded(request, namespace, name) {
  try {
    return await namespace.get(namespace.idFromName(name)).fetch(request);
  } catch (e) {
    console.error(`${name} failed: ${e.stack ?? e}`);
    return told(503, 'the object failed or could not be reached; ask again', { 'Retry-After': '1' });
  }
}
