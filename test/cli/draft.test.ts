import { mkdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { portico, scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';

const kptfile = (name: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n`;
const lock = `upstreamLock:\n  type: git\n  git: { repo: 'https://git.test/up', directory: /web, ref: web/v7, commit: ${'a'.repeat(40)} }\n`;

test('drafts in a checkout: made as the commands make them, refused with their words', async () => {
  using dir = scratch();
  const upstream = await upstreamRepo(dir, 'up');
  await upstream.commit({ 'db/Kptfile': kptfile('db'), 'db/a.yaml': 'a: 1\n' }, 'db/v1');
  const own = await upstreamRepo(dir, 'own');
  const config = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { directory: /pkgs, deployment: true }\n`;
  await own.commit(
    { '.github/portico.yaml': config, 'pkgs/web/Kptfile': kptfile('web') + lock },
    'pkgs/web/v1',
  );
  await own.commit({ 'pkgs/web/new.yaml': 'a: 1\n' }, 'pkgs/web/v2');
  const repo = dir.path('own-work');
  const before = await own.git('status', '--porcelain');
  const draft = async (...args: string[]) => portico(['draft', ...args, '--repo', repo]);

  const [made, cloned, restored] = await Promise.all([
    draft('init', 'shop', '--push', 'origin', '--json'),
    draft('clone', `${upstream.url}/db@v1`, 'mydb', '--workspace=first'),
    draft('rollback', 'web@1'),
  ]);
  expect(made.stderr).toBe('');
  expect(JSON.parse(made.stdout)).toMatchObject({ branch: 'drafts/pkgs/shop/v1', package: 'pkgs/shop' });
  expect(await own.git('show', 'drafts/pkgs/shop/v1:pkgs/shop/package-context.yaml')).toContain('name: shop');
  expect(await own.git('ls-remote', 'origin', 'refs/heads/drafts/*')).toContain('drafts/pkgs/shop/v1');
  expect(cloned).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(await own.git('show', 'drafts/pkgs/mydb/first:pkgs/mydb/Kptfile')).toContain('ref: db/v1');
  expect(restored.code).toBe(0);
  expect(await own.git('rev-parse', 'drafts/pkgs/web/v3:pkgs/web')).toBe(
    await own.git('rev-parse', 'pkgs/web/v1:pkgs/web'),
  );
  expect(await own.git('log', '-1', '--format=%an %B', 'drafts/pkgs/web/v3')).toContain(
    'Ada Restore web to v1',
  );
  expect(await own.git('status', '--porcelain')).toBe(before);

  mkdirSync(dir.path('nothing'));
  const refusals = await Promise.all([
    draft('init', 'shop'),
    draft('init', '../x'),
    draft('init', 'web/inner'),
    draft('copy', 'web@v9', '--workspace=w'),
    draft('make', 'x'),
    draft('rollback', 'web@v2', '--workspace=w'),
    portico(['draft', 'edit', 'web', '--repo', dir.path('nothing')]),
  ]);
  expect(refusals.map(({ code, stderr }) => `${code} ${stderr.split('\n')[0]}`)).toEqual([
    expect.stringContaining('65'),
    expect.stringContaining('cannot be a package'),
    expect.stringContaining('inside the package'),
    expect.stringContaining('has no revision v9 of web'),
    expect.stringContaining('64'),
    expect.stringContaining('65 error: web already has the content of upstream v7, here v2'),
    expect.stringContaining('git rev-parse failed'),
  ]);
});
