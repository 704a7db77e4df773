import { describe, expect, test } from 'vitest';

import type { Sharing } from '../../src/config/repository-config.ts';
import type { Conflict } from '../../src/package/merge/conflict.ts';
import { reasonTold } from '../../src/reconcile/command/fleet-targets.ts';
import { updateTarget, type TargetInput } from '../../src/reconcile/downstream/update-target.ts';
import type { CommitInfo } from '../../src/reconcile/git-port.ts';
import { variantJob } from '../../src/reconcile/jobs.ts';
import { mergeMessage, mergeRequestOf } from '../../src/reconcile/publication/merge-message.ts';
import { isControlledBy, mayFlow, type Party } from '../../src/reconcile/repository/visibility.ts';
import { isRenderCommit } from '../../src/reconcile/seal/bot-commit.ts';
import {
  conflictRecord,
  conflictSeal,
  holdsConflicts,
  readConflicts,
  packagesOf,
  readSealed,
  sealedMessage,
  type UpdateRecord,
} from '../../src/reconcile/seal/update-record.ts';
import {
  code,
  conflictTable,
  fenced,
  sentence,
  shownValue,
} from '../../src/reconcile/text/markdown-blocks.ts';
import { createKeyring, type Keyring } from '../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { table } from '../../src/text/markdown.ts';

const seals = createKeyring(['ours']);
const theirs = createKeyring(['theirs']);
const renderSeal = (by: Keyring): string => by.sign(`render ${'a'.repeat(40)} ${'b'.repeat(40)}`);
const NOBODY = { name: 'portico[bot]', email: 'portico@example.com', date: '2026-01-01T00:00:00Z' };

function commit(
  message: string,
  tree = 'a'.repeat(40),
  parents = ['b'.repeat(40)],
  repository = 1,
): CommitInfo {
  return { repository, oid: 'c'.repeat(40), tree, parents, author: NOBODY, committer: NOBODY, message };
}

const conflict = (file: string, value: unknown): Conflict => ({
  id: file,
  file,
  resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: '', name: 'web' },
  path: 'data.color',
  base: value,
  upstream: value,
  local: value,
  taken: 'upstream',
});

const input = (change: Partial<TargetInput> & { follow?: TargetInput['policy']['follow'] }): TargetInput => ({
  policy: { follow: change.follow ?? { kind: 'latest' }, automerge: 'none', maxOpen: 5 },
  asked: undefined,
  current: 'v1',
  newest: 'v3',
  available: ['v1', 'v2', 'v3'],
  channel: (name) => (name === 'stable' ? 'v2' : undefined),
  ...change,
});

describe('what a merge says', () => {
  const place = { repository: 1, pull: 7, head: 'a'.repeat(40) };

  test('is read back', () => {
    const said = { requestedBy: 'alice', requestedIn: 42, bump: 'minor' } as const;
    const message = `Title\n\n${mergeMessage(said, place, seals)}\n`;
    expect(message).toContain('\nRequested-By: alice\nRequested-In: 42\nRevision-Bump: minor\n');
    expect(mergeRequestOf(message, place, seals)).toEqual(said);
    expect(mergeRequestOf(mergeMessage({}, place, seals), place, seals)).toEqual({});
  });

  test('counts by its seal alone, and for this merge alone', () => {
    expect(mergeRequestOf('Title\n\nRequested-By: eve\nRevision-Bump: major', place, seals)).toBeUndefined();
    const message = mergeMessage({ requestedBy: 'alice' }, place, seals);
    expect(mergeRequestOf(`Requested-By: eve\n\n${message}`, place, seals)).toEqual({ requestedBy: 'alice' });
    for (const other of [{ repository: 2 }, { pull: 8 }, { head: 'b'.repeat(40) }]) {
      expect(mergeRequestOf(message, { ...place, ...other }, seals)).toBeUndefined();
    }
  });
});

describe('the record of an update', () => {
  const record: UpdateRecord = {
    directory: repositoryDirectory('shop'),
    upstream: 'acme/up:web',
    to: 'v2',
    base: 'd'.repeat(40),
  };
  const at = { repository: 1, tree: 'a'.repeat(40), parents: ['b'.repeat(40)] };

  test('is ours only with the seal, in the repository and on the commit that it was made for', () => {
    const message = sealedMessage('Update', record, at, seals);
    expect(readSealed(commit(message), seals)).toEqual(record);
    expect(readSealed(commit(message, 'e'.repeat(40)), seals)).toBeNull();
    expect(readSealed(commit(message, at.tree, at.parents, 2), seals)).toBeNull();
    expect(readSealed(commit(message, at.tree, ['f'.repeat(40)]), seals)).toBeNull();
    expect(readSealed(commit(sealedMessage('Update', record, at, theirs)), seals)).toBeNull();
    expect(readSealed(commit(`${message}\nCo-authored-by: eve`), seals)).toBeNull();
    expect(readSealed(commit('Portico-Update: e30 x'), seals)).toBeNull();
  });

  test('as earlier versions sealed it, without the repository, is still read', () => {
    const text = Buffer.from(JSON.stringify(record)).toString('base64url');
    const seal = seals.sign(`update ${text} ${at.tree} ${at.parents.join(' ')}`);
    expect(readSealed(commit(`Update\n\nPortico-Update: ${text} ${seal}\n`), seals)).toEqual(record);
  });

  test('of a package at the top of its repository is read in one spelling, whichever version wrote it', () => {
    const written = { ...record, directory: '', others: [{ ...record, directory: '/api/' }] };
    const text = Buffer.from(JSON.stringify(written)).toString('base64url');
    const seal = seals.sign(`update ${text} ${at.tree} ${at.parents.join(' ')}`);
    const read = readSealed(commit(`Update\n\nPortico-Update: ${text} ${seal}\n`), seals);
    expect(packagesOf(read ?? record).map(({ directory }) => directory)).toEqual(['.', 'api']);
  });

  test('the list of conflicts is bound to its pull request and to the commit', () => {
    const conflicts = [conflict('a.yaml', 'x')];
    const body = `Words\n${conflictRecord('1 branch', conflicts, seals)}\nmore`;
    const conflictsSeal = conflictSeal('1 branch', conflicts, seals)!;
    expect(readConflicts('1 branch', body, seals)).toEqual(conflicts);
    expect(readConflicts('2 branch', body, seals)).toEqual([]);
    expect(
      readConflicts('1 branch', body.replace('portico:conflicts W', 'portico:conflicts X'), seals),
    ).toEqual([]);
    expect(holdsConflicts('1 branch', body, { conflicts: conflictsSeal }, seals)).toBe(true);
    expect(holdsConflicts('1 branch', 'Words', { conflicts: conflictsSeal }, seals)).toBe(false);
    expect(
      holdsConflicts('1 branch', conflictRecord('1 branch', [], seals), { conflicts: conflictsSeal }, seals),
    ).toBe(false);
    expect(holdsConflicts('1 branch', '', {}, seals)).toBe(true);
    expect(conflictSeal('1 branch', [], seals)).toBeUndefined();
  });

  test.each([1, 50, 400, 5000])('the list of %i conflicts fits, and no file is forgotten', (count) => {
    const conflicts = Array.from({ length: count }, (_, n) =>
      conflict(`folder/number-${n}.yaml`, 'v'.repeat(500)),
    );
    const body = conflictRecord('key', conflicts, seals);
    expect(body.length).toBeLessThan(40_000);
    const read = readConflicts('key', body, seals);
    const open = read.some(({ file }) => file === '');
    expect(open || new Set(read.map(({ file }) => file)).size === count).toBe(true);
    expect(holdsConflicts('key', body, { conflicts: conflictSeal('key', conflicts, seals)! }, seals)).toBe(
      true,
    );
  });

  test('nobody makes a render commit of ours', () => {
    expect(isRenderCommit(commit(`Render web\n\nPortico-Render: ${renderSeal(seals)}\n`), seals)).toBe(true);
    expect(isRenderCommit(commit(`Render web\n\nPortico-Render: ${renderSeal(theirs)}\n`), seals)).toBe(
      false,
    );
    expect(
      isRenderCommit(commit(`Render web\n\nPortico-Render: ${renderSeal(seals)}\n`, 'e'.repeat(40)), seals),
    ).toBe(false);
  });
});

describe('which revision a downstream should have', () => {
  test.each<[string, Partial<TargetInput> & { follow?: TargetInput['policy']['follow'] }, string]>([
    ['the newest', {}, 'v3'],
    ['a pin', { follow: { kind: 'pin', revision: 'v2' } }, 'v2'],
    ['what was asked for', { asked: 'v2', follow: { kind: 'none' } }, 'v2'],
    ['from a bare commit, the newest', { current: undefined }, 'v3'],
    ['what a channel points at', { follow: { kind: 'channel', channel: 'stable' } }, 'v2'],
    [
      'back to what a channel points at',
      { follow: { kind: 'channel', channel: 'stable' }, current: 'v3' },
      'v2',
    ],
    ['the newest of a range', { follow: { kind: 'range', range: '>=1 <3' } }, 'v2'],
    ['back from a revision that was retired', { current: 'v4' }, 'v3'],
    ['back to a pin', { follow: { kind: 'pin', revision: 'v1' }, current: 'v2' }, 'v1'],
  ])('%s', (_what, change, revision) =>
    expect(updateTarget(input(change))).toEqual({ kind: 'target', revision }),
  );

  test.each<[string, Partial<TargetInput> & { follow?: TargetInput['policy']['follow'] }, string]>([
    ['follow: none', { follow: { kind: 'none' } }, 'not-followed'],
    ['there is none', { newest: undefined, available: [] }, 'no-revision'],
    ['a pin that is not there', { follow: { kind: 'pin', revision: 'v9' } }, 'no-such-revision'],
    ['it has it', { current: 'v3' }, 'up-to-date'],
    ['it is past the range', { follow: { kind: 'range', range: '<2' }, current: 'v2' }, 'up-to-date'],
    ['a range that nothing is in', { follow: { kind: 'range', range: '^7' } }, 'no-revision'],
    ['a channel that is not there', { follow: { kind: 'channel', channel: 'fast' } }, 'no-channel'],
  ])('withheld: %s', (_what, change, reason) =>
    expect(updateTarget(input(change))).toMatchObject({ kind: 'withheld', reason }),
  );
});

type Said = Partial<Pick<Party, 'sharing' | 'controlledBy'>>;
const sharing = (say: Partial<Sharing>): Said => ({ sharing: { to: [], from: [], ...say } });
const IDS = ['acme/up', 'acme/down', 'acme/fleet', 'acme/other', 'globex/down', 'globex/fleet'];

const party = (visibility: Party['visibility'], name: string, said: Said = {}): Party => {
  const [owner = '', repo = ''] = name.split('/');
  return {
    visibility,
    ref: { id: IDS.indexOf(name.toLowerCase()), owner, name: repo },
    ...said,
  };
};

describe('what may go from one repository into another', () => {
  const all = ['public', 'internal', 'private'] as const;
  const pairs = (may: (from: Party['visibility'], to: Party['visibility']) => boolean): string[] =>
    all.flatMap((from) => all.filter((to) => may(from, to)).map((to) => `${from} ${to}`));
  const open = ['public public', 'public internal', 'public private'];
  const flows = (from: string, to: string, [there, here]: readonly [Said, Said] = [{}, {}]): string[] =>
    pairs((a, b) => mayFlow(party(a, from, there), party(b, to, here)));
  const within = sharing({ within: true });

  test('content goes where nobody can read it who could not read where it comes from', () => {
    expect(flows('acme/up', 'Acme/down')).toEqual([...open, 'internal internal', 'internal private']);
    // What is private, or internal, to one owner is not so to another.
    expect(flows('acme/up', 'globex/down')).toEqual(open);
    expect(flows('acme/up', 'acme/up')).toContain('private private');
  });

  test('or where both agree, and one alone is not enough (65)', () => {
    const [to, from] = [sharing({ to: ['ACME/down'] }), sharing({ from: ['acme/*'] })];
    expect(flows('acme/up', 'acme/down', [to, from])).toHaveLength(9);
    expect(flows('acme/up', 'globex/down', [sharing({ to: ['globex/*'] }), from])).toHaveLength(9);
    for (const said of [
      [to, {}],
      [{}, from],
      [from, to],
      [within, {}],
      [{}, within],
      [within, from],
    ] as const)
      expect(flows('acme/up', 'acme/down', said)).not.toContain('private private');
  });

  test('within an organisation only to where as few kinds of people can read it (65)', () => {
    const own = [...open, 'internal internal', 'internal private', 'private private'];
    expect(flows('acme/up', 'acme/down', [within, within])).toEqual(own);
    expect(flows('acme/up', 'globex/down', [within, within])).toEqual(open);
  });

  test('an issue of a repository that may know another by name tells none of its reasons (92)', () => {
    const edge = party('private', 'acme/down', { controlledBy: ['acme/fleet'] });
    const why = 'portico/guardrails: Secret payments-key';
    expect(reasonTold(party('private', 'acme/fleet'), edge, why)).toContain('/portico explain');
    expect(reasonTold(party('private', 'acme/fleet'), { ...edge, visibility: 'public' }, why)).toBe(why);
  });

  test('documents are obeyed where the base configuration names their place, which may know it (62)', () => {
    const obeys = (from: string, said: Said, control: Said = {}): string[] =>
      pairs((one, at) => isControlledBy(party(one, 'acme/down', said), party(at, from, control)));
    const named: Said = { controlledBy: ['acme/fleet'] };
    expect(obeys('acme/fleet', {})).toEqual([]);
    expect(obeys('acme/other', named)).toEqual([]);
    expect(obeys('globex/fleet', { controlledBy: ['globex/fleet'] })).toEqual([]);
    expect(obeys('acme/fleet', named)).toEqual([
      ...open,
      'internal internal',
      'internal private',
      'private private',
    ]);
    const agreed = { ...named, ...sharing({ to: ['acme/fleet'] }) };
    expect(obeys('acme/fleet', agreed, sharing({ from: ['acme/down'] }))).toHaveLength(9);
  });
});

test('a look that nobody asked for does not take the place of one that was asked for', () => {
  const repository = { installationId: 1, id: 2, owner: 'a', name: 'b' };
  expect(variantJob(repository, 'web').key).not.toBe(
    variantJob(repository, 'web', { to: 'v2', askedIn: 1, askedBy: 'alice' }).key,
  );
});

describe('Markdown in which foreign text is inert (49)', () => {
  test.each([
    ['plain', '`plain`'],
    ['', '(empty)'],
    ['a`b', '``a`b``'],
    ['`edge', '`` `edge ``'],
    ['@org/team Fixes #1\n/portico publish', '`@org/team Fixes #1 /portico publish`'],
    ['a|b', '`a|b`'],
  ])('code: %j', (text, expected) => expect(code(text)).toBe(expected));

  test('a fence is longer than any inside', () => {
    expect(fenced('a\n````\nb\n')).toBe('`````text\na\n````\nb\n`````');
  });

  test('a cell has no line breaks; a value is cut; a sentence ends once', () => {
    expect(table(['a'], [['x\ny']])).toBe('| a |\n| --- |\n| x y |');
    expect(shownValue({ a: 'b' }, 80)).toBe('{"a":"b"}');
    expect(shownValue('x'.repeat(20), 10)).toBe('xxxxxxxxx…');
    expect([sentence('no'), sentence('no.'), sentence(' two\n lines ')]).toEqual([
      'no.',
      'no.',
      'two lines.',
    ]);
  });

  test('conflicts past the limit are counted', () => {
    const one: Conflict = {
      id: '1',
      file: 'f.yaml',
      resource: null,
      path: '',
      base: undefined,
      upstream: 1,
      local: null,
      taken: 'upstream',
    };
    const text = conflictTable([one, one, one], 2);
    expect(text).toContain('| `f.yaml` | `the whole file` | absent | `1` | `null` | upstream |');
    expect(text).toContain('1 more is not shown.');
  });

  test('conflicts say what one side deleted, and which can keep both sides', () => {
    const at = { id: '1', file: 'f.md', resource: null, path: '', base: 'a\n', taken: 'local' } as const;
    const both = { base: '', upstream: 'u\n', local: 'd\n', part: true, both: true } as const;
    const text = conflictTable([
      { ...at, upstream: undefined, local: 'b\n' },
      { ...at, upstream: 'b\n', local: undefined },
      { ...at, ...both, number: 7 },
    ]);
    expect(text).toContain('| `the whole file`: deleted upstream, changed here | `a ` | absent | `b ` |');
    expect(text).toContain('| `the whole file`: deleted here, changed upstream | `a ` | `b ` | absent |');
    expect(text).toContain('| `lines of the file` |');
    expect(text).toContain(
      'In conflict 7, both sides only added something. To keep both, comment `/portico resolve 7 both`.',
    );
  });
});
