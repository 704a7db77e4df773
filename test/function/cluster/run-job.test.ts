import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { prepareCluster } from '../../../src/function/cluster/leftovers.ts';
import { runJob } from '../../../src/function/cluster/run-job.ts';
import { clusterSettings, type ClusterSettings } from '../../../src/function/cluster/settings.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { Limits } from '../../../src/function/sandbox/limits.ts';
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';
import { faultsOf } from '../../deploy/judge-manifests.ts';
import { ITEM, outcomeOf, SHORT_LIMITS } from '../sandbox/hostile.ts';
import { DENY_ALL, NAMESPACE, startFakeApiServer, type FakeApiServer } from './fake-api-server.ts';

const reference = `registry.example/private/fn@sha256:${'a'.repeat(64)}`;
const work = mkdtempSync(join(tmpdir(), 'portico-cluster-'));
const tokenFile = join(work, 'token');
afterAll(() => rmSync(work, { recursive: true }));

let cluster: FakeApiServer;
let settings: ClusterSettings;

beforeEach(async () => {
  cluster = await startFakeApiServer();
  writeFileSync(tokenFile, 'first-token\n');
  settings = settingsFor(cluster.url);
});
afterEach(async () => {
  expect(cluster.running()).toBe(0);
  await cluster[Symbol.asyncDispose]();
});

function settingsFor(url: string, more: Record<string, string> = {}): ClusterSettings {
  return clusterSettings({
    PORTICO_KUBERNETES_URL: url,
    PORTICO_KUBERNETES_TOKEN_FILE: tokenFile,
    // As in a pod.
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    HOSTNAME: 'portico-0',
    ...more,
  });
}

function run(
  { items = [ITEM], ...limits }: Partial<Limits> & { items?: (typeof ITEM)[] } = {},
  signal?: AbortSignal,
): Promise<FunctionOutput> {
  const runtime = createRuntime({ containers: settings, foreignLimits: { ...SHORT_LIMITS, ...limits } });
  const code = { kind: 'container', reference } as const;
  const foreign = runtime.withForeign!({ allowed: [{ image: 'example.com/fn:v1', code }] });
  return foreign.run({ image: 'example.com/fn', tag: 'v1' }, { items }, signal);
}

function posted(): number {
  return cluster.calls.filter((call) => call.startsWith('POST')).length;
}

describe('a function on Kubernetes', () => {
  test('gets the ResourceList, answers, and leaves nothing', async () => {
    cluster.behaviour.script = 'cat; echo said >&2';
    const items = Array.from({ length: 2000 }, (_, at) => ({ ...ITEM, metadata: { name: `item-${at}-ü` } }));
    const output = await run({ items });
    expect(output).toMatchObject({ exitCode: 0, items, stderr: 'said\n' });
    expect(posted()).toBe(1);
    expect(cluster.jobs.size).toBe(0);
  });

  test('is told apart by how it ends', async () => {
    cluster.behaviour.script = 'cat > /dev/null; echo wrong >&2; exit 3';
    expect(await run()).toMatchObject({ exitCode: 3, stderr: 'wrong\n' });
  });

  test('that never ends is ended', async () => {
    cluster.behaviour.script = 'sleep 600';
    expect(outcomeOf(await run({ timeoutMs: 300 }))).toBe('FUNCTION_TIMEOUT');
    expect(cluster.jobs.size).toBe(0);
  });

  test.each(['yes', 'yes >&2'])('that prints too much is ended: %s', async (script) => {
    cluster.behaviour.script = script;
    const output = await run();
    expect(outcomeOf(output)).toBe('FUNCTION_OUTPUT_LIMIT');
    expect((output.stderr ?? '').length).toBeLessThan(70_000);
  });

  test('that needs more memory than its Job allows is ended', async () => {
    cluster.behaviour.script = 'tail /dev/zero';
    expect(outcomeOf(await run())).toBe('FUNCTION_MEMORY_LIMIT');
  });

  test('that the cluster evicts is said to be', async () => {
    cluster.behaviour.script = 'exit 137';
    cluster.behaviour.ended = { reason: 'Evicted', message: 'ephemeral storage exceeds 128Mi' };
    expect((await run()).refused?.message).toMatch(/ended early: Evicted: ephemeral storage/);
    expect(posted()).toBe(2);
  });

  test('of an aborted render is deleted', async () => {
    cluster.behaviour.script = 'sleep 600';
    const aborting = new AbortController();
    const going = run({}, aborting.signal);
    while (cluster.running() === 0) await delay(10);
    aborting.abort(new Error('enough'));
    await expect(going).rejects.toThrow('enough');
    expect(cluster.jobs.size).toBe(0);
  });

  test('whose output does not arrive whole is run once more, and then has failed', async () => {
    cluster.behaviour.script = 'cat; head -c 100000 /dev/zero';
    cluster.behaviour.cut = { afterBytes: 50_000, times: 2 };
    const { refused, items } = await run();
    expect(items).toBeUndefined();
    expect(refused).toMatchObject({ code: 'CONTAINER_FAILED' });
    expect(posted()).toBe(2);
  });

  test('whose connection is lost once answers', async () => {
    cluster.behaviour.script = 'cat; sleep 0.1; echo said >&2';
    cluster.behaviour.cut = { afterBytes: 10, times: 1 };
    expect(await run()).toMatchObject({ exitCode: 0, items: [ITEM], stderr: 'said\n' });
    expect(posted()).toBe(2);
    expect(cluster.jobs.size).toBe(0);
  });

  test('whose pod goes away before it starts is run once more', async () => {
    cluster.behaviour.unschedulable = '0/3 nodes are available';
    const going = run();
    while (!cluster.calls.some((call) => call.endsWith('/pods'))) await delay(10);
    delete cluster.behaviour.unschedulable;
    cluster.jobs.clear();
    expect(await going).toMatchObject({ exitCode: 0, items: [ITEM] });
    expect(posted()).toBe(2);
  });

  test('that ends before it is given its input has failed', async () => {
    cluster.behaviour.early = true;
    expect((await run()).refused?.message).toMatch(/ended before it had read its input/);
  });

  test.each([
    ['ErrImagePull', 'CONTAINER_PULL', 'PORTICO_FUNCTIONS_PULL_SECRETS'],
    ['CreateContainerConfigError', 'CONTAINER_FAILED', 'as any user'],
  ])('that cannot start is not waited for: %s', async (reason, code, hint) => {
    cluster.behaviour.waiting = { reason, message: 'it is so' };
    const { refused } = await run();
    expect(refused).toMatchObject({ code, hint: expect.stringContaining(hint) });
    expect(refused!.message).toContain(`${reason}: it is so`);
    expect(cluster.jobs.size).toBe(0);
  });

  test.each([
    ['no place', { unschedulable: '0/3 nodes are available' }, /did not start in 0\.1 s: 0\/3 nodes/],
    ['no quota', { uncreated: 'exceeded quota: few' }, /did not start in 0\.1 s: exceeded quota: few/],
  ])('for which there is %s is given up in time, and it says why', async (_, behaviour, message) => {
    Object.assign(cluster.behaviour, behaviour);
    const limits = { ...SHORT_LIMITS, timeoutMs: 1000 };
    const hasty = { ...settings, patienceMs: 0 };
    const run = { reference, stdin: '', limits, settings: hasty, startMs: 100 };
    const given = { output: { refused: { message: expect.stringMatching(message) } } };
    expect(await runJob(run)).toMatchObject(given);
    // With a Role that does not allow events, less is said.
    cluster.behaviour.forbidden = 'events';
    expect(await runJob(run)).toMatchObject({
      output: {
        refused: {
          message: expect.stringMatching(/did not start in 0\.1 s: (?:0\/3|the cluster made none)/),
        },
      },
    });
    expect(cluster.jobs.size).toBe(0);
  });

  test('runs by digest alone', async () => {
    const limits = { ...SHORT_LIMITS, timeoutMs: 1000 };
    const answer = await runJob({ reference: 'example.com/fn:v1', stdin: '', limits, settings });
    expect(answer).toMatchObject({ output: { refused: { message: expect.stringContaining('no digest') } } });
    expect(cluster.calls).toEqual([]);
  });
});

describe('the Job', () => {
  test('is valid, limited, and without rights', async () => {
    settings = settingsFor(cluster.url, { PORTICO_FUNCTIONS_PULL_SECRETS: 'registry, other' });
    cluster.behaviour.script = 'sleep 600';
    const aborting = new AbortController();
    const going = run({ timeoutMs: 60_000 }, aborting.signal);
    while (cluster.running() === 0) await delay(10);
    const [job] = cluster.jobs.values();
    aborting.abort();
    await expect(going).rejects.toThrow();
    expect(await faultsOf(JSON.stringify(job))).toEqual([]);
    expect(job).toMatchObject({
      metadata: { namespace: NAMESPACE },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: 390,
        ttlSecondsAfterFinished: 60,
        template: {
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            imagePullSecrets: [{ name: 'registry' }, { name: 'other' }],
            securityContext: {
              runAsNonRoot: true,
              runAsUser: 65_534,
              seccompProfile: { type: 'RuntimeDefault' },
            },
            containers: [
              {
                image: reference,
                stdin: true,
                stdinOnce: true,
                resources: { limits: { cpu: '1', memory: '64Mi', 'ephemeral-storage': '128Mi' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
  });
});

describe('the network', () => {
  const open = { metadata: { name: 'open' } };
  test.each<[string, object[]]>([
    ['no policy', []],
    [
      'a policy for other pods',
      [{ ...DENY_ALL, spec: { ...DENY_ALL.spec, podSelector: { matchLabels: { app: 'x' } } } }],
    ],
    [
      'a policy for some of the pods',
      [{ ...DENY_ALL, spec: { ...DENY_ALL.spec, podSelector: { matchExpressions: [{}] } } }],
    ],
    [
      'a policy for what comes in alone',
      [{ ...DENY_ALL, spec: { podSelector: {}, policyTypes: ['Ingress'] } }],
    ],
    [
      'a policy that lets names be asked',
      [{ ...DENY_ALL, spec: { ...DENY_ALL.spec, egress: [{ ports: [{ port: 53 }] }] } }],
    ],
    [
      'a second policy that opens what the first denies',
      [DENY_ALL, { ...open, spec: { podSelector: {}, egress: [{}] } }],
    ],
    [
      'one that opens for labels that others may give',
      [DENY_ALL, { ...open, spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{}] } }],
    ],
  ])('no function runs with %s', async (_, policies) => {
    cluster.behaviour.policies = policies;
    expect(outcomeOf(await run())).toBe('CLUSTER_POLICY');
    expect(posted()).toBe(0);
    expect(await prepareCluster(settings)).toEqual([expect.stringContaining('NetworkPolicy')]);
  });

  test('a policy for pods of another name does not matter', async () => {
    const other = { matchLabels: { 'app.kubernetes.io/name': 'other' } };
    cluster.behaviour.policies = [DENY_ALL, { ...open, spec: { podSelector: other, egress: [{}] } }];
    expect(await run()).toMatchObject({ exitCode: 0 });
  });
});

describe('the API server', () => {
  test('gets the token of the moment', async () => {
    expect(await run()).toMatchObject({ exitCode: 0 });
    cluster.behaviour.token = 'second-token';
    settings = { ...settings, patienceMs: 0 };
    const refused = await run();
    expect(outcomeOf(refused)).toBe('CLUSTER_API');
    expect(JSON.stringify(refused)).not.toContain('first-token');
    writeFileSync(tokenFile, 'second-token');
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  test.each(['networkpolicies', 'jobs', 'pods'])('that forbids %s is quoted', async (what) => {
    cluster.behaviour.forbidden = what;
    settings = { ...settings, patienceMs: 0 };
    const { refused } = await run();
    expect(refused).toMatchObject({ code: 'CLUSTER_API', hint: expect.stringContaining('deploy/functions') });
    expect(refused!.message).toContain(
      `it answered 403: User "system:serviceaccount:portico:portico" cannot`,
    );
  });

  test('that forbids to attach is quoted, and nothing runs once more', async () => {
    cluster.behaviour.forbidden = 'attach';
    settings = { ...settings, patienceMs: 0 };
    const { refused } = await run();
    expect(refused).toMatchObject({ code: 'CLUSTER_API', hint: expect.stringContaining('deploy/functions') });
    expect(refused!.message).toMatch(/it answered 403: .* cannot reach attach/);
    expect(posted()).toBe(1);
  });

  test('that cannot close stdin alone is refused', async () => {
    cluster.behaviour.protocol = 'v4.channel.k8s.io';
    expect((await run()).refused?.message).toContain('Kubernetes 1.30');
    expect(cluster.jobs.size).toBe(0);
  });

  test('that is not there is named', async () => {
    settings = { ...settingsFor('http://127.0.0.1:9'), patienceMs: 0 };
    expect(outcomeOf(await run())).toBe('CLUSTER_API');
  });

  test('that is started again or overloaded is asked again, and makes one Job', async () => {
    const overloaded = { status: 429, retryAfter: '0' };
    // The first call reads the policies; the second one makes the Job, although its answer gets lost. A server that
    // has just started forbids everything for a moment.
    cluster.behaviour.faults = [
      overloaded,
      'reset',
      { status: 503 },
      { status: 403 },
      overloaded,
      { status: 500, retryAfter: '0' },
    ];
    expect(await run()).toMatchObject({ exitCode: 0, items: [ITEM] });
    expect(cluster.behaviour.faults).toEqual([]);
    expect(cluster.jobs.size).toBe(0);
  });

  test('is not asked for longer than a while, and not again after a refusal', async () => {
    settings = { ...settings, patienceMs: 400 };
    cluster.behaviour.faults = Array.from({ length: 10 }, () => ({ status: 503 }));
    expect((await run()).refused?.message).toMatch(/answered 503: not now/);
    expect(cluster.calls).toHaveLength(2);
    cluster.behaviour.faults = [{ status: 500 }];
    expect((await run()).refused?.message).toMatch(/answered 500: not now/);
    expect(cluster.calls).toHaveLength(3);
  });

  test('is believed by its certificate alone', { tags: ['openssl'] }, async () => {
    const [own, other] = ['own', 'other'].map((name) => certificate(name));
    await using secure = await startFakeApiServer({
      key: readFileSync(own!.key, 'utf8'),
      cert: readFileSync(own!.cert, 'utf8'),
    });
    settings = settingsFor(secure.url, { PORTICO_KUBERNETES_CA_FILE: own!.cert });
    expect(await run()).toMatchObject({ exitCode: 0, items: [ITEM] });
    settings = settingsFor(secure.url, { PORTICO_KUBERNETES_CA_FILE: other!.cert });
    const before = secure.calls.length;
    expect((await run()).refused?.message).toMatch(/certificate/);
    expect(secure.calls).toHaveLength(before);
  });
});

function certificate(name: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(work, `${name}.key`), join(work, `${name}.crt`)];
  const options =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=kubernetes -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', [...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { key, cert };
}

describe('at the start of a server', () => {
  test('its own leftovers and those of nobody are removed, and no others', async () => {
    const labels = {
      'app.kubernetes.io/name': 'portico-function',
      'app.kubernetes.io/managed-by': 'portico',
    };
    const leave = (name: string, ageMs: number, more: Record<string, string>): void => {
      const creationTimestamp = new Date(Date.now() - ageMs).toISOString();
      cluster.jobs.set(name, {
        metadata: { name, labels: { ...labels, ...more }, creationTimestamp },
      } as never);
    };
    leave('mine', 1000, { 'portico.dev/owner': 'portico-0' });
    leave('another-replica', 1000, { 'portico.dev/owner': 'portico-1' });
    leave('nobody', 3_600_000, { 'portico.dev/owner': 'portico-1' });
    leave('a-job-of-others', 3_600_000, { 'app.kubernetes.io/name': 'other' });
    expect(await prepareCluster(settings)).toEqual([]);
    expect([...cluster.jobs.keys()]).toEqual(['another-replica', 'a-job-of-others']);
    cluster.jobs.clear();
  });

  test('what it runs already is no leftover', async () => {
    cluster.behaviour.script = 'sleep 0.5; cat';
    const going = run();
    while (cluster.running() === 0) await delay(10);
    const [job] = cluster.jobs.values();
    Object.assign(job!.metadata, { creationTimestamp: new Date().toISOString() });
    expect(await prepareCluster(settings)).toEqual([]);
    expect(await going).toMatchObject({ exitCode: 0, items: [ITEM] });
  });
});
