/** Copies the documents to the directory that VitePress reads, with links that lead to pages of the site. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix, relative } from 'node:path';

/** Documents outside of docs/, and their pages. */
const OTHERS = {
  'README.md': 'overview.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changes.md',
  'SECURITY.md': 'reporting.md',
};

/** The page of every document, by its path in the repository. */
export function pagesOf(root) {
  const pages = new Map();
  for (const [document, page] of Object.entries(OTHERS)) {
    if (existsSync(join(root, document))) pages.set(document, page);
  }
  for (const file of filesOf(join(root, 'docs'))) {
    const path = relative(root, file);
    if (extname(path) === '.md') {
      pages.set(path, path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md'));
    }
  }
  for (const name of readdirSync(join(root, 'examples'))) {
    const document = `examples/${name}/README.md`;
    if (existsSync(join(root, document))) pages.set(document, `examples/${name}.md`);
  }
  return pages;
}

/** Writes all pages, and the files that they link to or show. */
export function writePages(root, target) {
  rmSync(target, { recursive: true, force: true });
  const pages = pagesOf(root);
  const files = new Set();
  for (const [document, page] of pages) {
    const text = withLinks(readFileSync(join(root, document), 'utf8'), { root, document, page, pages, files });
    write(join(target, page), text);
  }
  for (const file of files) {
    const place = file.replace(/^docs\//, '');
    const copy = join(target, /\.(png|svg)$/.test(file) ? place : join('public', place));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(join(root, file), copy);
  }
  return pages.size;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function* filesOf(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else yield path;
  }
}

/** Rewrites the links of a document, except in blocks of code. */
function withLinks(text, place) {
  return text.split(/(^```[\s\S]*?^```$)/m)
    .map(part => (part.startsWith('```') ? part : part.replace(/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (whole, mark, label, target) => link(whole, mark, label, target, place))))
    .join('');
}

/** A document's link becomes a page's; another file of docs/ is copied; of everything else only the label stays. */
function link(whole, mark, label, target, { root, document, page, pages, files }) {
  if (/^(https?:|mailto:|#)/.test(target)) return whole;
  const [path, anchor] = target.split('#');
  let found = posix.normalize(posix.join(posix.dirname(document), path)).replace(/\/$/, '');
  if (!pages.has(found) && pages.has(`${found}/README.md`)) found += '/README.md';
  const to = pages.get(found) ?? (isFile(join(root, found)) && found.startsWith('docs/') ? copied(found, files) : null);
  if (to === null) return mark ? '' : label;
  const address = posix.relative(posix.dirname(page), to);
  return `${mark}[${label}](./${address}${anchor ? `#${anchor}` : ''})`.replace('(./..', '(..');
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}

function copied(file, files) {
  files.add(file);
  return file.replace(/^docs\//, '');
}
