import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { MarkdownOptions } from '../../src/web/markdown-inline.ts';
import { markdown } from '../../src/web/markdown.ts';

/** The HTML of a text, without the white space between tags. */
const render = async (text: string, options?: MarkdownOptions): Promise<string> =>
  String(await markdown(text, options))
    .replaceAll(/>\s+</g, '><')
    .trim();

/** Every tag and attribute that may come out. */
const NAMES =
  'p|ul|li|ol|blockquote|em|strong|del|code|sub|sup|kbd|details|summary|div|table|thead|tbody|tr|th|td|h[3-6]|pre|a';
const TAG = new RegExp(
  `^<(?:/?(?:${NAMES})|[bh]r /|ol start="\\d+"|details open|th scope="col"|pre tabindex="0"|` +
    'div class="scroll" tabindex="0" role="group" aria-label="Table"|' +
    'a href="(?:(?:https?|mailto):[^"<>]*|[^":<>]*)" rel="nofollow noreferrer")>$',
);

function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>?/g) ?? [];
}

describe('what people and bots write', () => {
  test.each([
    ['### Title #', '<h5>Title</h5>'],
    ['# C#', '<h3>C#</h3>'],
    ['one\ntwo', '<p>one<br />two</p>'],
    [
      '**bold** *it* _it_ ~~gone~~ snake_case_name',
      '<p><strong>bold</strong><em>it</em><em>it</em><del>gone</del> snake_case_name</p>',
    ],
    ['`a < b` ``x ` y``', '<p><code>a &lt; b</code><code>x ` y</code></p>'],
    [
      '```yaml\na: <b>\n\n# no title\n```\nafter',
      '<pre tabindex="0"><code>a: &lt;b&gt;\n\n# no title</code></pre><p>after</p>',
    ],
    ['~~~\nopen to the end', '<pre tabindex="0"><code>open to the end</code></pre>'],
    [
      '- one\n- two\n  - inner\n- [x] done',
      '<ul><li>one </li><li>two <ul><li>inner </li></ul></li><li>☑ done </li></ul>',
    ],
    ['3. three\n4. four', '<ol start="3"><li>three </li><li>four </li></ol>'],
    ['> said\n> so', '<blockquote><p>said<br />so</p></blockquote>'],
    ['a\n\n---\n\nb', '<p>a</p><hr /><p>b</p>'],
    ['x <sub>y</sub> <code>/portico help</code>', '<p>x <sub>y</sub><code>/portico help</code></p>'],
    ['a &lt;b&gt; &amp; c', '<p>a &lt;b&gt; &amp; c</p>'],
    ['\\*no\\* \\<b\\>', '<p>*no* &lt;b&gt;</p>'],
    ['<!-- marker -->\nshown', '<p>shown</p>'],
    ['a <!-- hidden\nstill --> b', '<p>a  b</p>'],
    ['<!-- never closed\n\nhidden', ''],
  ])('%j', async (text, expected) => {
    expect(await render(text)).toBe(expected);
  });

  test('a table, with bars in code', async () => {
    const html = await render('| a | b |\n| --- | :-: |\n| `x\\|y` | <i>two</i> |\n\nafter');
    expect(html).toContain('<th scope="col">a</th><th scope="col">b</th>');
    expect(html).toContain('<td><code>x|y</code></td><td><em>two</em></td>');
    expect(html).toContain('<p>after</p>');
  });

  test('details hold Markdown, also in one another and around fences that speak of them', async () => {
    const html = await render(
      '<details><summary>What <code>a</code></summary>\n\n- **x**\n\n```\n</details>\n```\n\n<details>\n<summary>in</summary>\n\ny\n\n</details>\n\n</details>\n\nafter',
    );
    expect(html).toBe(
      '<details><summary>What <code>a</code></summary><div><ul><li><strong>x</strong></li></ul>' +
        '<pre tabindex="0"><code>&lt;/details&gt;</code></pre><details><summary>in</summary><div><p>y</p></div></details>' +
        '</div></details><p>after</p>',
    );
  });

  test('links to the web, to places of the repository, to issues', async () => {
    const options = { repository: '/acme/app', base: '/acme/app/blob/main/docs/' };
    const html = await render(
      '[`v1`](https://x.test/a_(b)) <https://y.test> https://z.test/q?a=1&b=2. #12 acme/other#3 [doc](more.md) [up](/acme)',
      options,
    );
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1]);
    expect(hrefs).toEqual([
      'https://x.test/a_(b)',
      'https://y.test',
      'https://z.test/q?a=1&amp;b=2',
      '/acme/app/issues/12',
      '/acme/other/issues/3',
      '/acme/app/blob/main/docs/more.md',
      '/acme',
    ]);
    expect(html).toContain('>acme/other#3</a>');
  });

  test('in a file a line break is none', async () => {
    expect(await render('one\ntwo', { breaks: false })).toBe('<p>one\ntwo</p>');
  });
});

describe('what attackers write', () => {
  const ATTACKS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg/onload=alert(1)>',
    '<details open ontoggle=alert(1)>x</details>',
    '<details><summary onclick=alert(1)>x</summary></details>',
    '<sub onclick=alert(1)>x</sub>',
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\tscript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](https://a.test/"onmouseover="alert(1))',
    '![x](javascript:alert(1))',
    '<javascript:alert(1)>',
    '<https://a.test/"onmouseover=alert(1)>',
    'https://a.test/"onmouseover="alert(1)',
    '`<script>alert(1)</script>`',
    '```"><script>alert(1)</script>\n"><script>\n```',
    '# <iframe src=//evil.test>',
    '| <script> |\n| --- |\n| </td><script>alert(1)</script> |',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '<<b>script>alert(1)<</b>/script>',
    '<style>*{display:none}</style>',
    '</div></main><form action=//evil.test>',
    '- <b>\n- </b><script>',
    '\0<scr\0ipt>alert(1)</script>',
  ];

  test.each(ATTACKS)('%j', async (attack) => {
    const html = await render(attack);
    expect(tagsOf(html).filter((tag) => !TAG.test(tag))).toEqual([]);
    expect(html).not.toMatch(/href="(?!https?:|mailto:)[^"]*:/i);
  });

  test('any mixture gives known tags alone, each closed', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.constantFrom(
        '**',
        '_',
        '`',
        '```',
        '\n',
        '\n\n',
        '- ',
        '1. ',
        '> ',
        '| a |',
        '| - |',
        '<details>',
        '</details>',
      ),
      fc.constantFrom(
        '<summary>',
        '</summary>',
        '<sub>',
        '</sub>',
        '<!--',
        '-->',
        '[a](',
        ')',
        '"',
        "'",
        '<',
        '>',
        '&',
        '#1',
      ),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const html = await render(pieces.join(''), { repository: '/a/b' });
        const open: string[] = [];
        for (const tag of tagsOf(html)) {
          expect(tag).toMatch(TAG);
          const name = /^<\/?([a-z0-9]+)/.exec(tag)?.[1] ?? '';
          if (tag.startsWith('</')) expect(open.pop()).toBe(name);
          else if (!tag.endsWith('/>')) open.push(name);
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '*a '.repeat(20_000),
    '**'.repeat(30_000),
    '_'.repeat(60_000),
    '`'.repeat(60_000),
    Array.from({ length: 340 }, (_, index) => '`'.repeat(index + 1)).join(' '),
    '['.repeat(60_000),
    '[a]('.repeat(16_000),
    '<sub>'.repeat(12_000),
    '<details>\n'.repeat(6000),
    '<!--'.repeat(16_000),
    '> '.repeat(30_000),
    '- '.repeat(30_000),
    '- ```\n'.repeat(10_000),
    `${'|'.repeat(20_000)}\n${'|-'.repeat(20_000)}`,
    `|a|\n|-|\n${'|\n'.repeat(25_000)}`,
    `# ${'# '.repeat(30_000)}x`,
    'http://'.repeat(9000),
    '#1'.repeat(30_000),
    '&amp'.repeat(16_000),
    ' '.repeat(60_000),
  ])('a text made to be slow (%#) is rendered, and not to more than a few times its length', async (text) => {
    expect(String(await markdown(text, { repository: '/a/b' })).length).toBeLessThan(40 * text.length + 1000);
  });
});
