import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { navigation } from '../navigation.mjs';

const docs = process.env.WEIR_DOCS;
const hasJavadoc = existsSync(join(import.meta.dirname, '..', 'javadoc'));

/** The address of a file that docs/README.md links to. */
function address(file) {
  const [path, anchor] = file.split('#');
  const outside = { '../README.md': 'overview.md', '../CONTRIBUTING.md': 'contributing.md', '../CHANGELOG.md': 'changes.md', '../SECURITY.md': 'reporting.md' };
  const page = (outside[path] ?? path).replace(/README\.md$/, '').replace(/\.md$/, '');
  return `/${page}${anchor ? `#${anchor}` : ''}`;
}

const sections = navigation(docs);
const sidebar = sections.map(({ text, items }, index) => ({
  text,
  collapsed: index > 1,
  items: items.map(item => ({ text: item.text, link: address(item.file) })),
}));
if (hasJavadoc) {
  sidebar.find(section => section.text === 'Reference').items.push({ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' });
}

/** GitHub's anchors, so that links work in both places. */
function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}

export default defineConfig({
  title: 'Weir',
  description: 'Rate limiting that is exact, fast, and the same everywhere',
  lang: 'en',
  base: '/docs/',
  srcDir: 'pages',
  outDir: 'html',
  cacheDir: 'cache',
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  vite: { build: { chunkSizeWarningLimit: 4000 } }, // the search index is one chunk
  ignoreDeadLinks: [/\/javadoc\//],
  markdown: {
    html: false,
    anchor: { slugify },
    languageAlias: { caddy: 'nginx' },
    config(md) {
      // Text is never a template of Vue.
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Configuration', link: '/configuration' },
      ...(hasJavadoc ? [{ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }] : []),
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    footer: { message: 'Apache License 2.0' },
  },
});
