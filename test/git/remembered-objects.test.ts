import { expect, test } from 'vitest';

import { openObjectReader } from '../../src/git/batch.ts';
import { createRepo } from '../../src/git/repo.ts';
import { useMirrors } from './mirror-fixture.ts';
import { git } from './repository.ts';

const at = useMirrors();

test('an object that is remembered holds no more memory than its own bytes', async () => {
  const setup = { gitDir: at.origin, protocols: [] };
  using objects = openObjectReader(setup);
  const repo = createRepo(setup, objects, { count: 0 });
  const id = git(at.origin, ['hash-object', '-w', '--stdin'], 'a few words\n');
  const first = await repo.objects.read(id);
  expect(Buffer.from(first!.bytes).toString()).toBe('a few words\n');
  expect(first!.bytes.buffer.byteLength).toBe(first!.bytes.length);
  expect(await repo.objects.read(id)).toBe(first);
});
