import { expect, test } from 'vitest';

import type { Ports } from '../../../src/reconcile/ports.ts';
import {
  createRolloutMemory,
  withLockTimes,
  type RolloutMember,
} from '../../../src/reconcile/rollout/facts.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { useMirrors, KPTFILE } from '../../git/mirror-fixture.ts';
import { git as run } from '../../git/repository.ts';

const mirrors = useMirrors();

/** A commit of that moment, in seconds since 1970. */
function commit(files: Readonly<Record<string, string>>, at: number): string {
  const parent = run(mirrors.origin, ['for-each-ref', '--format=%(objectname)', 'refs/heads/main']);
  const lines = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  const from = parent === '' ? '' : `from ${parent}\n`;
  const head = `commit refs/heads/main\ncommitter T <t@example.com> ${at} +0000\ndata 1\nx\n`;
  run(mirrors.origin, ['fast-import', '--quiet'], `${head}${from}${lines.join('')}\n`);
  return run(mirrors.origin, ['rev-parse', 'refs/heads/main']);
}

test('of a downstream that waits, the time of the commit that gave it its lock is known, and of no other', async () => {
  commit({ 'shop/Kptfile': KPTFILE }, 1_700_000_000);
  commit({ 'shop/Kptfile': `${KPTFILE}# v2\n` }, 1_700_000_100);
  const head = commit({ 'shop/config.yaml': 'a: 1\n', 'other/Kptfile': KPTFILE }, 1_700_000_200);
  const git = await mirrors.open();
  const ports = { open: async () => ({ git }) } as unknown as Ports;
  const repository = { ref: { id: 1 }, commit: head, directory: repositoryDirectory('.') };
  const member = (id: string, more: Partial<RolloutMember>): RolloutMember =>
    ({ id, path: 'shop', standing: 'waiting', at: 'v2', repository, ...more }) as RolloutMember;
  const members = [
    member('waits', {}),
    member('published', { standing: 'published' }),
    member('to be made', { at: undefined }),
  ];
  const memory = createRolloutMemory();
  for (const _again of [1, 2]) {
    const told = await withLockTimes(ports, members, memory);
    expect(told.map(({ id, lockedAt }) => [id, lockedAt])).toEqual([
      ['waits', 1_700_000_100_000],
      ['published', undefined],
      ['to be made', undefined],
    ]);
  }
});
