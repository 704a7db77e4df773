import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { mayHoldCommands, parseComment } from '../../src/command/parse.ts';

/** `verb rest` of each command; a refused line as its code. */
function read(body: string): string[] {
  const parsed = parseComment(body);
  if (parsed.kind === 'refuse') return [`!${parsed.code}`];
  return parsed.commands.map(({ verb, rest, problem }) =>
    problem ? `!${problem.code}` : `${verb} ${rest}`.trim(),
  );
}

describe('a command', () => {
  test.each<[string, string, string[]]>([
    ['alone', '/portico render', ['render']],
    ['with a newline', '/portico render\n', ['render']],
    ['with trailing spaces', '/portico render  \t ', ['render']],
    ['with arguments', '/portico publish minor @1a2b3c4', ['publish minor @1a2b3c4']],
    ['after text', 'Looks good.\n\n/portico approve', ['approve']],
    ['right below text', 'Looks good.\n/portico approve\nThanks!', ['approve']],
    ['several', '/portico approve\n/portico publish', ['approve', 'publish']],
    ['in capitals, as a telephone writes', '/Portico Publish @ABCDEF1', ['publish @ABCDEF1']],
    ['the prefix alone asks for help', '/portico', ['help']],
    ['below a list and a blank line', '- done\n\n/portico render', ['render']],
    ['below a heading', '# Title\n/portico render', ['render']],
    ['after a rule', '---\n/portico render', ['render']],
  ])('%s', (_name, body, commands) => expect(read(body)).toEqual(commands));

  test('knows its place', () => {
    expect(parseComment('a\n/portico render\n\n/portico reject  too big ')).toEqual({
      kind: 'commands',
      commands: [
        { index: 0, line: 2, text: '/portico render', verb: 'render', rest: '' },
        { index: 1, line: 4, text: '/portico reject  too big', verb: 'reject', rest: 'too big' },
      ],
    });
  });
});

describe('a line that misses the prefix by little is no command, and its writer is told', () => {
  test.each([
    ['/portco approve', 'approve'],
    ['/portcio aprove', 'approve'],
    ['/protico publish @1a2b3c4', 'publish'],
    ['/Porticos Render', 'render'],
    ['/portico: render', 'render'],
    ['//portico render', 'render'],
    ['/porticorender', 'render'],
    ['/portico-render', 'render'],
    ['/portico.render now', 'render'],
    [' /portico render', 'render'],
    ['   /portico publihs', 'publish'],
    ['/por\u200Btico publish', 'publish'],
    ['/portico\u200B publish', 'publish'],
    ['/pоrtico publish', 'publish'],
    ['/portıco publish', 'publish'],
  ])('%j', (body, meant) => {
    expect(parseComment(`Hm.\n\n${body}`)).toMatchObject({
      commands: [
        {
          verb: '',
          line: 3,
          problem: {
            code: 'misspelt-prefix',
            hint: expect.stringContaining(`Did you mean \`/portico ${meant}\`?`) as string,
          },
        },
      ],
    });
    expect(mayHoldCommands(`Hm.\r\n${body}`)).toBe(true);
  });
  test.each([
    '/portico',
    '/portco',
    '/port render',
    '/political render',
    '/portco later',
    '> /portco render',
  ])('%j is left alone', (body) => expect(read(body)).toEqual(body === '/portico' ? ['help'] : []));
});

describe('near misses are not commands', () => {
  test.each([
    '\t/portico render',
    'please /portico render',
    '\\/portico render',
    '/ portico render',
    'portico render',
    '@portico render',
    '/retest',
    '- /portico render',
    '1. /portico render',
    '* /portico render',
    '# /portico render',
    '| /portico render |',
    '**/portico render**',
    '`/portico render`',
    '[x](/portico render)',
    '',
  ])('%j', (body) => expect(read(body)).toEqual([]));
});

describe('13 quoted, fenced, hidden and indented text', () => {
  test.each<[string, string, string[]]>([
    ['fence', '```\n/portico publish\n```', []],
    ['fence with a language', '```sh\n/portico publish\n```\n/portico render', ['render']],
    ['tilde fence', '~~~\n/portico publish\n~~~', []],
    ['indented fence', '   ```\n/portico publish\n   ```\n/portico render', ['render']],
    ['fence never closed', '```\n/portico publish\n\n/portico publish', []],
    ['fence closed by too few', '````\n/portico publish\n```\n/portico publish\n````', []],
    ['fence closed by more', '```\n/portico publish\n`````\n/portico render', ['render']],
    ['fence closed by the other mark', '```\n~~~\n/portico publish\n```', []],
    ['fence closed with text after it', '```\n``` x\n/portico publish\n```', []],
    ['backticks on one line are no fence', '``` x ```\n/portico render', ['render']],
    ['indented code', '    /portico publish', []],
    ['tab-indented code', '\t/portico publish', []],
    ['quote', '> /portico publish', []],
    ['quote without space', '>/portico publish', []],
    ['nested quote', '>> /portico publish', []],
    ['indented quote', '   > /portico publish', []],
    ['drawn into the quote above', '> I would do\n/portico publish', []],
    ['drawn into the quote above, second line', '> I would do\nthis\n/portico publish', []],
    ['below a quote and a blank line', '> /portico publish\n\n/portico render', ['render']],
    ['below an empty quote line', '> text\n>\n/portico render', ['render']],
    ['fence in a quote', '> ```\n> /portico publish\n\n/portico render', ['render']],
    ['HTML comment', '<!-- /portico publish -->', []],
    ['HTML comment over lines', '<!--\n/portico publish\n-->\n/portico render', ['render']],
    [
      'HTML comment that begins in text',
      'see <!-- x\n/portico publish\n--> /portico publish\n/portico render',
      ['render'],
    ],
    ['HTML comment never closed', '<!--\n/portico publish', []],
    ['closed, then opened again', '<!-- a --> <!--\n/portico publish\n-->', []],
    ['a comment opener in a code span', 'write `<!--` there\n/portico render', ['render']],
    ['a comment opener in a fence', '```\n<!--\n```\n/portico render', ['render']],
    ['a fence in a comment', '<!--\n```\n-->\n/portico render', ['render']],
    [
      'details',
      '<details><summary>x</summary>\n\n/portico publish\n\n</details>\n\n/portico render',
      ['render'],
    ],
    ['details in capitals with attributes', '<DETAILS open>\n/portico publish\n</DETAILS>', []],
    [
      'nested details',
      '<details>\n<details>\n</details>\n\n/portico publish\n\n</details>\n\n/portico render',
      ['render'],
    ],
    ['text for browsers without ruby', 'See <ruby>x<rp>\n/portico publish\n</rp></ruby>', []],
    ['an element of code', 'Write <code>\n/portico publish\n</code>', []],
    ['an element of a key', 'Press <kbd>\n/portico publish\n</kbd>', []],
    ['an element of a quote', 'She says <q>\n/portico publish\n</q>', []],
    ['an element that strikes out', 'Not <del>\n/portico publish\n</del>', []],
    ['an element of a link', 'See <a href="https://example.com">\n/portico publish\n</a>', []],
    ['an element of a list', '<ul><li>\n\n/portico publish\n\n</li></ul>\n\n/portico render', ['render']],
    ['text that is struck out', '~~Later\n/portico publish\nor never~~\n/portico render', ['render']],
    ['a tilde that strikes nothing out', 'In ~5 minutes\n/portico render\nsee ~/notes', ['render']],
    ['details never closed', '<details>\n/portico publish', []],
    [
      'details closed only inside a fence',
      '<details>\n\n```\n</details>\n/portico publish\n```\n\n</details>',
      [],
    ],
    ['details in a code span', 'the `<details>` element\n/portico render', ['render']],
    ['a tag broken over lines', '<details\nopen>\n/portico publish\n</details>', []],
    ['a word that begins like it', '<detailsx>\n\n/portico render', ['render']],
    ['blockquote element', '<blockquote>\n/portico publish\n</blockquote>', []],
    ['pre element', '<pre>\n/portico publish\n</pre>\n/portico render', ['render']],
    ['a closing tag alone', '</details>\n\n/portico render', ['render']],
    ['in a block of HTML', '<b>\n/portico publish\n</b>\n\n/portico render', ['render']],
    ['code span over lines', 'see `a\n/portico publish\nb`', []],
    ['two backticks over lines', 'see ``a\n/portico publish\n`b``\n\n/portico render', ['render']],
    ['text of an image', '![a\n/portico publish\nb](https://e.org/x.png)', []],
    ['title of a link', '[a](https://e.org "b\n/portico publish\nc")', []],
    ['text of a link', '[a\n/portico publish\nb](https://e.org)', []],
    ['title of an image', '![a](x.png "b\n/portico publish\nc")', []],
    ['attribute', 'see <img alt="a\n/portico publish\nb">', []],
    ['attribute in a block', '<img alt="a\n/portico publish\nb">', []],
    ['reference that nobody follows', '[a]: https://e.org "b\n/portico publish\nc"', []],
    ['heading with a line below', '/portico publish\n===', []],
    ['drawn into a list', '- done\n/portico publish', []],
    ['in a list item', '- done\n\n  /portico publish', []],
    ['row of a table', 'a | b\n--- | ---\n/portico publish | c', []],
    ['head of a table', '/portico publish | c\n--- | ---\na | b', []],
    ['footnote', 'see[^1]\n\n[^1]: a\n/portico publish', []],
    ["comment that is opened in a comment's line", '<!-- a --><!-- b\n\n/portico publish', []],
    ['emphasis over lines', '**a\n/portico publish\nb**', []],
    ['details that are opened in a paragraph', 'see <details>\n\n/portico publish\n\n</details>', []],
  ])('%s', (_name, body, commands) => expect(read(body)).toEqual(commands));
});

describe('22 an answer by e-mail', () => {
  test.each<[string, string, string[]]>([
    [
      'above quoted history',
      '/portico render\n\nOn Tue, 3 Nov 2026, alice wrote:\n> /portico publish\n> more',
      ['render'],
    ],
    [
      'below quoted history',
      'On Tue, 3 Nov 2026, alice wrote:\n> /portico publish\n\n/portico render',
      ['render'],
    ],
    [
      'above unquoted history',
      '/portico render\n\nOn Tue, 3 Nov 2026, alice wrote:\n\n/portico publish',
      ['render'],
    ],
    [
      'above an original message',
      '/portico render\n\n-----Original Message-----\n/portico publish',
      ['render'],
    ],
    [
      'above a forwarded one',
      '/portico render\n---------- Forwarded message ---------\n/portico publish',
      ['render'],
    ],
    [
      'with the line endings of mail',
      '/portico render\r\n\r\nOn Tue alice wrote:\r\n> /portico publish\r\n',
      ['render'],
    ],
    ['a sentence that only begins so', 'On Tuesday I wrote: fine\n/portico render', ['render']],
  ])('%s', (_name, body, commands) => expect(read(body)).toEqual(commands));
});

describe('21 characters', () => {
  test.each<[string, string, string[]]>([
    ['CRLF', '/portico approve\r\n/portico publish\r\n', ['approve', 'publish']],
    ['CR alone', 'x\r/portico render', ['render']],
    ['a no-break space is a space', '/portico\u00A0publish\u00A0@1a2b3c4', ['publish @1a2b3c4']],
    ['tabs are spaces', '/portico\tpublish\t@1a2b3c4', ['publish @1a2b3c4']],
    ['zero width before the prefix', '\u200B/portico publish', []],
    ['byte order mark before the prefix', '\uFEFF/portico publish', []],
    ['zero width in the verb', '/portico pub\u200Blish', ['!unseen-character']],
    ['zero width in an argument', '/portico publish @1a2b\u200D3c4', ['!unseen-character']],
    ['right-to-left override', '/portico reject \u202Eevil', ['!unseen-character']],
    ['line separator', '/portico render\u2028/portico publish', ['!unseen-character']],
    ['next line', 'x\u0085/portico publish', []],
    ['vertical tab', '/portico render\u000B', ['render']],
    ['null', '/portico reject a\u0000b', ['!unseen-character']],
    ['half of a surrogate pair', '/portico reject \uD800', ['!unseen-character']],
    ['wide space', '/portico publish\u3000now', ['!unseen-character']],
    ['full-width slash', '／portico publish', []],
    ['Cyrillic і in the verb is another word', '/portico publіsh', ['publіsh']],
    ['emoji', '/portico reject 👨‍👩‍👧 says no ❤️', ['reject 👨‍👩‍👧 says no ❤️']],
  ])('%s', (_name, body, commands) => expect(read(body)).toEqual(commands));

  test('what cannot be seen is named', () => {
    const parsed = parseComment('/portico pub\u200Blish');
    expect(parsed).toMatchObject({
      commands: [
        {
          text: '/portico pub\\u{200b}lish',
          problem: { message: expect.stringContaining('U+200B') as string },
        },
      ],
    });
  });
});

const many = (count: number) => Array.from({ length: count }, () => '/portico render').join('\n');

describe('limits', () => {
  test('19 ten are read', () => expect(read(many(10))).toHaveLength(10));
  test('20 eleven refuse them all', () => expect(read(many(11))).toEqual(['!too-many-commands']));
  test('20 quoted ones do not count', () =>
    expect(read(`${many(10)}\n\n> /portico render`)).toHaveLength(10));
  test('commands among a thousand links refuse them all', () =>
    expect(read(`/portico render\n\n${'[a]('.repeat(1_500)}`)).toEqual(['!comment-too-intricate']));
  test('a line too long', () =>
    expect(read(`/portico reject ${'x'.repeat(1000)}`)).toEqual(['!command-too-long']));
});

describe('for any text', () => {
  const pieces = [
    '/portico publish',
    '/portico',
    '\n',
    '\r\n',
    '```',
    '~~~',
    '> ',
    '<!--',
    '-->',
    '<details>',
    '</details>',
    '`',
    ' ',
    '    ',
    'On x wrote:\n',
    '\u200B',
  ];
  const body = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' })), { maxLength: 40 })
    .map((parts) => parts.join(''));

  test('never throws, and every command starts its line', () => {
    fc.assert(
      fc.property(body, (body) => {
        const parsed = parseComment(body);
        if (parsed.kind === 'refuse') return;
        const lines = body.split(/\r\n|\n|\r/);
        for (const { line, verb, problem } of parsed.commands) {
          if (verb === '') expect(problem).toMatchObject({ code: 'misspelt-prefix' });
          else expect(lines[line - 1]).toMatch(/^\/portico/i);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('inside a fence nothing is a command', () => {
    fc.assert(
      fc.property(body, (body) => {
        const fenced = `\`\`\`\`\`\`\`\`\`\`\n${body.replaceAll('`', '')}\n\`\`\`\`\`\`\`\`\`\``;
        expect(read(fenced)).toEqual([]);
      }),
    );
  });

  // Each would take minutes if a step looked back over what it has seen; the run's own time limit judges.
  test.each([
    '`',
    '<!--',
    '<details>',
    '</pre>',
    '>',
    '`` ` ',
    'On ',
    '<!-- -->',
    '``` ',
    '/portico \n',
    '<pre><details>',
  ])('linear in repetitions of %j', (piece) => {
    expect(parseComment(piece.repeat(Math.floor(262_144 / piece.length)))).toBeDefined();
  });
});
