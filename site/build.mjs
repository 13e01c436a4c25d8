/**
 * Builds the site: node build.mjs REPOSITORY [PORT]. Runs in a copy of this directory that has node_modules, and leaves
 * the site in html/. Exits with 1 and a list of faults if a link leads nowhere. With a port, serves the site there.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync, cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, serve } from 'vitepress';
import { faultsOf } from './check.mjs';
import { writePages } from './pages.mjs';

/** The packages whose code is part of the pages. */
const BUNDLED = ['vitepress', 'vue', '@vue/shared', '@vueuse/core', '@vueuse/integrations', '@vueuse/shared', 'focus-trap', 'mark.js', 'minisearch', 'tabbable'];
const BASE = '/docs/';
const here = dirname(fileURLToPath(import.meta.url));
const [root, port] = process.argv.slice(2);
const html = join(here, 'html');

process.env.WEIR_DOCS = join(root, 'docs');
const pages = writePages(root, join(here, 'pages'));
cpSync(join(root, 'server/src/main/resources/dev/weir/server/dashboard/icon.svg'), join(here, 'pages/public/icon.svg'));
await build(here);
moveScripts(html);
writeLicences();
if (existsSync(join(here, 'javadoc'))) cpSync(join(here, 'javadoc'), join(html, 'javadoc'), { recursive: true });
const faults = faultsOf(html, BASE, 'javadoc');
if (faults.length > 0) {
  console.error(faults.join('\n'));
  console.error(`${faults.length} faults`);
  process.exit(1);
}
console.log(`${pages} pages, every link and anchor checked`);
if (port) await serve({ root: here, port: Number(port) });

/** Writes the licences of the code that the pages contain. Javadoc has its own, in javadoc/legal. */
function writeLicences() {
  const texts = BUNDLED.map(name => {
    const directory = join(here, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const file = readdirSync(directory).find(entry => /^licen[cs]e/i.test(entry));
    return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(directory, file), 'utf8').trim() : ''}\n`;
  });
  writeFileSync(join(html, 'THIRD-PARTY.txt'), `These pages contain code of the following packages.\n\n${texts.join('\n')}`);
}

/** Moves inline scripts to files, so that a server may forbid inline scripts. */
function moveScripts(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) moveScripts(path);
    else if (entry.name.endsWith('.html')) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]+?)<\/script>/g, (whole, script) => {
        const name = `assets/inline-${createHash('sha256').update(script).digest('hex').slice(0, 12)}.js`;
        writeFileSync(join(html, name), script);
        return `<script src="${BASE}${name}"></script>`;
      }));
    }
  }
}
