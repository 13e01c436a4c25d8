/** Checks the pages of a built site: every link, anchor and file has its target, and nothing comes from another origin. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Returns the faults, one line each. `skipped` is a directory that another tool has made; links to it are checked. */
export function faultsOf(html, base, skipped) {
  const faults = [];
  const anchors = new Map();
  for (const file of pagesIn(html, join(html, skipped))) {
    const text = readFileSync(file, 'utf8');
    const name = relative(html, file);
    for (const [, tag, attribute, value] of text.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
      if (/^(https?:)?\/\//.test(value)) {
        if (tag !== 'a') faults.push(`${name}: ${tag} loads ${value} from another origin`);
      } else if (!/^(mailto|data):/.test(value)) {
        const fault = faultOf(html, base, file, text, value.replaceAll('&amp;', '&'), anchors);
        if (fault) faults.push(`${name}: ${attribute} ${value} ${fault}`);
      }
    }
  }
  return faults;
}

function faultOf(html, base, file, text, value, anchors) {
  const [path, anchor] = value.split('#');
  let target = file;
  if (path) {
    const clean = decodeURIComponent(path.split('?')[0]);
    target = clean.startsWith(base) ? join(html, clean.slice(base.length)) : clean.startsWith('/') ? null : join(dirname(file), clean);
    if (target === null) return `is outside of ${base}`;
    if (existsSync(target) && statSync(target).isDirectory()) target = join(target, 'index.html');
    if (!existsSync(target)) return 'leads nowhere';
  }
  if (!anchor || !target.endsWith('.html')) return null;
  if (!anchors.has(target)) anchors.set(target, idsOf(target === file ? text : readFileSync(target, 'utf8')));
  return anchors.get(target).has(decodeURIComponent(anchor)) ? null : 'names an anchor that the page lacks';
}

function idsOf(text) {
  return new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
}

function* pagesIn(directory, skipped) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (path === skipped) continue;
    if (entry.isDirectory()) yield* pagesIn(path, skipped);
    else if (entry.name.endsWith('.html')) yield path;
  }
}
