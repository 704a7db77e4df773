/** The pages of docs/ as a site; the pages themselves are for the forge, which shows them as well. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitepress';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const SOURCE = 'https://github.com/portico/portico/blob/main';

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
        for (const token of state.tokens) for (const child of token.children ?? []) lead(child);
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
    socialLinks: [{ icon: 'github', link: 'https://github.com/portico/portico' }],
    editLink: { pattern: 'https://github.com/portico/portico/edit/main/docs/:path' },
    sidebar: [...SECTIONS, ['More', others] as const].map(([text, names]) => ({
      text,
      items: names
        .filter((name) => pages.includes(name))
        .map((name) => ({ text: titleOf(name), link: name === 'lifecycle' ? '/' : `/${name}` })),
    })),
  },
});

/** What is outside of docs/ is on the forge. */
function lead(token: {
  type: string;
  attrGet(name: string): string | null;
  attrSet(name: string, to: string): void;
}): void {
  const href = token.type === 'link_open' ? token.attrGet('href') : null;
  if (href?.startsWith('../') === true) token.attrSet('href', `${SOURCE}/${href.slice('../'.length)}`);
  else if (href !== null && /^[\w-]+\.(?:schema\.)?json$/.test(href))
    token.attrSet('href', `${SOURCE}/docs/${href}`);
}

function titleOf(name: string): string {
  const text = readFileSync(`${DOCS}${name}.md`, 'utf8');
  return (/^# (.+)$/m.exec(text)?.[1] ?? name).replaceAll('`', '');
}
