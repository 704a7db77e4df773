/** The pages of docs/ as a site; the pages themselves are for the forge, which shows them as well. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitepress';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url));
/** Where the pages come from. Without it, the site has no links out of docs/. */
const { repository } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly repository?: string };

/** Pages that are not below a heading here are found below the last one. */
const SECTIONS: readonly (readonly [title: string, pages: readonly string[]])[] = [
  [
    'Start',
    ['first-hour', 'first-hour-github', 'one-shot', 'github-action', 'installing', 'enterprise-server'],
  ],
  [
    'How to',
    [
      'drafts',
      'channels',
      'variants',
      'rollouts',
      'gitops',
      'fleet',
      'policies',
      'sources',
      'processors',
      'oci',
    ],
  ],
  [
    'Reference',
    [
      'cli',
      'commands',
      'checks',
      'functions',
      'limits',
      'errors',
      'environment',
      'metrics',
      'api',
      'who-can-do-what',
    ],
  ],
];

const pages = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.slice(0, -'.md'.length));
const placed = new Set(SECTIONS.flatMap(([, names]) => names));
const others = pages.filter((name) => !placed.has(name));

// oxlint-disable-next-line import/no-default-export -- VitePress reads it
export default defineConfig({
  title: 'Portico',
  description:
    'Packages of Kubernetes configuration on a git forge: drafts are branches, proposals are pull requests, publishing is a merge plus a tag.',
  // A copy of docs/, which the scripts make: what is outside of this directory does not find Vue.
  srcDir: './pages',
  outDir: './dist',
  cleanUrls: true,
  // The first page is the one that tells what a package goes through.
  rewrites: { 'lifecycle.md': 'index.md' },
  markdown: {
    // Pages are written for the forge, where angle brackets are text and no element.
    html: false,
    config: (md) => {
      md.core.ruler.push('outside-links', (state) => {
        for (const token of state.tokens) leadOut(token.children ?? []);
      });
      // Two braces would be an expression of Vue.
      const plain = (text: string): string => md.utils.escapeHtml(text).replaceAll('{', '&#123;');
      md.renderer.rules.text = (tokens, at) => plain(tokens[at]?.content ?? '');
      md.renderer.rules.code_inline = (tokens, at) =>
        `<code v-pre>${plain(tokens[at]?.content ?? '')}</code>`;
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, at, ...others) => {
        const { info, content } = tokens[at] ?? {};
        if (info?.trim() === 'mermaid')
          return `<Diagram source="${md.utils.escapeHtml(encodeURIComponent(content ?? ''))}" />`;
        return fence?.(tokens, at, ...others) ?? '';
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    ...(repository !== undefined && {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: { pattern: `${repository}/edit/main/docs/:path` },
    }),
    sidebar: [...SECTIONS, ['More', others] as const].map(([text, names]) => ({
      text,
      items: names
        .filter((name) => pages.includes(name))
        .map((name) => ({ text: titleOf(name), link: name === 'lifecycle' ? '/' : `/${name}` })),
    })),
  },
});

interface Token {
  readonly type: string;
  tag: string;
  attrs: [string, string][] | null;
  attrGet(name: string): string | null;
}

/** Links to files outside of docs/, and to schemas, lead to the repository; without one, their text stays. */
function leadOut(tokens: readonly Token[]): void {
  let isInside = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const path = pathOf(token.attrGet('href') ?? '');
      isInside = path !== undefined;
      if (path === undefined) continue;
      token.attrs = repository === undefined ? null : [['href', `${repository}/blob/main/${path}`]];
    }
    if (isInside && repository === undefined && /^link_(?:open|close)$/.test(token.type)) token.tag = 'span';
    if (token.type === 'link_close') isInside = false;
  }
}

/** Of what is no page: its path in the repository. */
function pathOf(href: string): string | undefined {
  if (href.startsWith('../')) return href.slice('../'.length);
  return /^[\w-]+\.(?:schema\.)?json$/.test(href) ? `docs/${href}` : undefined;
}

function titleOf(name: string): string {
  const text = readFileSync(`${DOCS}${name}.md`, 'utf8');
  return (/^# (.+)$/m.exec(text)?.[1] ?? name).replaceAll('`', '');
}
