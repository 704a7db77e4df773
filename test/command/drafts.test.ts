import { describe, expect, test } from 'vitest';

import type { CommandState } from '../../src/command/command-state.ts';
import { draftBranchOf, draftProblem, type DraftGround } from '../../src/command/draft-problem.ts';
import type { DraftSource } from '../../src/command/draft-request.ts';
import { noSuchPackage, noSuchRevision } from '../../src/command/not-found.ts';
import { readPackagePath } from '../../src/command/package-name.ts';
import { readUpstream } from '../../src/command/upstream-wish.ts';
import { allowedUpstreamProblem, allowsUpstream } from '../../src/config/allowed-upstream.ts';
import { caller, config, pull, say } from './command-state.ts';

const issue = { kind: 'issue', number: 3, state: 'open', locked: false } as const;

function shownUpstream({
  kind,
  repo,
  directory,
  ref,
}: Extract<DraftSource, { kind: 'clone' }>['upstream']): string {
  const place = kind === 'path' ? directory : `${repo}${kind === 'url' ? '.git/' : ':'}${directory}`;
  return ref === undefined ? place : `${place}@${ref}`;
}

/** The step in short, or the code of the refusal. */
function short(body: string, change: Partial<CommandState> = {}): string {
  const answer = say(body, change);
  if (answer.kind !== 'do') return answer.code;
  const said = answer.steps.map((step) => {
    switch (step.do) {
      case 'create-draft': {
        const { path, workspace, source } = step.draft;
        const from =
          source.kind === 'clone' || source.kind === 'rebase'
            ? ` from ${shownUpstream(source.upstream)}`
            : 'revision' in source
              ? ` ${source.revision}`
              : '';
        return `${source.kind} ${path}${workspace === undefined ? '' : `/${workspace}`}${from}${'anyway' in source && source.anyway ? ' anyway' : ''}`;
      }
      case 'change-draft': {
        const { change: made } = step;
        const what = 'below' in made ? `${made.package}+${made.below}` : made.package;
        return `${made.kind} ${what}${made.kind === 'eval' ? ` ${made.image} ${JSON.stringify(Object.fromEntries(made.values))}` : ''}`;
      }
      case 'show-diff':
        return `${step.packages.join(',')} ${[step.from, step.to].map((end) => ('revision' in end ? end.revision : 'commit' in end ? end.commit.slice(0, 7) : end.kind)).join('..')}`;
      case 'pause-updates':
      case 'resume-updates':
        return `${step.do} ${step.package}`;
      default:
        return step.do;
    }
  });
  return said.join('; ');
}

describe('what commands make of drafts', () => {
  const inIssue = { place: issue, packages: [] };
  const fork = { place: pull({ fork: true }) };
  test.each<[string, Partial<CommandState>, string]>([
    ['/portico init apps/web', inIssue, 'init apps/web'],
    ['/portico init /apps/web/ --workspace=next', inIssue, 'init apps/web/next'],
    ["/portico init web --description 'a b' --keywords=x,y", inIssue, 'init web'],
    ['/portico init', inIssue, 'no-path'],
    ['/portico init ../etc', inIssue, 'bad-path'],
    ['/portico init a/../b', inIssue, 'bad-path'],
    ['/portico init .git/hooks', inIssue, 'bad-path'],
    ['/portico init -x', inIssue, 'unknown-option'],
    ['/portico init a/-x', inIssue, 'bad-path'],
    ['/portico init "a b"', inIssue, 'bad-path'],
    ['/portico init a//b', inIssue, 'bad-path'],
    ['/portico init con', inIssue, 'bad-path'],
    ['/portico init a~1', inIssue, 'bad-path'],
    ['/portico init a@{1}', inIssue, 'bad-path'],
    ['/portico init x.lock', inIssue, 'bad-path'],
    [`/portico init ${'a'.repeat(200)}`, inIssue, 'bad-path'],
    ['/portico init $(id)', inIssue, 'bad-path'],
    ['/portico init web --workspace=../x', inIssue, 'bad-workspace'],
    ['/portico init web --workspace=a/b', inIssue, 'bad-workspace'],
    ['/portico init web --workspace=-x', inIssue, 'bad-workspace'],
    ['/portico init web --workspace=x.lock', inIssue, 'bad-workspace'],
    ['/portico init web --workspace=', inIssue, 'bad-workspace'],
    ['/portico init web --force', inIssue, 'unknown-option'],
    ['/portico init web', { ...inIssue, caller: caller({ role: 'read' }) }, 'not-permitted'],
    ['/portico init web', { ...inIssue, place: { ...issue, state: 'closed' } }, 'closed'],
    ['/portico init web/cache', {}, 'subpackage web+cache'],
    ['/portico init web/cache', fork, 'from-fork'],
    ['/portico init web/cache --workspace=x', {}, 'unexpected-workspace'],
    ['/portico init other', {}, 'init other'],
    ['/portico clone db', inIssue, 'clone db from db'],
    ['/portico clone apps/db@v3 mydb', inIssue, 'clone mydb from apps/db@v3'],
    ['/portico clone acme/b:db@stable', inIssue, 'clone db from acme/b:db@stable'],
    ['/portico clone acme/b:@main', inIssue, 'clone b from acme/b:.@main'],
    [
      '/portico clone https://h.example/a/b.git/c/d@v1 x --workspace=w',
      inIssue,
      'clone x/w from https://h.example/a/b.git/c/d@v1',
    ],
    ['/portico clone db web/db', {}, 'subpackage web+db'],
    ['/portico clone', inIssue, 'no-upstream'],
    ['/portico delete web/cache', {}, 'remove-subpackage web+cache'],
    ['/portico delete web/cache', fork, 'from-fork'],
    ['/portico delete web/cache', inIssue, 'propose-deletion'],
    ['/portico copy web@v3 --workspace=w', inIssue, 'copy web/w v3'],
    ['/portico copy web@3', inIssue, 'copy web v3'],
    ['/portico copy web', inIssue, 'edit web'],
    ['/portico copy web@main', inIssue, 'bad-argument'],
    ['/portico edit web', inIssue, 'edit web'],
    ['/portico edit web@v3', inIssue, 'unexpected-revision'],
    ['/portico rollback web@v7', inIssue, 'rollback web v7'],
    ['/portico rollback v7', inIssue, 'bad-argument'],
    ['/portico rollback v7', {}, 'rollback web v7'],
    ['/portico rollback web@v7 --anyway', inIssue, 'rollback web v7 anyway'],
    [
      '/portico rollback web@v7 --anyway',
      { ...inIssue, config: config({ access: new Map([['approve', [{ kind: 'role', role: 'admin' }]]]) }) },
      'anyway-not-permitted',
    ],
    ['/portico rollback', inIssue, 'no-revision'],
    ['/portico eval set-labels:v0.2 a=b c=d=e', {}, 'eval web set-labels:v0.2 {"a":"b","c":"d=e"}'],
    ['/portico eval set-labels a=b a=c', {}, 'repeated'],
    ['/portico eval', {}, 'no-function'],
    ['/portico eval ../../bin/sh', {}, 'bad-function'],
    ['/portico eval set-labels', fork, 'from-fork'],
    ['/portico eval set-labels', { place: pull({ baseRef: 'x' }) }, 'other-base'],
    ['/portico eval set-labels --package=db', {}, 'no-such-package'],
    ['/portico eval set-labels', inIssue, 'wrong-place'],
    ['/portico eval set-labels', { packages: [], place: pull({ headRef: 'x' }) }, 'no-package'],
    ['/portico rebase pg@v2', {}, 'rebase web'],
    ['/portico rebase pg@v2', inIssue, 'which-package'],
    ['/portico rebase pg@v2', { place: pull({ headRef: 'portico/update/web/0123456789' }) }, 'update-branch'],
    ['/portico rebase pg@v2 --package=apps/db', inIssue, 'rebase apps/db from pg@v2'],
    ['/portico diff', {}, 'web branch..head'],
    ['/portico diff v1..v2', {}, 'web v1..v2'],
    ['/portico diff 1..', {}, 'web v1..head'],
    ['/portico diff db v1..', inIssue, 'db v1..branch'],
    ['/portico diff db', inIssue, 'no-range'],
    ['/portico diff v1..v2', inIssue, 'which-package'],
    ['/portico diff web main..v2', {}, 'bad-range'],
    ['/portico diff web v1...v2', {}, 'bad-range'],
    [`/portico diff web v1..${'A'.repeat(40)}`, {}, 'web v1..aaaaaaa'],
    ['/portico diff', { caller: caller({ role: 'read' }) }, 'web branch..head'],
    ['/portico pause', {}, 'pause-updates web'],
    ['/portico pause apps/db', inIssue, 'pause-updates apps/db'],
    ['/portico resume ../x', inIssue, 'bad-path'],
    ['/portico resume', inIssue, 'which-package'],
    ['/portico cancel', {}, 'cancel-work'],
    ['/portico cancel', { caller: caller({ role: 'read', isAuthor: true }) }, 'cancel-work'],
    ['/portico cancel', { caller: caller({ role: 'read' }) }, 'not-permitted'],
  ])('%s', (body, change, want) => expect(short(body, change)).toBe(want));
});

describe('addresses of upstreams', () => {
  test.each([
    '-x',
    '--upload-pack=x',
    'git@github.com:acme/b.git',
    'ssh://h/a/b.git/c',
    'file:///etc/passwd',
    'ext::sh -c id',
    'https://user:secret@h.example/a/b.git/c',
    'https://h.example',
    'https://h.example/a/b.git/../../c',
    'https://h.example/a/b.git/%2e%2e/c',
    'https://h.example/a/b.git/c?x=1',
    'https://ghp_0123456789@h.example/a/b.git/c',
    'https://h.example/a/b.git/c?access_token=abc',
    'acme/../b:c',
    'acme/b:../c',
    '../c',
    'c@..',
    'c@-x',
    'c@a b',
    '',
  ])('%s is refused', (written) => expect(readUpstream(written)).toHaveProperty('code', 'bad-upstream'));

  test('a credential is not repeated', () => {
    expect(readUpstream('https://user:secret@h.example/a/b.git/c')).toMatchObject({
      message: 'The address holds a user name, password or token.',
    });
  });

  test.each<[string, readonly string[], boolean]>([
    ['https://github.com/kptdev/kpt', ['https://github.com/kptdev/kpt'], true],
    ['https://github.com/KptDev/kpt', ['https://github.com/kptdev/kpt.git/'], true],
    ['https://github.com/kptdev/kpt2', ['https://github.com/kptdev/kpt'], false],
    ['https://github.com/kptdev/kpt', ['https://github.com/kptdev/*'], true],
    ['https://github.com/kptdevil/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com.evil.example/kptdev/kpt', ['https://github.com/*'], false],
    ['http://github.com/kptdev/kpt', ['http://github.com/*'], false],
    ['https://169.254.169.254/a/b', ['https://169.254.169.254/*'], false],
    ['https://[::1]/a/b', ['https://[::1]/*'], false],
    ['https://localhost/a/b', ['https://localhost/*'], false],
    ['https://db.internal/a/b', ['https://db.internal/*'], false],
    ['http://127.0.0.1:3000/a/b', ['http://127.0.0.1:3000/a/*'], true],
    ['https://github.com/a/b', [], false],
    ['HTTPS://GitHub.COM:443/kptdev/kpt.GIT', ['https://github.com/kptdev/kpt'], true],
    ['https://github.com./kptdev/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com:8443/kptdev/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com@evil.example/kptdev/kpt', ['https://github.com/kptdev/*'], false],
    ['https://kptdev:x@github.com/kptdev/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev/../evil/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev/%2e%2e/evil/kpt', ['https://github.com/kptdev/*'], false],
    ['https://git.example.com/acme/..;/evil', ['https://git.example.com/acme/*'], false],
    ['https://github.com/kptdev/..%2fevil%2fkpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev\\..\\evil/kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev//kpt', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev/kpt?x=/y', ['https://github.com/kptdev/*'], false],
    ['https://github.com/kptdev/kpt#x', ['https://github.com/kptdev/*'], false],
    ['https://git.example.com/Team/app', ['https://git.example.com/Team/*'], true],
    ['https://git.example.com/team/app', ['https://git.example.com/Team/*'], false],
    ['https://127.1/a/b', ['https://127.1/*'], false],
    ['https://0x7f000001/a/b', ['https://0x7f000001/*'], false],
    ['https://2130706433/a/b', ['https://2130706433/*'], false],
    ['https://db.internal./a/b', ['https://db.internal./*'], false],
    ['https://localhost./a/b', ['https://localhost./*'], false],
    ['https://intranet./a/b', ['https://intranet./*'], false],
    ['https://kubernetes.default.svc/a/b', ['https://kubernetes.default.svc/*'], false],
    ['https://git.corp/a/b', ['https://git.corp/*'], false],
    ['kptdev/kpt', ['https://github.com/*'], false],
  ])('%s by %j: %s', (address, allow, want) =>
    expect(allowsUpstream(allow, address, 'http://127.0.0.1:3000')).toBe(want),
  );

  test.each([
    'github.com/a',
    'https://github.com/*/b',
    'https://*.com/a',
    'ssh://h/a',
    'https://u@h.example/a',
  ])('%s is no entry', (entry) => expect(allowedUpstreamProblem(entry)).toBeDefined());
});

describe('whether there is room', () => {
  const ground: DraftGround = {
    packages: ['web', 'apps/db', 'apps/db/sub'],
    branches: ['main', 'drafts/web/next', 'drafts/late'],
    tags: ['web/v1', 'old/v1'],
    hasFiles: false,
    named: (path) => path,
  };
  test.each<
    [string, 'init' | 'clone' | 'edit' | 'copy' | 'rollback', Partial<DraftGround>, string | undefined]
  >([
    ['new', 'init', {}, undefined],
    ['new', 'init', { hasFiles: true }, undefined],
    ['new', 'clone', { hasFiles: true }, 'directory-in-use'],
    ['web', 'init', {}, 'package-exists'],
    ['web/x', 'init', {}, 'inside-package'],
    ['apps', 'clone', {}, 'above-package'],
    ['.', 'init', {}, 'above-package'],
    ['Web', 'init', {}, 'case-clash'],
    ['late', 'init', {}, 'ref-clash'],
    ['old/v1', 'init', {}, 'ref-clash'],
    ['gone', 'edit', {}, 'no-such-package'],
    ['gone', 'rollback', {}, 'no-such-package'],
    ['old', 'rollback', {}, undefined],
    ['apps/db', 'edit', {}, undefined],
  ])('%s by %s', (path, kind, change, want) => {
    const branch = draftBranchOf(path, 'v1') as string;
    expect(draftProblem(path, branch, { kind }, { ...ground, ...change })?.code).toBe(want);
  });

  test('what is not there is answered with what is, as people write it below the registered directory', () => {
    const below = { ...ground, named: (path: string) => path.replace('apps/', '') };
    expect(draftProblem('apps/bd', 'drafts/apps/bd/v1', { kind: 'edit' }, below)).toMatchObject({
      message: 'There is no package `bd` on the registered branch.',
      hint: 'Did you mean `db`? To create it, use /portico init bd.',
    });
    expect(noSuchPackage('db', 'here', ['apps/db'], 'Name one that is.').hint).toBe(
      'Did you mean `apps/db`? Name one that is.',
    );
    const revisions = Array.from({ length: 10 }, (_, at) => `v${at + 1}`);
    expect(noSuchRevision('web', 'v99', revisions)).toMatchObject({
      message: '`web` has no revision `v99`.',
      hint: 'It has `v10`, `v9`, `v8`, `v7`, `v6`, `v5`, `v4`, `v3`, and 2 older revisions.',
    });
    expect(noSuchRevision('web', 'v1', []).hint).toBe('It has no published revision yet.');
  });

  test('the path of a package is without slashes at its ends', () => {
    expect(['/a/b/', './a', '.', 'a'].map(readPackagePath)).toEqual(['a/b', 'a', '.', 'a']);
    expect(draftBranchOf('a'.repeat(240), 'v1')).toHaveProperty('code', 'bad-path');
  });
});
