// @module-tag story
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { sha256, startMemoryRegistry, type MemoryRegistry } from '../oci/memory-registry.ts';

let registry: MemoryRegistry;
let root: string;
let env: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  registry = await startMemoryRegistry();
  root = mkdtempSync(join(tmpdir(), 'registry-cli-'));
  mkdirSync(join(root, 'web'));
  writeFileSync(
    join(root, 'web', 'Kptfile'),
    'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n',
  );
  writeFileSync(
    join(root, 'web', 'config.yaml'),
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n',
  );
  const auth = Buffer.from('bot:hunter2-hunter2').toString('base64');
  writeFileSync(join(root, 'auth.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line beside this process, which answers for the registry. `stop` ends it at once. */
function portico(...args: string[]): { readonly ended: Promise<Ended>; readonly stop: () => void } {
  const child = spawn(process.execPath, [resolve('src/portico.js'), ...args], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      REGISTRY_AUTH_FILE: join(root, 'auth.json'),
      NO_COLOR: '1',
      ...env,
    },
  });
  const [out, errors]: [string[], string[]] = [[], []];
  child.stdout.on('data', (part: Buffer) => out.push(part.toString()));
  child.stderr.on('data', (part: Buffer) => errors.push(part.toString()));
  const { promise, resolve: end } = Promise.withResolvers<Ended>();
  child.on('close', (code, signal) => end({ code, signal, stdout: out.join(''), stderr: errors.join('') }));
  return { ended: promise, stop: () => void child.kill('SIGKILL') };
}

const named = (): string[] => [...registry.manifests.keys()].filter((name) => !name.includes('@')).sort();

test('a push that is killed leaves nothing half, and one artefact once it ran to its end', async () => {
  const basic = `Basic ${Buffer.from('bot:hunter2-hunter2').toString('base64')}`;
  const push = ['push', 'web', `${registry.host}/acme/web:v1`, '--channel', 'stable', '--json'];
  // Before the first tag, once it is there, and before the channel.
  const deaths = [/^PUT .*manifests\/v1$/, /^HEAD .*manifests\/v1$/, /^PUT .*manifests\/stable$/];
  for (const [at, death] of deaths.entries()) {
    const run = portico(...push);
    const seen = new Set<string>();
    registry.interrupt = ({ method, path, authorization }, response) => {
      if (authorization !== basic) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end();
        return true;
      }
      const step = `${method} ${path}`;
      // The same question is asked before there is anything, too.
      const due = death.test(step) && (method !== 'HEAD' || seen.has(`PUT ${path}`));
      seen.add(step);
      if (due) run.stop();
      return due;
    };
    const ended = await run.ended;
    expect(ended.signal, ended.stderr).toBe('SIGKILL');
    expect(named()).toEqual(at === 0 ? [] : ['acme/web:v1']);
    if (at === 1) registry.manifests.clear();
    // The third dies with the tag there and the channel not.
    if (at === 1) registry.blobs.clear();
  }
  registry.interrupt = () => false;
  const { code, stdout, stderr } = await portico(...push).ended;
  expect(code, stderr).toBe(0);
  const { digest, tags } = JSON.parse(stdout);
  expect(tags).toEqual([
    { tag: 'v1', outcome: 'unchanged' },
    { tag: 'stable', outcome: 'created' },
  ]);
  expect(named()).toEqual(['acme/web:stable', 'acme/web:v1']);
  expect(new Set([...registry.manifests.values()].map(({ bytes }) => sha256(bytes)))).toEqual(
    new Set([digest]),
  );
});

test('a revision stays; what is pulled is what was pushed, and a second pull writes nothing', async () => {
  const reference = `${registry.host}/acme/web:v1`;
  const other = await portico('push', 'web', reference, '--rendered', '--json').ended;
  expect(other.code).toBe(1);
  const { refused } = JSON.parse(other.stdout);
  expect(refused).toEqual({
    tag: 'v1',
    held: sha256(registry.manifests.get('acme/web:v1')!.bytes),
    wanted: expect.stringMatching(/^sha256:/),
  });
  expect(other.stderr).toContain(`is ${refused.held}, but this package is ${refused.wanted}`);

  const pulled = await portico('pull', `oci://${registry.host}/acme/web:stable`, 'again', '--json').ended;
  expect(pulled.code, pulled.stderr).toBe(0);
  expect(JSON.parse(pulled.stdout)).toMatchObject({
    digest: refused.held,
    files: ['Kptfile', 'config.yaml'],
    changed: true,
  });
  const text = (directory: string): string => readFileSync(join(root, directory, 'config.yaml'), 'utf8');
  expect(text('again')).toBe(text('web'));
  const twice = await portico('pull', reference, 'again', '--json').ended;
  expect(JSON.parse(twice.stdout)).toMatchObject({ changed: false });
  writeFileSync(join(root, 'again', 'config.yaml'), 'mine');
  const kept = await portico('pull', reference, 'again').ended;
  expect([kept.code, text('again')]).toEqual([64, 'mine']);
  expect([other, pulled, twice, kept].map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(
    'hunter2',
  );
});

test('a registry that names the token server of another one gets neither its password nor its token', async () => {
  await using victim = await startMemoryRegistry();
  const auth = Buffer.from('bot:hunter2-hunter2').toString('base64');
  const hostile = registry.host.replace('127.0.0.1', 'localhost');
  const logins = join(root, 'both.json');
  writeFileSync(logins, JSON.stringify({ auths: { [hostile]: { auth }, [victim.host]: { auth } } }));
  env = { INSIDE_HOSTS: victim.url.origin };
  victim.interrupt = (_asked, response) => {
    response.end('{"token":"of-the-victim"}');
    return true;
  };
  registry.interrupt = (_asked, response) => {
    const challenge = `Bearer realm="${victim.url.href}token",scope="repository:a/b:pull,push,delete"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
  registry.asked.splice(0);
  const pull = ['pull', `${hostile}/acme/web:v1`, 'stolen', '--authfile', logins];
  const { code, stderr } = await portico(...pull).ended;
  expect([code, victim.asked]).toEqual([65, []]);
  expect(stderr).toContain(`pass --token-host ${victim.host}`);
  expect(registry.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
  await portico(...pull, '--token-host', victim.host).ended;
  expect(victim.asked.map(({ path }) => path)).toEqual(['/token?scope=repository%3Aacme%2Fweb%3Apull']);
  env = {};
});
