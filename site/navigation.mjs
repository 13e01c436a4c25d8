/** The navigation: the sections of docs/README.md and the links of their lists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Guides of gateways, which appear in the navigation as soon as their files exist. */
const GATEWAYS = ['gateways', 'nginx', 'caddy', 'traefik', 'haproxy', 'envoy', 'spring-cloud-gateway'];

/** Returns the sections in order, each with its links: `{ text, items: [{ text, file }] }`. */
export function navigation(docs) {
  const sections = [];
  for (const line of readFileSync(join(docs, 'README.md'), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line);
    const link = /^- \[([^\]]+)\]\(([^)\s]+)\)/.exec(line);
    if (heading) sections.push({ text: heading[1], items: [] });
    else if (link && sections.length > 0) sections.at(-1).items.push({ text: link[1], file: link[2] });
  }
  addUnlisted(docs, sections);
  return sections;
}

function addUnlisted(docs, sections) {
  const listed = new Set(sections.flatMap(section => section.items.map(item => item.file)));
  const gateways = sections.find(section => section.text === 'Gateways');
  for (const name of GATEWAYS) {
    const file = `${name}.md`;
    if (gateways && !listed.has(file) && existsSync(join(docs, file))) {
      gateways.items.push({ text: titleOf(join(docs, file)), file });
    }
  }
}

/** The text of the first heading of a document. */
export function titleOf(file) {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? file;
}
