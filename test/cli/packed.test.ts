import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, run, scratch } from './run-portico.ts';

/** npm beside the Node that runs the tests may be missing; the one on PATH packs as well. */
const npm = process.env['npm_execpath'];

test('what npm packs runs outside of a checkout, without any TypeScript', async () => {
  using dir = scratch();
  const place = dir.path('node_modules/portico');
  mkdirSync(place, { recursive: true });
  const pack = ['pack', '--silent', '--pack-destination', dir.path('.')];
  const packed = await (npm === undefined
    ? run('npm', pack, { cwd: ROOT })
    : run(process.execPath, [npm, ...pack], { cwd: ROOT }));
  expect(packed.code, packed.stderr).toBe(0);
  const tarball = readdirSync(dir.path('.')).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', dir.path(tarball), '-C', place, '--strip-components=1']);
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['package.json', 'app.yml', 'dist/portico.js']));
  expect(files.filter((name) => /\.ts$|^src/.test(name))).toEqual([]);
  // What an installation would bring; its names are resolved from where the package stands.
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'));

  const portico = (...args: string[]) =>
    run(process.execPath, [join(place, 'dist/portico.js'), ...args], { cwd: dir.path('.') });
  expect(await portico('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
  // Programs are started, never imported.
  const all = files.filter((name) => /^dist\/(?!portico\.js|program-)[^/]*\.js$/.test(name));
  const load = all.map((name) => `await import(${JSON.stringify(join(place, name))});`).join('');
  const loaded = await run(process.execPath, ['--input-type=module', '-e', load], { cwd: dir.path('.') });
  expect(loaded).toMatchObject({ code: 0, stderr: '' });

  expect(await portico('init', 'web')).toMatchObject({ code: 0 });
  dir.write({
    'web/Kptfile':
      'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\npipeline:\n  mutators:\n    - image: set-labels:v0.2\n      configMap: {team: web}\n  validators:\n    - image: kubeconform:v0.1\n',
    'web/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n',
  });
  expect(await portico('render', 'web')).toMatchObject({ code: 0 });
  expect(dir.read('web')['c.yaml']).toContain('team: web');
  const merge = ['--base', 'web', '--upstream', 'web', '--local', 'web', '--output', 'merged'];
  expect(await portico('update', ...merge)).toMatchObject({ code: 0 });
  expect(dir.read('merged')).toEqual(dir.read('web'));
});
