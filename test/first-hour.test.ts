/** The tutorial, step by step as it is written: its commands are taken out of the page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';

import { startForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { runSteps, stepsOf } from '../scripts/pictures/page-steps.ts';
import { ROOT, run, scratch } from './cli/run-portico.ts';
import { eventually } from './e2e/eventually.ts';
import { freePort } from './e2e/portico-process.ts';
import { longTest } from './long-test.ts';
import { MACHINE_PATH } from './machine-path.ts';
import { startRegistry } from './oci/real-registry.ts';

const page = readFileSync('docs/first-hour.md', 'utf8');
const steps = stepsOf(page);

test('the tutorial has a command for each step, and every step is told of', () => {
  expect(steps.length).toBeGreaterThanOrEqual(page.match(/^## /gm)!.length);
});

test('a wait of the tutorial ends, and shows the log', async () => {
  const waits = steps.flatMap(
    ({ commands }) => commands.match(/^.*\b(?:until|while|sleep|wait_for \S)/gm) ?? [],
  );
  expect(waits.filter((line) => !line.startsWith('wait_for '))).toEqual([
    expect.stringContaining('for _ in {1..120}'),
  ]);
  using hour = scratch();
  hour.write({ 'dev.log': 'port 4290 is in use\n' });
  const wait = steps.find(({ commands }) => commands.startsWith('wait_for()'))?.commands ?? '';
  const hasty = `sleep() { :; }\n${wait}\nwait_for use cat dev.log && wait_for http cat dev.log`;
  const { code, stderr } = await run('bash', ['-c', hasty], {
    cwd: hour.path('.'),
    env: { HOUR: hour.path('.') },
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^"http" did not appear .*\/dev\.log:\nport 4290 is in use\n$/),
  ]);
});

longTest(
  'the commands of the tutorial do what it says, with the Node of this machine',
  async () => {
    using hour = scratch();
    const env = {
      PATH: MACHINE_PATH,
      HOUR: hour.path('hour'),
      PORT: String(await freePort()),
      HOME: hour.path('.'),
      GIT_CONFIG_GLOBAL: hour.path('gitconfig'),
    };
    const { code, stdout, stderr } = await runSteps(steps, { cwd: ROOT, env });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('colour: red\n  region: eu');
  },
  400_000,
);

test(
  'the commands of the page about operators lead from a bundle to an update of the cluster',
  { tags: ['story', 'docker-registry'], timeout: 600_000 },
  async () => {
    await using registry = await startRegistry();
    using hour = scratch();
    const env = {
      PATH: MACHINE_PATH,
      HOUR: hour.path('hour'),
      PORT: String(await freePort()),
      REGISTRY: registry.host,
      HOME: hour.path('.'),
      GIT_CONFIG_GLOBAL: hour.path('gitconfig'),
    };
    const operatorPage = stepsOf(readFileSync('docs/first-operator.md', 'utf8'));
    const { code, stdout, stderr } = await runSteps(operatorPage, { cwd: ROOT, env });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('redis.v1.1.0');
    const line = (sign: string): RegExp =>
      new RegExp(`^\\${sign} +ref: ${registry.host}/acme/catalog@sha256:[0-9a-f]{64} # kpt-set: .*$`, 'm');
    expect(stdout).toMatch(line('-'));
    expect(stdout).toMatch(line('+'));
  },
);

longTest(
  'the commands of the page on github.com create, start and check an App on the local forge',
  async () => {
    await using forge = await startForge({
      manifestFile: 'app.yml',
      config: {
        tokens: { 'alice-token': { login: 'alice' } },
        orgs: [{ login: 'acme', members: { alice: 'admin' } }],
        app: { installations: [{ account: 'acme' }] },
      },
    });
    using home = scratch();
    const port = await freePort();
    const env = {
      HOME: home.path('.'),
      PATH: MACHINE_PATH,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: String(port),
    };
    /** Runs commands as a person does, in a process group that Ctrl-C can end. */
    const type = (commands: string) => {
      const bash = spawn('bash', ['-c', commands], { cwd: ROOT, env, detached: true });
      let output = '';
      for (const stream of [bash.stdout, bash.stderr]) stream.on('data', (part) => (output += String(part)));
      return {
        output: () => output,
        ended: once(bash, 'close'),
        interrupt: () => process.kill(-bash.pid!, 'SIGINT'),
      };
    };
    const blocks = [
      ...readFileSync('docs/first-hour-github.md', 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```$/gm),
    ];
    const [create = '', serve = '', check = '', ...others] = blocks.map(([, commands = '']) => commands);
    expect(others).toEqual([]);
    const begin = create.split('\n').slice(0, 3).join('\n');

    // The local forge takes the place of github.com, and needs no relay.
    const local = create
      .replace('--org acme', `--org acme --ghe ${new URL(forge.url).host}`)
      .replace('https://smee.io/YOUR-CHANNEL', `http://127.0.0.1:${port}/api/github/webhooks`);
    const creation = type(local);
    await eventually('the address of the page', async () => creation.output().includes('Open http'), 60);
    await registerApp(/http:\/\/127\.0\.0\.1:\d+\//.exec(creation.output())?.[0] ?? '', forge.url);
    expect([await creation.ended, creation.output()]).toEqual([
      [0, null],
      expect.stringContaining('portico app check'),
    ]);

    const server = type(`${begin}\n${serve}`);
    await eventually('the server', async () => server.output().includes('portico is up'), 60);
    const checked = type(`${begin}\n${check}`);
    expect([await checked.ended, checked.output()]).toEqual([
      [0, null],
      expect.stringContaining('[ OK ] database'),
    ]);
    server.interrupt();
    expect(await server.ended, server.output()).toEqual([0, null]);
  },
  180_000,
);

/** Does what the buttons of both pages do: the form of Portico's page goes to the forge, and the forge's code comes back. */
async function registerApp(page: string, forge: string): Promise<void> {
  const html = await (await fetch(page)).text();
  const state = /\?state=([^"]+)"/.exec(html)?.[1] ?? '';
  const manifest = unescaped(/name="manifest" value="([^"]*)"/.exec(html)?.[1] ?? '');
  const registered = await fetch(new URL('/settings/apps', forge), {
    method: 'POST',
    headers: { cookie: 'forge_viewer=alice', origin: new URL(forge).origin },
    body: new URLSearchParams({ manifest, state }),
  });
  const back = unescaped(/href="(http[^"]*\/created\?[^"]*)"/.exec(await registered.text())?.[1] ?? '');
  expect(await (await fetch(back)).text()).toContain('The App is created');
}

function unescaped(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

/** What the program may say, without regard to case. */
const said = globSync(['src/**/*.ts', 'packages/cli/*.js'])
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
  .toLowerCase();

test('what the page on github.com quotes of Portico is what the program says', () => {
  const github = readFileSync('docs/first-hour-github.md', 'utf8').replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const quoted = [...github.matchAll(/"([^"\n]+)"/g)].map(([, text = '']) => text);
  expect(quoted.length).toBeGreaterThan(8);
  // Names of the example stand where the program has them from elsewhere.
  const pieces = quoted.flatMap((text) => text.split(/github\.com|\bweb\b|\b(?:upstream )?v\d\b/));
  expect(pieces.filter((piece) => !said.includes(piece.toLowerCase()))).toEqual([]);
});

test('messages of the page on troubleshooting are what the program says', () => {
  const rows = [...readFileSync('docs/questions.md', 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, text = '']) => text,
  );
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter((text) => !said.includes(text.toLowerCase()))).toEqual([]);
});
