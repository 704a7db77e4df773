import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, describe, expect, test } from 'vitest';

import { containerSettings } from '../../../src/function/container/settings.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { Limits } from '../../../src/function/sandbox/limits.ts';
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';
import { ITEM, LONG, outcomeOf, SECRET, SHORT_LIMITS } from '../sandbox/hostile.ts';

/** Does what the item's name says. */
const FUNCTION = `#!/bin/sh
list="$(cat)"
say() { printf 'kind: ResourceList\\nitems: []\\nresults:\\n- message: "%s"\\n' "$(tr '"\\n\\\\' '   ')"; }
case "$list" in
  *'name: echo'*) echo "$list" ;;
  *'name: loop'*) while :; do :; done ;;
  *'name: fork'*) bomb() { bomb | bomb & }; bomb; sleep 0.2; echo "kind: ResourceList"; echo "items: []" ;;
  *'name: memory'*) tail /dev/zero ;;
  *'name: flood'*) yes ;;
  *'name: error'*) yes >&2 ;;
  *'name: silent'*) : ;;
  *'name: look'*) { id -u; env; ls -A /home /root /work; cat /proc/net/dev; echo x > /x; echo x > /bin/x; mount -t tmpfs none /bin && echo mounted; wget -q -T 2 http://1.1.1.1/ && echo fetched; cat /proc/1/cgroup | head -1; } 2>&1 | say ;;
esac`;

const FLAGS = ['', '--runtime=runc --ulimit nofile=1024:1024 --ulimit nproc=1024:1024'];
const PODMAN = 'podman';
const work = mkdtempSync(join(tmpdir(), 'portico-container-'));
const image = `localhost/portico-hostile-${process.pid}`;
const found = prepare();

afterAll(() => {
  rmSync(work, { recursive: true });
  if (typeof found !== 'string') podman('rmi', '--force', image);
});

/** An image of busybox and the script; a word for what is missing where there can be none. */
function prepare(): { readonly reference: string; readonly flags: string } | string {
  try {
    podman('--version');
  } catch {
    return 'podman';
  }
  if (!existsSync('/usr/bin/busybox')) return 'busybox-static';
  const root = join(work, 'root');
  for (const folder of ['bin', 'tmp', 'proc', 'dev', 'sys', 'etc']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('/usr/bin/busybox', join(root, 'bin/busybox'));
  const commands = ['sh', 'cat', 'tail', 'yes', 'env', 'ls', 'id', 'tr', 'head', 'wget', 'mount', 'sleep'];
  for (const name of commands) copyFileSync('/usr/bin/busybox', join(root, 'bin', name));
  writeFileSync(join(root, 'fn'), FUNCTION);
  chmodSync(join(root, 'fn'), 0o755);
  execFileSync('tar', ['-C', root, '-cf', join(work, 'image.tar'), '.']);
  podman('import', '--change', 'ENTRYPOINT ["/fn"]', join(work, 'image.tar'), image);
  const reference = podman('image', 'inspect', '--format', '{{index .RepoDigests 0}}', image).trim();
  for (const flags of FLAGS) {
    const words = flags.split(' ').filter((word) => word !== '');
    try {
      podman('run', '--rm', '--network=none', ...words, '--entrypoint=/bin/ls', reference);
      return { reference, flags };
    } catch {
      // The next flags may do.
    }
  }
  return 'a podman that can start containers';
}

function podman(...args: string[]): string {
  return execFileSync(PODMAN, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Containers of the image, running or not. */
function containersLeft(): string {
  const id = podman('image', 'inspect', '--format', '{{.Id}}', image).trim();
  return podman('ps', '--all', '--filter', `ancestor=${id}`, '--quiet');
}

/** Runs the function with an item of that name. */
function run(name: string, limits: Partial<Limits>, signal?: AbortSignal): Promise<FunctionOutput> {
  const { reference, flags } = found as Exclude<typeof found, string>;
  const containers = containerSettings({
    ...process.env,
    PORTICO_CONTAINERS: 'podman',
    PORTICO_CONTAINER_FLAGS: flags,
    PORTICO_TEST_SECRET: SECRET,
  });
  const runtime = createRuntime({ containers: containers!, foreignLimits: limits });
  const code = { kind: 'container', reference } as const;
  const foreign = runtime.withForeign!({ allowed: [{ image: 'example.com/fn:v1', code }] });
  const item = { ...ITEM, metadata: { name } };
  return foreign.run({ image: 'example.com/fn', tag: 'v1' }, { items: [item] }, signal);
}

describe.skipIf(typeof found === 'string').concurrent('a container', { tags: ['podman'] }, () => {
  const limits = LONG ? {} : SHORT_LIMITS;

  test('gets the ResourceList and answers', async () => {
    const item = { ...ITEM, metadata: { name: 'echo' } };
    expect(await run('echo', limits)).toMatchObject({ exitCode: 0, items: [item] });
  });

  test('that never ends is ended', async () => {
    const output = await run('loop', LONG ? {} : { ...limits, timeoutMs: 500 });
    expect(outcomeOf(output)).toBe('FUNCTION_TIMEOUT');
  });

  test('that forks without end gets no more processes', async () => {
    const output = await run('fork', limits);
    expect(output.stderr).toMatch(/can't fork|Resource temporarily unavailable/);
  });

  test('that eats memory is ended', async () => {
    expect(outcomeOf(await run('memory', limits))).toBe('FUNCTION_MEMORY_LIMIT');
  });

  test.each(LONG ? ['flood', 'error'] : ['flood'])('that prints too much is ended: %s', async (name) => {
    const output = await run(name, limits);
    expect(outcomeOf(output)).toBe('FUNCTION_OUTPUT_LIMIT');
    expect((output.stderr ?? '').length).toBeLessThan(70_000);
  });

  test('that prints nothing has failed', { tags: ['campaign'] }, async () => {
    expect(outcomeOf(await run('silent', limits))).toBe('FUNCTION_OUTPUT');
  });

  test('finds no file, variable or network of the machine, and nowhere to write', async () => {
    const { results } = await run('look', limits);
    const said = results[0]!.message;
    expect(said).toMatch(/^65534 /);
    expect(said).not.toMatch(new RegExp(`${SECRET}|PORTICO|fetched|mounted|eth|\\btap|wl`));
    expect(said.match(/Read-only file system/g)).toHaveLength(2);
  });
});

describe.skipIf(typeof found === 'string')('afterwards', { tags: ['podman'] }, () => {
  test('no container is left, and none when a render is aborted', async () => {
    expect(containersLeft()).toBe('');
    const aborting = new AbortController();
    const running = run('loop', {}, aborting.signal);
    while (containersLeft() === '') await delay(50);
    aborting.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(containersLeft()).toBe('');
  });

  // Podman tries three times.
  test('an image that is not there and cannot be had is named', { tags: ['campaign'] }, async () => {
    const containers = containerSettings({ ...process.env, PORTICO_CONTAINERS: 'podman' })!;
    const reference = `localhost:1/none@sha256:${'0'.repeat(64)}`;
    const foreign = createRuntime({ containers }).withForeign!({
      allowed: [{ image: 'example.com/fn:v1', code: { kind: 'container', reference } }],
    });
    const { refused } = await foreign.run({ image: 'example.com/fn:v1' }, { items: [ITEM] });
    expect(refused).toMatchObject({ code: 'CONTAINER_PULL' });
  });
});

describe('how containers are started', () => {
  test.each([undefined, '', 'off'])('not at all when PORTICO_CONTAINERS is %j', (word) => {
    expect(containerSettings({ ...process.env, PORTICO_CONTAINERS: word })).toBeUndefined();
  });

  test.each(['runc', '/bin/sh', 'docker --privileged'])('%s is no such program', (word) => {
    expect(() => containerSettings({ ...process.env, PORTICO_CONTAINERS: word })).toThrow(
      /PORTICO_CONTAINERS/,
    );
  });

  test('with the variables that the program needs, and no secret', () => {
    writeFileSync(join(work, 'docker'), '');
    chmodSync(join(work, 'docker'), 0o755);
    const settings = containerSettings({
      PATH: work,
      HOME: '/home/x',
      PRIVATE_KEY: SECRET,
      DOCKER_HOST: 'unix:///x',
      PORTICO_CONTAINERS: 'auto',
      PORTICO_CONTAINER_FLAGS: "--runtime=runsc --env 'A=b c'",
    });
    expect(settings).toEqual({
      program: join(work, 'docker'),
      kind: 'docker',
      flags: ['--runtime=runsc', '--env', 'A=b c'],
      env: { PATH: work, HOME: '/home/x', DOCKER_HOST: 'unix:///x' },
    });
  });
});
