/** Functions as Jobs of a real Kubernetes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { jobOf } from '../../src/function/cluster/job.ts';
import { prepareCluster } from '../../src/function/cluster/leftovers.ts';
import { runJob } from '../../src/function/cluster/run-job.ts';
import { clusterSettings, type ClusterSettings } from '../../src/function/cluster/settings.ts';
import { createRuntime } from '../../src/function/runtime.ts';
import type { Limits } from '../../src/function/sandbox/limits.ts';
import type { FunctionOutput } from '../../src/package/render/function-runtime.ts';
import { portico, ROOT, scratch } from '../cli/run-portico.ts';
import { ITEM, outcomeOf, SHORT_LIMITS } from '../function/sandbox/hostile.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { PASSWORD, putImage, startPrivateRegistry } from './image.ts';
import { startNode } from './node.ts';
import { HAS_NODE, PROGRAMS } from './programs.ts';

const NAMESPACE = 'portico-functions';

/** Does what the item's name says. */
const FUNCTION = `read -r first
case "$first" in early) echo early; exit 0 ;; esac
list="$first
$(cat)"
say() { printf 'kind: ResourceList\\nitems: []\\nresults:\\n- message: "%s"\\n' "$(tr '"\\n\\\\' '   ')"; }
case "$list" in
  *'name: echo'*) echo "$list"; echo said >&2 ;;
  *'team: none'*) echo "$list" | sed 's/team: none/team: shop/' ;;
  *'name: fail'*) echo wrong >&2; exit 3 ;;
  *'name: loop'*) while :; do :; done ;;
  *'name: slow'*) sleep 8; echo "$list" ;;
  *'name: fork'*) bomb() { bomb | bomb & }; bomb; sleep 0.2; echo "kind: ResourceList"; echo "items: []" ;;
  *'name: memory'*) tail /dev/zero ;;
  *'name: disk'*) head -c 100000000 /dev/zero > /tmp/a; echo "kind: ResourceList"; echo "items: []" ;;
  *'name: flood'*) yes ;;
  *'name: error'*) yes >&2 ;;
  *'name: look'*) { id -u; env; ls -A /; cat /proc/net/dev; cat /var/run/secrets/kubernetes.io/serviceaccount/token; echo x > /x; echo x > /bin/x; mount -t tmpfs none /bin && echo mounted; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; } 2>&1 | say ;;
esac`;

let plane: ControlPlane;
let settings: ClusterSettings;
let tokenFile: string;
let reference: string;
let host: string;
const started = new AsyncDisposableStack();

beforeAll(async () => {
  if (PROGRAMS === undefined) return;
  const registry = started.use(await startPrivateRegistry());
  host = registry.host;
  reference = putImage(registry, 'private/fn', FUNCTION);
  const pause = putImage(
    registry,
    'public/pause',
    'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done',
  );
  plane = started.use(await startControlPlane(PROGRAMS));
  await apply(`apply -k ${join(ROOT, 'deploy/functions')}`);
  // Controllers make it a moment after the namespace; no pod is admitted before.
  await apply(`wait --for=create serviceaccount/default --namespace ${NAMESPACE} --timeout=60s`);
  await apply('create namespace portico');
  await apply('create serviceaccount portico --namespace portico');
  const [user, password] = PASSWORD.split(':');
  const login = `--docker-server=${host} --docker-username=${user} --docker-password=${password}`;
  await apply(`create secret docker-registry images --namespace ${NAMESPACE} ${login}`);
  tokenFile = join(plane.directory, 'token');
  await newToken();
  settings = settingsFor();
  if (HAS_NODE) started.use(await startNode(plane, pause));
}, 600_000);

afterAll(() => started.disposeAsync(), 120_000);

/** Nothing is left of any run: neither Jobs nor pods. */
afterEach(async () => {
  if (PROGRAMS === undefined) return;
  const until = performance.now() + 60_000;
  let left = '';
  do {
    left = (await plane.kubectl(['get', 'jobs,pods', '--namespace', NAMESPACE, '--output', 'name'])).stdout;
    if (left === '') return;
    await delay(500);
  } while (performance.now() < until);
  expect(left).toBe('');
}, 70_000);

/** A command of kubectl that succeeds, as it is typed. */
async function apply(line: string): Promise<void> {
  const { code, stderr } = await plane.kubectl(line.split(' '));
  expect([code, stderr]).toEqual([0, '']);
}

/** What the server's account may do where functions are. */
async function mayDo(what: string): Promise<string> {
  const line = `auth can-i ${what} --namespace ${NAMESPACE} --as=system:serviceaccount:portico:portico`;
  return (await plane.kubectl(line.split(' '))).stdout.trim();
}

async function newToken(): Promise<void> {
  writeFileSync(tokenFile, await plane.tokenOf('portico', 'portico'));
}

function settingsFor(more: Record<string, string> = {}): ClusterSettings {
  return clusterSettings({
    PORTICO_KUBERNETES_URL: plane.url,
    PORTICO_KUBERNETES_CA_FILE: plane.caFile,
    PORTICO_KUBERNETES_TOKEN_FILE: tokenFile,
    PORTICO_FUNCTIONS_PULL_SECRETS: 'images',
    ...more,
  });
}

function named(name: string): typeof ITEM {
  return { ...ITEM, metadata: { name } };
}

/** Runs the function with these items. */
async function run(
  items: readonly (typeof ITEM)[],
  { as = settings, signal, ...limits }: Partial<Limits> & { as?: ClusterSettings; signal?: AbortSignal } = {},
): Promise<FunctionOutput> {
  const runtime = createRuntime({
    containers: as,
    foreignLimits: { ...SHORT_LIMITS, timeoutMs: 60_000, ...limits },
  });
  const code = { kind: 'container', reference } as const;
  const foreign = runtime.withForeign!({ allowed: [{ image: 'example.com/fn:v1', code }] });
  return foreign.run({ image: 'example.com/fn', tag: 'v1' }, { items }, signal);
}

/** What becomes of a run that may take so long to start. */
async function startedIn(startMs: number, signal?: AbortSignal): Promise<string> {
  const limits: Limits = { ...SHORT_LIMITS, timeoutMs: 10_000 };
  const answer = await runJob({ reference, stdin: '', limits, settings, startMs, signal });
  return 'output' in answer ? (answer.output.refused?.message ?? '') : 'it ran';
}

async function untilTrue(asked: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000;
  while (!(await asked())) {
    if (performance.now() > until) throw new Error('it did not come to that in a minute');
    await delay(200);
  }
}

interface Listed<T> {
  readonly items: readonly T[];
}
interface FoundPod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly imagePullSecrets?: unknown };
  readonly status: { readonly phase: string };
}

async function pods(phase?: string): Promise<readonly FoundPod[]> {
  const { items } = (await plane.get('pods', '--namespace', NAMESPACE)) as Listed<FoundPod>;
  return items.filter(({ status }) => phase === undefined || status.phase === phase);
}

describe('an API server', { tags: ['cluster'] }, () => {
  test('gives the server the rights that it needs, and no others', async () => {
    for (const what of [
      'get secrets',
      'get pods/log',
      'create pods',
      'create pods/exec',
      'patch jobs',
      'get jobs',
    ])
      expect([what, await mayDo(what)]).toEqual([what, 'no']);
    expect(await mayDo('create jobs')).toBe('yes');
    expect(await prepareCluster(settings)).toEqual([]);
    const elsewhere = await prepareCluster({ ...settings, namespace: 'default' });
    expect(elsewhere).toEqual([expect.stringMatching(/jobs.* 403/), expect.stringMatching(/policies.* 403/)]);
  });

  test('refuses a token of another account', async () => {
    await apply('create serviceaccount other --namespace portico');
    writeFileSync(tokenFile, await plane.tokenOf('portico', 'other'));
    expect(outcomeOf(await run([named('echo')]))).toBe('CLUSTER_API');
    writeFileSync(tokenFile, 'no token');
    expect((await run([named('echo')])).refused?.message).toMatch(/answered 401/);
    await newToken();
  });

  test('is believed by its certificate alone', async () => {
    const trusting = settingsFor({ PORTICO_KUBERNETES_CA_FILE: '' });
    expect((await run([named('echo')], { as: trusting })).refused?.message).toMatch(/certificate/);
  });

  test('admits no pod that asks for more than the Pod Security Standard allows', async () => {
    const job = JSON.parse(
      JSON.stringify(jobOf('portico-function-0', reference, { ...SHORT_LIMITS, timeoutMs: 1 }, settings)),
    );
    const create = async (): Promise<string> => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a', namespace: NAMESPACE },
        spec: job.spec.template.spec,
      };
      return (await plane.kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod))).stderr;
    };
    expect(await create()).toBe('');
    job.spec.template.spec.containers[0].securityContext.allowPrivilegeEscalation = true;
    expect(await create()).toMatch(/violates PodSecurity "restricted:latest"/);
  });
});

describe.skipIf(HAS_NODE)('an API server without a node', { tags: ['cluster'] }, () => {
  test('says why a pod does not start', async () => {
    expect(await startedIn(10_000)).toMatch(/did not start in 10 s: no nodes available to schedule pods/);
  });
});

describe('a function in a real pod', { tags: ['cluster-node'] }, () => {
  test('of a private image gets the ResourceList and answers', async () => {
    expect(await run([named('echo')])).toMatchObject({
      exitCode: 0,
      items: [named('echo')],
      stderr: 'said\n',
    });
  });

  test('takes and gives megabytes', async () => {
    const items = Array.from({ length: 40_000 }, (_, at) => named(`item-${at}-ü`));
    items.push(named('echo'));
    const output = await run(items, { memoryBytes: 256 * 1024 * 1024, outputBytes: 16 * 1024 * 1024 });
    expect(output.items).toHaveLength(items.length);
    expect(output.items?.at(-2)).toEqual(items.at(-2));
  });

  test.each([
    ['fail', 'exit 3'],
    ['loop', 'FUNCTION_TIMEOUT'],
    ['memory', 'FUNCTION_MEMORY_LIMIT'],
    ['disk', 'FUNCTION_MEMORY_LIMIT'],
    ['flood', 'FUNCTION_OUTPUT_LIMIT'],
    ['error', 'FUNCTION_OUTPUT_LIMIT'],
    ['fork', 'exit 0'],
  ])('that does "%s" ends by %s', async (name, outcome) => {
    const output = await run([named(name)], name === 'loop' ? { timeoutMs: 2000 } : {});
    expect([outcomeOf(output), output.refused?.message ?? '']).toEqual([outcome, expect.any(String)]);
    if (name === 'fork') expect(output.stderr).toMatch(/can't fork|Resource temporarily unavailable/);
  });

  test('has 64 MiB in /tmp, and no more', async () => {
    const output = await run([named('disk')], { memoryBytes: 256 * 1024 * 1024 });
    expect(output).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/I\/O error/) });
  });

  test('finds no token, no right and nowhere to write', async () => {
    const said = (await run([named('look')])).results[0]?.message ?? '';
    expect(said).toMatch(/^65534 /);
    expect(said).not.toMatch(/eyJ|mounted/);
    expect(said.match(/Read-only file system/g)).toHaveLength(2);
    expect(said).toMatch(/CapEff:\s+0{16} NoNewPrivs:\s+1 Seccomp:\s+2/);
  });

  test('whose image is not there, or not given, is not waited for', async () => {
    const limits: Limits = { ...SHORT_LIMITS, timeoutMs: 10_000 };
    const absent = `${host}/private/absent@sha256:${'a'.repeat(64)}`;
    for (const [image, as] of [
      [absent, settings],
      [reference.replace('private/fn', 'private/other'), settingsFor({ PORTICO_FUNCTIONS_PULL_SECRETS: '' })],
    ] as const) {
      const answer = await runJob({ reference: image, stdin: '', limits, settings: as });
      expect(answer).toMatchObject({ output: { refused: { code: 'CONTAINER_PULL' } } });
    }
  });

  test('of an aborted render is gone', async () => {
    const aborting = new AbortController();
    const going = run([named('loop')], { signal: aborting.signal });
    await untilTrue(async () => (await pods('Running')).length === 1);
    aborting.abort(new Error('enough'));
    await expect(going).rejects.toThrow('enough');
  });

  test('is run once more when its pod is deleted', async () => {
    const going = run([named('slow')]);
    await untilTrue(async () => (await pods('Running')).length === 1);
    const [pod] = await pods('Running');
    await delay(1000);
    await apply(`delete pod ${pod!.metadata.name} --namespace ${NAMESPACE} --wait=false`);
    expect(await going).toMatchObject({ exitCode: 0, items: [named('slow')] });
  });

  test('answers although the API server is killed and started again meanwhile', async () => {
    const going = run([named('slow')]);
    await untilTrue(async () => (await pods('Running')).length === 1);
    await delay(1000);
    await plane.stopApiServer();
    await plane.startApiServer();
    const output = await going;
    expect(output.refused).toBeUndefined();
    expect(output).toMatchObject({ exitCode: 0, items: [named('slow')] });
  });

  test('does not wait for another server, and is not removed by it', async () => {
    const other = settingsFor();
    const both = [run([named('slow')]), run([named('slow')], { as: { ...other, owner: 'another' } })];
    await untilTrue(async () => (await pods('Running')).length === 2);
    expect(await prepareCluster({ ...settings, owner: 'a-third' })).toEqual([]);
    for (const output of await Promise.all(both)) expect(output).toMatchObject({ exitCode: 0 });
  });

  test('whose server was killed is ended and removed by the cluster', async () => {
    const limits: Limits = { ...SHORT_LIMITS, timeoutMs: 1000 };
    const job = JSON.parse(JSON.stringify(jobOf('portico-function-left', reference, limits, settings)));
    Object.assign(job.spec, { activeDeadlineSeconds: 4, ttlSecondsAfterFinished: 2 });
    const { code } = await plane.kubectl(['create', '-f', '-'], JSON.stringify(job));
    expect(code).toBe(0);
    // It waits for its stdin; afterEach sees that it goes.
    await untilTrue(async () => (await pods('Running')).length === 1);
  });

  test('that does not read its input to the end answers all the same', async () => {
    const limits: Limits = { ...SHORT_LIMITS, timeoutMs: 10_000 };
    const stdin = `early\n${'a line\n'.repeat(1_000_000)}`;
    expect(await runJob({ reference, stdin, limits, settings })).toEqual({
      printed: { exitCode: 0, stdout: 'early\n', stderr: '' },
    });
  });

  test('renders a package for the command line', async () => {
    using place = scratch();
    place.write({
      'repo/.github/portico.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: repo }
spec:
  functions:
  - image: example.com/fn/team:v1
    container: ${reference}
`,
      'repo/web/Kptfile': `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: { name: web }
pipeline:
  mutators:
  - image: example.com/fn/team:v1
`,
      'repo/web/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  team: none\n',
    });
    const { code, stderr } = await portico(['render', 'repo/web', '--config', 'repo/.github/portico.yaml'], {
      cwd: place.path('.'),
      env: {
        PORTICO_CONTAINERS: 'kubernetes',
        PORTICO_KUBERNETES_URL: plane.url,
        PORTICO_KUBERNETES_CA_FILE: plane.caFile,
        PORTICO_KUBERNETES_TOKEN_FILE: tokenFile,
        PORTICO_FUNCTIONS_PULL_SECRETS: 'images',
      },
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(place.read('repo/web')['a.yaml']).toContain('team: shop');
  });

  test('needs the right to get what it attaches to, and from Kubernetes 1.35 on to create it, too', async () => {
    const { gitVersion } = JSON.parse((await plane.kubectl(['get', '--raw', '/version'])).stdout) as {
      gitVersion: string;
    };
    const getSuffices = /^v1\.(?:3[0-4])\./.test(gitVersion);
    const role = `role/portico-functions --namespace ${NAMESPACE} --type=json --patch`;
    const grant = (verbs: readonly string[]): Promise<void> =>
      apply(`patch ${role} ${JSON.stringify([{ op: 'replace', path: '/rules/2/verbs', value: verbs }])}`);
    try {
      for (const [verbs, suffice] of [
        [['get'], getSuffices],
        [['create'], false],
        [['get', 'create'], true],
      ] as const) {
        await grant(verbs);
        const outcome = outcomeOf(await run([named('echo')]));
        expect([verbs, outcome]).toEqual([verbs, suffice ? 'exit 0' : 'CLUSTER_API']);
      }
    } finally {
      await grant(['get', 'create']);
    }
  });

  test('of which a LimitRange makes nothing says so', async () => {
    const spec = { limits: [{ type: 'Container', max: { cpu: '500m' } }] };
    const range = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'small', namespace: NAMESPACE },
      spec,
    };
    expect((await plane.kubectl(['create', '-f', '-'], JSON.stringify(range))).code).toBe(0);
    try {
      expect(await startedIn(4000)).toMatch(/maximum cpu usage per Container is 500m, but limit is 1/);
    } finally {
      await apply(`delete limitrange small --namespace ${NAMESPACE}`);
    }
  });

  test('for which the quota has no room starts when there is some', async () => {
    await apply(`create quota few --hard=pods=1 --namespace ${NAMESPACE}`);
    try {
      const aborting = new AbortController();
      const first = run([named('loop')], { signal: aborting.signal });
      await untilTrue(async () => (await pods('Running')).length === 1);
      expect(await startedIn(4000)).toMatch(/did not start in 4 s: .*exceeded quota: few/);
      const second = run([named('echo')]);
      aborting.abort(new Error('enough'));
      await expect(first).rejects.toThrow();
      expect(await second).toMatchObject({ exitCode: 0 });
    } finally {
      await apply(`delete quota few --namespace ${NAMESPACE}`);
    }
  });
});
