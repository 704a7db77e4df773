import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/**
 * A commit has the same id wherever it is pushed. What Portico commits in a repository of somebody's own says nothing in
 * another one, though its seal is good.
 */
let stage: Stage;
let folder: string;

const SPEC = 'branch: main\npublish: { requireApprovals: 1 }\nupdates: { automerge: all }';
const HOLD = 'refs/portico/paused/shop/updates';
const change = (color: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color }),
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-copied-'));
  const collaborators = { bob: 'write', mallory: 'write' } as const;
  stage = await startStage({
    up: { files: below('web', smallPackage('web')), private: false },
    down: { files: below('api', smallPackage('api')), spec: SPEC, private: false, collaborators },
    hers: { spec: null, private: false, collaborators: { mallory: 'admin' } },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function git(...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', ['-C', folder, ...args])).stdout.trim();
}

function remote({ url }: StageRepository): string {
  return url.replace('://', '://x:mallory-token@');
}

longTest(
  'an update that Portico made in another repository is not one of this, and does not merge itself (63)',
  async () => {
    const up = stage.repository('up');
    const down = stage.repository('down');
    const hers = stage.repository('hers');
    await up.publish('one', change('one'));
    const files = smallPackage('web');
    const Kptfile = locked(files['Kptfile']!, up.url, 'web', 'web/v1', (await up.tags()).get('web/v1')!);
    const shop = below('shop', { ...files, Kptfile, 'config.yaml': configMap('web', { color: 'one' }) });
    await down.publish('first', { ...shop, 'api/own.yaml': configMap('own', { a: 'b' }) });
    // The same history in a repository of mallory's. By a ref that she makes by hand, no update merges itself for now.
    await git('init', '-q');
    await git('fetch', '-q', remote(down), 'main', 'refs/tags/*:refs/tags/*');
    await git('push', '-q', '-f', '--tags', remote(hers), 'FETCH_HEAD:refs/heads/main');
    for (const repo of [down, hers]) await git('push', '-q', remote(repo), `FETCH_HEAD:${HOLD}`);
    await stage.idle();
    await up.publish('two', change('two'));
    const [open] = await down.pulls();
    const [theirs] = await hers.pulls();
    // There she pushes what nobody approves to the base branch, and Portico merges that into its update.
    await hers.push('main', { 'api/evil.yaml': configMap('evil', { a: 'b' }), 'shop/a.txt': 'a\n' });
    await stage.idle();
    await hers.push('main', { 'shop/a.txt': null });
    await stage.idle();
    await git('fetch', '-q', remote(hers), theirs!.head.ref);
    expect(await git('show', 'FETCH_HEAD:api/evil.yaml')).toContain('evil');
    await git('push', '-q', '-f', remote(down), `FETCH_HEAD:refs/heads/${open!.head.ref}`);
    await git('push', '-q', remote(down), `:${HOLD}`);
    await stage.idle();
    await stage.look('down');
    expect(await down.read('api/evil.yaml')).toBeNull();
    expect((await down.pull(open!.number)).merged).toBe(false);
    const check = (await down.checksOf(open!.number)).get('portico/conflicts');
    expect(check?.output).toMatchObject({ title: 'A record of conflicts cannot be read' });
  },
);
