import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { elsewhereRequest } from '../../src/command/elsewhere.ts';
import { parseComment } from '../../src/command/parse.ts';
import { commandReference } from '../../src/command/reference.ts';
import { commands } from '../../src/command/table.ts';
import type { Grant } from '../../src/config/repository-config.ts';
import { caller, config, outcome, pull, say } from './command-state.ts';

const reply = (body: string, change: Parameters<typeof say>[1] = {}): string => {
  const answer = say(body, change);
  return answer.kind === 'do' ? (answer.reply ?? '') : answer.code;
};

/** The commands that help shows first. */
const fittingNow = (change: Parameters<typeof say>[1]): string[] => {
  const [first = '', ...rest] = reply('/portico help', change).split('<details>');
  expect(rest).toHaveLength(1);
  return [...first.matchAll(/^\| `\/portico ([a-z]+)/gm)].map(([, name]) => name!);
};

test('docs/commands.md is what the table says', () => {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  expect(page, 'run: npm exec -- node scripts/generate-docs.ts').toBe(commandReference());
});

describe('help', () => {
  test('lists what the caller may use in this place', () => {
    const text = reply('/portico help');
    const listed = commands.filter(({ usage }) => text.includes(`/portico ${usage.replaceAll('|', '\\|')}`));
    const missing = commands.filter((command) => !listed.includes(command)).map(({ name }) => name);
    expect(missing).toEqual(['bulk', 'confirm']);
    expect(reply('/portico help bulk')).toContain('In issues, for');
  });
  test('says first what fits now, and folds the rest', () => {
    expect(fittingNow({})).toEqual(['explain', 'render', 'reject', 'approve', 'publish']);
    expect(fittingNow({ place: pull({ draft: true }) })).toEqual([
      'explain',
      'render',
      'propose',
      'eval',
      'rebase',
    ]);
    expect(fittingNow({ place: pull({ merged: true, state: 'closed' }) })).toEqual([
      'explain',
      'edit',
      'rollback',
    ]);
    expect(fittingNow({ place: { kind: 'issue', number: 1, state: 'open', locked: false } })).toEqual([
      'delete',
      'update',
      'init',
      'clone',
      'edit',
      'rollback',
    ]);
    expect(
      fittingNow({ openConflicts: 2, place: pull({ headRef: 'portico/update/web/0123456789' }) }),
    ).toEqual(['explain', 'render', 'reject', 'approve', 'resolve', 'update', 'pause']);
  });
  test('offers a reader only what changes nothing', () => {
    const text = reply('/portico help', { caller: caller({ role: 'read' }) });
    expect(text).toContain('/portico help');
    expect(text).not.toContain('/portico publish');
  });
  test('follows the configuration', () => {
    const access = new Map<string, readonly Grant[]>([['publish', [{ kind: 'person', login: 'zoe' }]]]);
    expect(reply('/portico help', { config: config({ access }) })).not.toContain('/portico publish');
  });
  test('tells more about one', () =>
    expect(reply('/portico help publish')).toMatch(
      /\/portico publish @1a2b3c4[^]*\nIn pull requests, for the role write or higher\.$/,
    ));
  test('of something else names what is near, also what is for another place', () => {
    expect(outcome('/portico help pblish')).toBe('unknown-command');
    const issue = { place: { kind: 'issue', number: 3, state: 'open', locked: false } } as const;
    expect(say('/portico help publsh', issue)).toMatchObject({
      hint: 'Did you mean /portico help publish?',
    });
    expect(reply('/portico help publish', issue)).toContain('In pull requests, for the role write');
  });
  test('is never read as commands itself', () => {
    for (const body of ['/portico help', ...commands.map(({ name }) => `/portico help ${name}`)]) {
      expect(parseComment(reply(body))).toEqual({ kind: 'commands', commands: [] });
    }
  });
});

test.each(commands.flatMap(({ name, examples }) => examples.map(({ line }) => [line, name])))(
  'the example %s works',
  (line, name) => {
    const parsed = parseComment(line);
    expect(parsed).toMatchObject({ commands: [{ verb: name }] });
    const places = ['sequence', 'semver'] as const;
    const [read] = 'commands' in parsed ? parsed.commands : [];
    // One about another repository is decided there, as it is written there.
    const there = read && elsewhereRequest(read, { owner: 'acme' });
    const written = there === undefined ? line : `/portico ${name} ${there.rest}`;
    const codes = places.map((versioning) => outcome(written, { config: config({ versioning }) }));
    expect(codes.filter((code) => /argument|option|commit|bad-path$/.test(code))).toEqual([]);
  },
);
