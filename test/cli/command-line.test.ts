import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { VERBS } from '../../src/cli/table.ts';
import { portico, ROOT, run, scratch } from './run-portico.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n';

const pod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: "${name}"\nspec:\n  containers: []\n`;

describe('usage', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown verb', ['rendr'], /did you mean render\?/],
    ['the beginning of a verb', ['ren'], /did you mean render\?/],
    ['an unknown option', ['render', '.', '--allow-exce'], /did you mean --allow-exec\?/],
    ['an unknown short option', ['render', '.', '-z'], /no option -z/],
    ['no argument', ['push'], /an argument is missing[\s\S]*Usage: portico push/],
    ['too many arguments', ['diff', 'a', 'b', 'c'], /too many arguments: c/],
    ['no value', ['render', '.', '--output'], /--output needs a value: stdout\|unwrap\|DIR/],
    ['an option for a value', ['render', '.', '--output', '--json'], /--output needs a value/],
    ['a value for a switch', ['render', '.', '--json=x'], /--json takes no value but true or false/],
    ['an option twice', ['render', '.', '--output', 'a', '--output', 'b'], /--output is given twice/],
    ['a wrong choice', ['update', '--strategy', 'fast-foward'], /did you mean fast-forward\?/],
    ['arguments that nobody takes', ['tree', '.', '--', 'a=b'], /nothing may follow --/],
    ['a half update', ['update', '--base', 'x'], /--upstream is missing/],
    ['no function', ['eval', '.'], /the function is missing/],
    ['a function argument without =', ['eval', '.', '-i', 'x', '--', 'a'], /must be key=value/],
    ['no address', ['get', 'somewhere'], /is not a package/],
    ['an address that is an option', ['get', '--upload-pack=x.git/y'], /no option --upload-pack/],
    [
      'a command for comments',
      ['publish'],
      /slash-command for comments\nWrite \/portico publish in a comment/,
    ],
    ['a row that is not there', ['trial', '--organization', 'acme', '--row', '99'], /there is no row 99/],
    ['help for nothing', ['help', 'nothing'], /no verb nothing/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await portico(args);
    expect([code, stdout]).toEqual([64, args.includes('--json') ? stdout : '']);
    expect(stderr).toMatch(message);
  });

  test('nothing at all shows the help and is no success', async () => {
    const { code, stdout } = await portico([]);
    expect(code).toBe(64);
    for (const { name, summary } of VERBS) expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
  });

  test('each verb has help with all its options and an example', async () => {
    const texts = await Promise.all(VERBS.map(({ name }) => portico([name, '--help'])));
    for (const [at, { code, stdout }] of texts.entries()) {
      const verb = VERBS[at]!;
      expect(code).toBe(0);
      for (const { name } of verb.options) expect(stdout).toContain(`--${name}`);
      for (const example of verb.examples) expect(stdout).toContain(example);
      expect(stdout).toContain(`Usage: portico ${verb.name}`);
    }
  });

  test('a function that cannot run here is told of once, with what can be done here', async () => {
    using dir = scratch();
    dir.write({
      Kptfile:
        'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline: {mutators: [{image: nope:v1}]}\n',
    });
    const { code, stderr } = await portico(['render'], { cwd: dir.path('.') });
    expect(code).toBe(1);
    expect(stderr.match(/nope:v1 cannot run here/g)).toHaveLength(1);
    expect(stderr).toContain('On the command line,');
  });

  test('a second init says that it is a package already', async () => {
    using dir = scratch();
    await portico(['init'], { cwd: dir.path('.') });
    expect(await portico(['init'], { cwd: dir.path('.') })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'It is a package already; nothing was changed.\n',
    });
    expect(await portico(['diff'], { cwd: dir.path('.') })).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('portico diff A B'),
    });
  });

  test('init looks at nothing below, such as the libraries of a repository', async () => {
    using dir = scratch();
    dir.write({ 'node_modules/x/a\\b.yaml': 'kind: [', 'readme.md': '# Mine\n', 'web/c.yaml': 'a: 1\n' });
    expect(await portico(['init'], { cwd: dir.path('.') })).toEqual({
      code: 0,
      stdout: 'added Kptfile\nadded package-context.yaml\n',
      stderr: '',
    });
    const listed = await portico(['tree'], { cwd: dir.path('.') });
    expect(listed.stderr).toBe('warning: node_modules holds installed libraries and is skipped\n');
    expect(listed.stdout).not.toContain('node_modules');
  });

  test("git's reasons are one sentence after the other", async () => {
    using dir = scratch();
    const { stderr } = await portico(['get', '../nope.git/web'], { cwd: dir.path('.') });
    expect(stderr).toMatch(/^error: git ls-remote failed: /);
    expect(stderr).not.toMatch(/; ;|\.;/);
  });

  test('the version is that of the package', async () => {
    expect((await portico(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await portico(['version'])).toEqual(await portico(['--version']));
    expect(JSON.parse((await portico(['version', '--json'])).stdout)).toMatchObject({
      platform: process.platform,
    });
  });

  test('every verb but those that run a server until they are stopped knows --json', () => {
    const without = VERBS.filter(({ options }) => !options.some(({ name }) => name === 'json'));
    expect(without.map(({ name }) => name)).toEqual(['serve']);
  });
});

describe('streams', () => {
  test('with --json a failure is one document on stdout too', async () => {
    const { code, stdout, stderr } = await portico(['tree', '/nowhere/at/all', '--json']);
    expect(code).toBe(65);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'PACKAGE_NOT_FOUND' } });
    expect(stderr).toContain('/nowhere/at/all');
  });

  test.each([
    [{ FORCE_COLOR: '1' }, true],
    [{ NO_COLOR: '1' }, false],
    [{}, false],
  ] as const)('colours with %j: %s', async (env, coloured) => {
    const { stderr } = await portico(['tree', '/nowhere'], { env });
    expect(stderr.includes('\u001B[')).toBe(coloured);
  });

  // The name of a pod that erases, conceals and reorders what follows it.
  const hostile = String.raw`A\e[2J\a\e[8m\u202E\u2066\u200B\u061C\uFEFFz`;
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}]/u;

  test.each([
    ['tree', ['tree', 'new']],
    ['diff', ['diff', 'old', 'new']],
    ['preview', ['preview', 'new']],
  ])('%s shows hidden and reordering characters of a package as escapes (115)', async (_verb, args) => {
    using dir = scratch();
    dir.write({
      'old/Kptfile': KPTFILE,
      'old/a.yaml': pod('z'),
      'new/Kptfile': KPTFILE,
      'new/a.yaml': pod(hostile),
    });
    const { stdout, stderr } = await portico(args, { cwd: dir.path('.') });
    expect(stdout, stderr).toContain(String.raw`A\u001B[2J\u0007\u001B[8m\u202E\u2066\u200B\u061C\uFEFFz`);
    expect(stdout).not.toMatch(HIDDEN);
  });

  test('a terminal shows them as escapes in documents too (115)', { tags: ['script'] }, async () => {
    using dir = scratch();
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "a\u202Eb"\n';
    dir.write({ 'p/Kptfile': KPTFILE, 'p/a.yaml': text });
    const line = `${process.execPath} ${join(ROOT, 'src/portico.js')} render p --output`;
    const shown = async (form: string): Promise<string> =>
      (await run('script', ['-qec', `${line} ${form} 2>&1`, '/dev/null'], { cwd: dir.path('.') })).stdout;
    expect(await shown('stdout')).toContain(String.raw`x: "a\u202Eb"`);
    expect(await shown('stdout | cat')).toContain('x: "a\u202Eb"');
  });

  test(
    'what a person reads on a terminal is coloured, and plain elsewhere',
    { tags: ['script'] },
    async () => {
      using dir = scratch();
      const resource = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: ';
      dir.write({ 'a/c.yaml': `${resource}"1"\n`, 'b/c.yaml': `${resource}"2"\n` });
      const args = ['diff', dir.path('a'), dir.path('b')];
      const line = [process.execPath, join(ROOT, 'src/portico.js'), ...args].join(' ');
      const onTerminal = await run('script', ['-qec', line, '/dev/null'], { env: { TERM: 'xterm' } });
      expect([onTerminal.code, onTerminal.stdout]).toEqual([
        0,
        expect.stringContaining('\u001B[32m  + data.x: "2"'),
      ]);
      expect(onTerminal.stdout).not.toMatch(/<\/?(?:details|summary)|```|\*\*/);
      const onDumbTerminal = await run('script', ['-qec', line, '/dev/null'], { env: { TERM: 'dumb' } });
      expect(onDumbTerminal.stdout).not.toContain('\u001B');
      expect((await portico(args)).stdout).toContain('\n  + data.x: "2"\n');
    },
  );

  test('a reader that leaves early is no error', async () => {
    using dir = scratch();
    const resources = Array.from(
      { length: 20_000 },
      (_, at) => `apiVersion: v1\nkind: A\nmetadata: {name: n${at}}\n`,
    );
    dir.write({
      'p/a.yaml': resources.slice(0, 9_000).join('---\n'),
      'p/b.yaml': resources.slice(9_000, 18_000).join('---\n'),
    });
    const child = spawn(process.execPath, [join(ROOT, 'src/portico.js'), 'tree', dir.path('p')]);
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });

  test('relative paths are those of the shell that called npm', async () => {
    using dir = scratch();
    dir.write({ 'p/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n' });
    const env = { npm_package_name: 'portico', npm_lifecycle_event: 'portico', INIT_CWD: dir.path('.') };
    expect((await portico(['tree', 'p'], { cwd: ROOT, env })).stdout).toContain('Package "p"');
  });
});

describe('the server', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  // With any other secret it would get as far as the database, which is not there.
  const rest = { APP_ID: '1', PRIVATE_KEY: privateKey, DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' };

  test.each<[string, Record<string, string>]>([
    ['1 without a secret', {}],
    ['2 with the one that everybody knows', { WEBHOOK_SECRET: 'development' }],
  ])('%s does not start', async (_what, secret) => {
    const { code, stderr } = await portico(['serve'], { env: { ...rest, ...secret } });
    expect([code, stderr]).toEqual([65, expect.stringContaining('\nWEBHOOK_SECRET ')]);
  });

  test.each([
    ['a variable is missing', 65, {}, 'CONFIG_ENVIRONMENT'],
    ['the database is not there', 1, { WEBHOOK_SECRET: 'a-secret-of-ours' }, 'DATABASE_UNREACHABLE'],
    [
      'Node warns',
      1,
      { WEBHOOK_SECRET: 'a-secret-of-ours', NODE_OPTIONS: '--pending-deprecation' },
      'DEP_OLD',
    ],
  ])('writes nothing but JSON in its format: %s', async (_what, exit, env, said) => {
    using dir = scratch();
    dir.write({
      'warn.mjs': 'setTimeout(() => process.emitWarning("old", "DeprecationWarning", "DEP_OLD"));',
    });
    const options = 'NODE_OPTIONS' in env ? { NODE_OPTIONS: `--import=${dir.path('warn.mjs')}` } : {};
    const { code, stderr } = await portico(['serve'], {
      env: { ...rest, ...env, ...options, LOG_FORMAT: 'json' },
    });
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(code).toBe(exit);
    expect(lines).toContainEqual(expect.objectContaining({ err: expect.objectContaining({ code: said }) }));
    expect(lines.at(-1)).toMatchObject({ level: 'fatal', msg: 'portico ended' });
  });
});

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops a verb that waits', async (signal, exit) => {
    using dir = scratch();
    // Says when somebody begins to read.
    const hook =
      'process.stdin.on("newListener", (name) => name === "readable" && process.stderr.write("waiting\\n"));';
    dir.write({ 'hook.mjs': hook });
    const script = join(ROOT, 'src/portico.js');
    const child = spawn(process.execPath, [
      `--import=${dir.path('hook.mjs')}`,
      script,
      'eval',
      '-',
      '-i',
      'set-labels:v0.2',
    ]);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      if (stderr === 'waiting\n') child.kill(signal);
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stderr]).toEqual([exit, 'waiting\nStopped.\n']);
  });
});

describe('start', () => {
  test('a verb loads only what it needs', async () => {
    using dir = scratch();
    dir.write({ 'p/a.yaml': 'apiVersion: v1\nkind: A\nmetadata:\n  name: x\n' });
    const hook =
      'import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { process.stderr.write(url + "\\n"); return next(url, context); } });';
    dir.write({ 'hook.mjs': hook });
    const env = { NODE_OPTIONS: `--import=${dir.path('hook.mjs')}` };
    const loaded = async (...args: string[]): Promise<string[]> =>
      (await portico(args, { env })).stderr.split('\n').filter((url) => url.startsWith('file:'));
    // The one file for "did you mean" is short, and stands by itself.
    expect(
      (await loaded('--version')).filter((url) =>
        /node_modules|\/package\/(?!closest-word)|\/git\//.test(url),
      ),
    ).toEqual([]);
    expect(
      (await loaded('tree', dir.path('p'))).filter((url) =>
        /node_modules\/(?!yaml\/)|\/git\/|\/function\//.test(url),
      ),
    ).toEqual([]);
    expect(
      (await loaded('render', dir.path('p'))).filter((url) =>
        /zod|localforge|probot|octokit|pg-boss|\/git\//.test(url),
      ),
    ).toEqual([]);
  });
});
