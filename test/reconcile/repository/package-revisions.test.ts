import { expect, test } from 'vitest';

import type { GitRef } from '../../../src/reconcile/git-port.ts';
import {
  allRevisions,
  channelsByDirectory,
  loadRevisionRefs,
  upcomingRevision,
} from '../../../src/reconcile/repository/package-revisions.ts';
import { repositoryDirectory, TOP } from '../../../src/revision/package-path.ts';

const commit = (at: number): string => at.toString(16).padStart(40, '0');
const ref = (at: number): GitRef => ({ oid: commit(at), commit: commit(at) });

/** Refs that count how often one is looked up. */
class CountedRefs extends Map<string, GitRef> {
  lookups = 0;

  override get(name: string): GitRef | undefined {
    this.lookups += 1;
    return super.get(name);
  }
}

test('channels cost what there are of refs, not channels times revisions', () => {
  const tags = new CountedRefs();
  for (let at = 1; at <= 1_000; at += 1) {
    tags.set(`refs/tags/web/v${at}`, ref(at));
    tags.set(`refs/tags/web/c${at}`, ref(at % 10 === 0 ? at : 0));
  }
  const channels = channelsByDirectory({ tags, ledger: new Map() }).get(repositoryDirectory('web'));
  expect(channels?.size).toBe(100);
  expect(channels?.get('c10')).toBe('v10');
  expect(tags.lookups).toBeLessThan(10_000);
});

test('of two revisions at one commit a channel is the higher', () => {
  const tags = new Map([
    ['refs/tags/v1', ref(1)],
    ['refs/tags/v2', ref(1)],
    ['refs/tags/stable', ref(1)],
  ]);
  expect(channelsByDirectory({ tags, ledger: new Map() }).get(TOP)?.get('stable')).toBe('v2');
});

/** A hundred thousand revisions of two packages. */
function made(prefix: string): ReadonlyMap<string, GitRef> {
  return new Map(
    Array.from({ length: 100_000 }, (_, at) => [
      `${prefix}${at % 2 === 0 ? 'web' : 'db'}/v${at + 1}`,
      ref(at),
    ]),
  );
}

test('a hundred thousand tags are read in turns with other work, and give the same', async () => {
  const [tags, ledger] = [made('refs/tags/'), made('refs/portico/published/')];
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns += 1;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const refs = await loadRevisionRefs({
    refs: async (prefix) => (prefix === 'refs/tags/' ? tags : ledger),
  });
  done = true;
  expect(turns).toBeGreaterThan(30);
  const known = { tags: new Map(tags), ledger: new Map(ledger) };
  expect(allRevisions(refs, repositoryDirectory('web'))).toEqual(
    allRevisions(known, repositoryDirectory('web')),
  );
  expect(upcomingRevision(refs, repositoryDirectory('web'), { versioning: 'sequence' })).toBe('v100000');
  expect(upcomingRevision(refs, repositoryDirectory('db'), { versioning: 'sequence' })).toBe('v100001');
});
