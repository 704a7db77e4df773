import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { satisfies } from 'semver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { run, scratch } from './cli/run-portico.ts';
import { machineNode } from './machine-path.ts';

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url));

interface Start {
  readonly title: string;
  readonly program: string;
  readonly options: readonly string[];
}

/** The Node of the tests with another version, until it starts a second one. */
function simulated(version: string, second = ''): Start {
  const code = `if (process.env.SECOND) { ${second} } else {
    process.env.SECOND = '1';
    process.execPath = '/usr/bin/old-node';
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
  }`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
  return { title: `a simulated Node ${version}`, program: process.execPath, options };
}

const own = machineNode();
const STARTS: readonly Start[] = [
  ...['20.20.2', '22.12.0', '24.11.1'].map((version) => simulated(version)),
  ...(own === undefined || satisfies(own.version, '>=24.12')
    ? []
    : [{ title: `Node ${own.version} of this machine`, program: own.program, options: [] }]),
];

/** Two clones: one after `npm ci`, whose Node is that of the tests, and one before it. */
const place = scratch();
const START = place.path('installed/src/portico.js');
const BARE = place.path('bare/src/portico.js');
beforeAll(() => {
  for (const clone of ['installed', 'bare']) {
    place.write({
      [`${clone}/package.json`]: '{"type":"module"}',
      [`${clone}/src/cli.ts`]: `export { main } from ${JSON.stringify(join(SOURCE, 'cli.ts'))};`,
    });
    for (const file of ['portico.js', 'older-node.js', 'compiled-code.js'])
      copyFileSync(join(SOURCE, file), place.path(`${clone}/src/${file}`));
  }
  mkdirSync(place.path('installed/node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, place.path('installed/node_modules/.bin/node'));
});
afterAll(() => place[Symbol.dispose]());

describe.each(STARTS)('$title', ({ program, options }) => {
  test('hands arguments, input and exit code over to the installed Node', async () => {
    const version = await run(program, [...options, START, 'version', '--json']);
    expect([version.code, version.stderr]).toEqual([0, '']);
    expect(JSON.parse(version.stdout)).toMatchObject({ node: process.versions.node });
    const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
    const labels = ['eval', '-', '-i', 'set-labels:v0.2', '--', 'team=a b'];
    const evaluated = await run(program, [...options, START, ...labels], { input });
    expect(evaluated, evaluated.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('team: a b'),
    });
    expect(await run(program, [...options, START, 'nosuch'])).toMatchObject({ code: 64 });
  });

  test.each([
    ['SIGINT', 'the process', 130],
    ['SIGTERM', 'the process', 143],
    // Ctrl-C does this. A second signal would end the verb at once.
    ['SIGINT', 'the process group', 130],
    ['SIGTERM', 'the process group', 143],
  ] as const)('stops cleanly after %s to %s', async (signal, target, exit) => {
    place.write({
      'hook.mjs':
        'process.stdin.on("newListener", (name) => name === "readable" && process.stderr.write("waiting\\n"));',
    });
    const hook = place.path('hook.mjs');
    const argv = [`--import=${hook}`, ...options, START, 'eval', '-', '-i', 'set-labels:v0.2'];
    const child = spawn(program, argv, { detached: true });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
      if (stderr === 'waiting\n') process.kill(target === 'the process' ? child.pid! : -child.pid!, signal);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, stderr]).toEqual([exit, 'waiting\nStopped.\n']);
  });

  test('keeps the terminal, so that git can ask for a password', { tags: ['script'] }, async () => {
    place.write({
      'terminal.mjs':
        'import { openSync } from "node:fs"; openSync("/dev/tty", "r+"); console.log("has a terminal");',
    });
    const argv = [program, `--import=${place.path('terminal.mjs')}`, ...options, START, 'version'];
    const line = argv.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
    const { stdout } = await run('script', ['--quiet', '--return', '--command', line, '/dev/null']);
    // The older Node and the installed one each load the module.
    expect(stdout.match(/has a terminal/g)).toHaveLength(2);
  });

  test('says in one line what to do if npm ci was not run', async () => {
    const { code, stderr, stdout } = await run(program, [...options, BARE, '--version']);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^portico needs Node 24\.12 or newer, and this is v[\d.]+\. .*npm ci.*\n$/);
  });
});

test('an outdated installed Node is reported, and does not start itself', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"24.11.1"})';
  const { code, stderr } = await run(process.execPath, ['--import', older, START, '--version']);
  expect([code, stderr]).toEqual([64, expect.stringContaining('run npm ci')]);
});

test('an older Node ends by the signal that ended the installed one', async () => {
  const { program, options } = simulated('20.20.2', 'process.kill(process.pid, "SIGKILL")');
  const child = spawn(program, [...options, START, '--version'], { stdio: 'ignore' });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
});
