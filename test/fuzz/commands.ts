import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readArguments, type Accepts } from '../../src/command/arguments.ts';
import { ISSUE_FORMS, parseIssueForm } from '../../src/command/issue-form.ts';
import { MAX_COMMANDS, parseComment } from '../../src/command/parse.ts';
import { commands } from '../../src/command/table.ts';
import { say } from '../command/command-state.ts';
import { damaged, fuzz, hostileText, soup } from './fuzzing.ts';
import { liveParts } from './live-markdown.ts';

const verbs = commands.map(({ name }) => name);
const PIECES = [
  ...verbs,
  '/portico ',
  '/Portico ',
  '\n/portico ',
  '\r/portico ',
  '> /portico ',
  '    /portico ',
  '/portico\u00a0',
  '/portic\u043e ',
  ' ',
  '\t',
  '\n',
  '```\n',
  '~~~\n',
  '`',
  '<!--',
  '-->',
  '<details>\n',
  '</details>\n',
  '"',
  "'",
  '\\',
  '--',
  '--match=*',
  '--dry-run',
  '=',
  'a=b',
  '@',
  '@v3',
  '@1a2b3c4',
  'web@v3',
  'web',
  '../..',
  '-c',
  'latest',
  'all',
  '99999999999999999999',
  '\u202e',
  '\u200d',
  '\u0000',
  '\ud800',
  '👩‍👩‍👧',
];
const body = fc.oneof(
  soup(PIECES),
  fc.tuple(soup(PIECES, 8)).map(([rest]) => `/portico ${rest}`),
  hostileText,
);

test('comments', () =>
  fuzz({
    name: 'comments: parse and decide',
    weight: 3,
    inputs: [body],
    seeds: [
      ['/portico'],
      ['/portico \u202e'],
      ['```\n/portico publish'],
      [`/portico ${'a'.repeat(2000)}`],
      ['/portico rollout rollback'],
      ['/portico \n/porti\u0441o help'],
    ],
    check(text) {
      const parsed = parseComment(text);
      if (parsed.kind !== 'commands') return expect(parsed.code).toBe('too-many-commands');
      expect(parsed.commands.length).toBeLessThanOrEqual(MAX_COMMANDS);
      for (const { text: line, verb, index, problem } of parsed.commands) {
        const isMeant = line.trimStart().toLowerCase().startsWith('/portico');
        // What misses the prefix by little is refused, whatever follows.
        if (!isMeant || verb === '') expect(problem?.code).toBe('misspelt-prefix');
        expect(line).not.toMatch(/[\n\r\u202e]/);
        expect(verb).toBe(verb.toLowerCase());
        expect(parsed.commands[index]!.text).toBe(line);
      }
      const [first] = parsed.commands;
      if (first === undefined) return;
      const answer = say(text);
      if (answer.kind === 'do') expect(Array.isArray(answer.steps)).toBe(true);
      else {
        expect(answer.code).toMatch(/^[a-z][a-z-]*$/);
        if (answer.kind === 'refuse') expect(liveParts(`${answer.message} ${answer.hint}`)).toEqual([]);
      }
    },
  }));

test('arguments', () => {
  const accepts: fc.Arbitrary<Accepts> = fc.constantFrom(...commands.map((command) => command.accepts));
  return fuzz({
    name: 'arguments of commands',
    weight: 2,
    inputs: [soup(PIECES, 12), accepts],
    check(rest, takes) {
      const read = readArguments(rest, takes);
      if ('kind' in read) return expect(read.code).toMatch(/^[a-z][a-z-]*$/);
      expect(read.positional.length).toBeLessThanOrEqual(takes.positional ?? 0);
      for (const name of read.options.keys()) expect(Object.keys(takes.options ?? {})).toContain(name);
      if (read.commit !== undefined) expect(read.commit).toMatch(/^[0-9a-f]{7,40}$/);
    },
  });
});

test('issue forms', () => {
  const forms = ISSUE_FORMS.map(({ fields }) =>
    fields.map(({ label }, at) => `### ${label}\n\n${at === 0 ? 'apps/web' : '_No response_'}\n`).join('\n'),
  );
  const filled = fc
    .tuple(fc.constantFrom(...ISSUE_FORMS), fc.array(hostileText, { minLength: 4, maxLength: 4 }))
    .map(([{ fields }, answers]) =>
      fields.map(({ label }, at) => `### ${label}\n\n${answers[at]}\n`).join('\n'),
    );
  return fuzz({
    name: 'issue forms',
    weight: 2,
    inputs: [fc.oneof(filled, damaged(forms, [...PIECES, '### ', '\n### Path\n']))],
    check(text) {
      const line = parseIssueForm(text);
      if (line === undefined) return;
      expect(ISSUE_FORMS.map(({ verb }) => verb)).toContain(line.verb);
      expect(line.text).not.toContain('\n');
    },
  });
});
