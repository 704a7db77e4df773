import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import { BOT, file, KPTFILE, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;
const drop = (ref: string, expected: string) => mirror.push([{ ref, to: null, expect: expected }]);

describe('push', () => {
  let main: string;
  let next: string;
  beforeEach(async () => {
    main = seed(at.origin, { 'a/Kptfile': KPTFILE });
    mirror = await at.open();
    const tree = await mirror.writeTree(main, new Map([['a/x', file('1')]]));
    next = await mirror.commitTree({ tree, parents: [main], message: 'Next\n', committer: BOT });
  });

  test('branch, tag and ledger move together', async () => {
    const tag = await mirror.writeTag({ name: 'a/v1', object: next, message: 'a@v1', tagger: BOT });
    const before = at.server.requests.length;
    const updates = [
      { ref: 'refs/heads/main', to: next, expect: main },
      { ref: 'refs/tags/a/v1', to: tag, expect: null },
      { ref: 'refs/portico/published/a/v1', to: next, expect: null },
    ];
    expect(await mirror.push(updates)).toEqual({ ok: true, unchanged: [] });
    expect(at.server.requests.slice(before).filter((r) => r.startsWith('POST'))).toHaveLength(1);
    expect([
      at.refOf('refs/heads/main'),
      at.refOf('refs/tags/a/v1'),
      at.refOf('refs/portico/published/a/v1'),
    ]).toEqual([next, tag, next]);
    expect(await mirror.resolve('refs/heads/main')).toBe(next);
    expect((await mirror.refs()).get('refs/tags/a/v1')).toEqual({ oid: tag, commit: next, tag: true });
    expect([...(await mirror.fetch()).keys()]).toEqual([]);
    // Again: nothing to do, and no refusal.
    expect(await mirror.push(updates)).toEqual({
      ok: true,
      unchanged: updates.map((u) => u.ref).sort(),
    });
  });

  test('one stale lease moves nothing', async () => {
    const moved = seed(at.origin, { 'a/y': 'someone else' });
    const result = await mirror.push([
      { ref: 'refs/heads/main', to: next, expect: main },
      { ref: 'refs/tags/a/v1', to: next, expect: null },
    ]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/heads/main', reason: 'stale' }] });
    expect([at.refOf('refs/heads/main'), at.refOf('refs/tags/a/v1')]).toEqual([moved, '']);
  });

  test('a tag is made once', async () => {
    git(at.origin, ['tag', 'a/v1', main]);
    const result = await mirror.push([{ ref: 'refs/tags/a/v1', to: next, expect: null }]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/tags/a/v1', reason: 'exists' }] });
    expect(at.refOf('refs/tags/a/v1')).toBe(main);
  });

  test('deleting needs the right lease too', async () => {
    git(at.origin, ['branch', 'old', main]);
    expect(await drop('refs/heads/old', next)).toMatchObject({ ok: false, rejected: [{ reason: 'stale' }] });
    expect(await drop('refs/heads/old', main)).toEqual({ ok: true, unchanged: [] });
    expect(await drop('refs/heads/old', main)).toMatchObject({ ok: false, rejected: [{ reason: 'stale' }] });
    expect(at.refOf('refs/heads/old')).toBe('');
  });

  test('what was deleted by somebody else in that very moment is stale', async () => {
    // As where git sends a push again whose answer was lost: the leases still held when it began.
    git(at.origin, ['branch', 'old', main]);
    writeFileSync(join(at.origin, 'hooks', 'pre-receive'), '#!/bin/sh\nrm refs/heads/old\n', { mode: 0o755 });
    expect(
      await mirror.push([
        { ref: 'refs/heads/old', to: null, expect: main },
        { ref: 'refs/heads/new', to: main, expect: null },
      ]),
    ).toMatchObject({
      ok: false,
      rejected: expect.arrayContaining([expect.objectContaining({ reason: 'stale' })]),
    });
    expect(at.refOf('refs/heads/new')).toBe('');
  });

  test('two at once: one wins', async () => {
    const other = await mirror.commitTree({
      tree: (await mirror.treeId(next, ''))!,
      parents: [main],
      message: 'Other\n',
      committer: BOT,
    });
    const push = (to: string) => mirror.push([{ ref: 'refs/heads/main', to, expect: main }]);
    const results = await Promise.all([push(next), push(other)]);
    expect(results.filter((r) => r.ok)).toHaveLength(1);
    const lost = results.find((r) => !r.ok);
    expect(lost).toMatchObject({ rejected: [{ ref: 'refs/heads/main', reason: 'stale' }] });
  });

  test('a hook that says no is a protection, with its words', async () => {
    writeFileSync(
      join(at.origin, 'hooks', 'pre-receive'),
      '#!/bin/sh\necho "GH006: Protected branch update failed"\nexit 1\n',
      { mode: 0o755 },
    );
    const result = await mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }]);
    expect(result).toMatchObject({
      ok: false,
      rejected: [{ ref: 'refs/heads/main', reason: 'protected', message: expect.stringContaining('GH006') }],
    });
  });

  test('a branch cannot stand below another', async () => {
    git(at.origin, ['branch', 'portico', main]);
    const result = await mirror.push([{ ref: 'refs/heads/portico/x', to: next, expect: null }]);
    expect(result).toMatchObject({ ok: false, rejected: [{ ref: 'refs/heads/portico/x', reason: 'other' }] });
  });

  test.each([
    '-x',
    'refs/heads/../x',
    'refs/heads/a..b',
    'refs/heads/@{u}',
    'main',
    `refs/heads/${'n'.repeat(256)}`,
    'refs/heads/x:refs/heads/y',
    'refs/heads/a b',
    'refs/heads/x.lock',
    '--mirror',
  ])('the ref %j is refused before git sees it', async (ref) => {
    const before = at.server.requests.length;
    await expect(mirror.push([{ ref, to: next, expect: null }])).rejects.toMatchObject({
      code: 'INVALID_REF',
    });
    await expect(mirror.fetch({ refspecs: [`+${ref}:refs/heads/x`] })).rejects.toMatchObject({
      code: 'INVALID_REF',
    });
    await expect(mirror.remoteRefs([ref])).rejects.toMatchObject({ code: 'INVALID_REF' });
    expect(at.server.requests.length).toBe(before);
  });

  test('a lost connection throws', async () => {
    at.server.intercept = (request) => {
      if (request.method === 'POST') request.socket.destroy();
      return request.method === 'POST';
    };
    const pushing = mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }]);
    await expect(pushing).rejects.toMatchObject({ code: 'GIT_UNREACHABLE', blame: 'forge' });
  });
});
