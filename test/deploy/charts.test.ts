import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { CHART_FILES } from '../../scripts/chart-files.ts';
import { VARIABLES } from '../../src/config/environment-table.ts';
import { ROOT, run, type Outcome } from '../cli/run-portico.ts';
import { realTools } from '../processors/real-tools.ts';
import { EVERYTHING } from './chart-values.ts';
import { faultsOf, manifestsIn, type Manifest } from './judge-manifests.ts';

const tools = realTools();
const here = { cwd: ROOT, ...(tools !== undefined && { env: tools }) };

const IMAGE = 'registry.example.com/portico';

async function template(...values: string[]): Promise<Outcome> {
  const set = [`image.repository=${IMAGE}`, ...values].flatMap((value) => ['--set', value]);
  return run('helm', ['template', 'acme', 'deploy/chart', '--namespace', 'bots', ...set], here);
}

interface Values {
  readonly secret: { readonly keys: Readonly<Record<string, { readonly key: string }>> };
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: object };
}

interface Pod {
  readonly containers: readonly [{ readonly image: string; readonly env: readonly EnvironmentVariable[] }];
  readonly volumes: readonly {
    readonly name: string;
    readonly projected?: {
      readonly sources: readonly { readonly secret: { readonly items: readonly object[] } }[];
    };
  }[];
}

function podOf(manifests: readonly Manifest[]): Pod {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown as {
    readonly spec: { readonly template: { readonly spec: Pod } };
  };
  return deployment.spec.template.spec;
}

describe('the chart', { tags: ['helm'] }, () => {
  test('with nothing but the App is valid, and has two replicas that survive a drain', async () => {
    const { code, stdout, stderr } = await template('app.id=7');
    expect([code, stderr]).toEqual([0, '']);
    expect(await faultsOf(stdout)).toEqual([]);
    const manifests = manifestsIn(stdout);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
    expect(manifests.map(({ metadata }) => metadata.namespace)).toEqual(
      Array.from({ length: 5 }, () => 'bots'),
    );
    expect(manifests.find(({ kind }) => kind === 'Deployment')?.spec).toMatchObject({ replicas: 2 });
  });

  test('with everything is valid, keeps large numbers as they are, and trusts own authorities', async () => {
    const { code, stdout, stderr } = await template(...EVERYTHING);
    expect([code, stderr]).toEqual([0, '']);
    expect(await faultsOf(stdout)).toEqual([]);
    const manifests = manifestsIn(stdout);
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'ConfigMap',
        'ExternalSecret',
        'HTTPRoute',
        'Ingress',
        'PrometheusRule',
        'ServiceMonitor',
      ]),
    );
    const [container] = podOf(manifests).containers;
    expect(container.image).toBe(`${IMAGE}@sha256:${'a'.repeat(64)}`);
    const values = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({ APP_ID: '1234567', GHE_HOST: 'ghe.acme.example', LOG_LEVEL: 'debug' });
    expect(podOf(manifests)).toMatchObject({ automountServiceAccountToken: true });
    expect(values['NODE_EXTRA_CA_CERTS']).toBe('/certificates/ca.crt');
    const paths = stdout.match(/\/api\/github\/webhooks/g);
    expect(paths).toHaveLength(2);
  });

  test('names a key of a Secret for each secret that the server reads', async () => {
    const { keys } = (parse(readFileSync(join(ROOT, 'deploy/chart/values.yaml'), 'utf8')) as Values).secret;
    const optional = Object.entries(keys).flatMap(([name, { key }]) => (key === '' ? [name] : []));
    const elsewhere = 'secret.keys.sealKeys.name=seals,secret.keys.webhookSecret.name=hooks';
    const { code, stdout, stderr } = await template(
      'app.id=7',
      ...optional.map((name) => `secret.keys.${name}.key=the-${name}`),
      elsewhere,
      'secret.external.enabled=true,secret.external.store.name=vault',
      'secret.external.remote.signingKey=portico/signing',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(await faultsOf(stdout)).toEqual([]);
    const manifests = manifestsIn(stdout);
    const { env } = podOf(manifests).containers[0];
    expect(Object.fromEntries(env.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef]))).toEqual({
      APP_ID: undefined,
      PRIVATE_KEY_PATH: undefined,
      WEBHOOK_SECRET: { name: 'hooks', key: 'webhook-secret' },
      DATABASE_URL: { name: 'portico', key: 'database-url' },
      SEAL_KEYS: { name: 'seals', key: 'the-sealKeys' },
      PRIVATE_KEY_PREVIOUS: { name: 'portico', key: 'the-privateKeyPrevious' },
      WEBHOOK_SECRET_PREVIOUS: { name: 'portico', key: 'the-webhookSecretPrevious' },
      SIGNING_KEY: { name: 'portico', key: 'the-signingKey' },
      NOTIFY_URL: { name: 'portico', key: 'the-notifyUrl' },
      NOTIFY_SECRET: { name: 'portico', key: 'the-notifySecret' },
      OTEL_EXPORTER_OTLP_HEADERS: { name: 'portico', key: 'the-otlpHeaders' },
      PORTICO_CREDENTIALS: undefined,
    });
    const server = VARIABLES.flatMap(({ readBy, variables }) => (readBy === 'server' ? variables : []));
    const known = new Set(VARIABLES.flatMap(({ variables }) => variables.map(({ name }) => name)));
    // What is called a key or a secret, or can be given as a file, is one.
    for (const { name, file } of server)
      if (/_KEYS?\b|SECRET/.test(name) || file !== undefined)
        expect(env.map((one) => one.name)).toContain(name === 'PRIVATE_KEY' ? file : name);
    expect(env.map(({ name }) => name).filter((name) => !known.has(name.replace(/_PATH$/, '')))).toEqual([]);
    const volume = podOf(manifests).volumes.find(({ name }) => name === 'secrets');
    expect(volume?.projected?.sources.flatMap(({ secret }) => secret.items)).toEqual([
      { key: 'the-credentials', path: 'credentials' },
      { key: 'private-key', path: 'private-key' },
    ]);
    // The store fills the Secret of the chart, not those of others.
    const external = manifests.find(({ kind }) => kind === 'ExternalSecret')?.spec as {
      readonly data: readonly { readonly secretKey: string }[];
    };
    expect(external.data.map(({ secretKey }) => secretKey)).toEqual([
      'database-url',
      'private-key',
      'the-signingKey',
    ]);
  });

  test.each<[string, string[], RegExp]>([
    ['an App without a key', ['app.id=7', 'secret.keys.privateKey.key='], /privateKey.*minLength/s],
    ['a secret that is mistyped', ['app.id=7', 'secret.keys.sealKey.key=a'], /'sealKey' not allowed/],
    [
      'an entry of the store without a key',
      [
        'app.id=7',
        'secret.external.enabled=true,secret.external.store.name=vault',
        'secret.external.remote.sealKeys=portico/seals',
      ],
      /secret\.keys\.sealKeys\.key is the key/,
    ],
    ['no image', ['app.id=7', 'image.repository='], /image\.repository is the name of the image/],
    ['no App', [], /app\.id is the number of the GitHub App/],
    ['an ingress without a name', ['app.id=7', 'ingress.enabled=true'], /ingress\.host is the name/],
    ['a mistyped value', ['app.id=7', 'replica=2'], /additional properties 'replica' not allowed/],
    ['no replica', ['app.id=7', 'replicas=0'], /replicas/],
  ])('%s is refused', async (_, values, message) => {
    const { code, stderr } = await template(...values);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  test('holds the alert rules and the dashboard as they are, and leads to runbooks of your own', async () => {
    const plain = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8');
    const given = ['app.id=7', 'prometheusRule.enabled=true', 'grafanaDashboard.enabled=true'];
    const manifests = manifestsIn((await template(...given)).stdout);
    const rules = manifests.find(({ kind }) => kind === 'PrometheusRule');
    expect(rules?.spec).toEqual(parse(plain));
    const board = manifests.find(({ metadata }) => metadata.name.endsWith('-dashboard')) as unknown as {
      data: Record<string, string>;
    };
    const drawn = readFileSync(join(ROOT, 'deploy/grafana/portico.json'), 'utf8');
    expect(JSON.parse(board.data['portico.json'] ?? '')).toEqual(JSON.parse(drawn));
    const own = await template(...given, 'prometheusRule.runbooks=https://wiki.acme.example/portico');
    expect(manifestsIn(own.stdout).find(({ kind }) => kind === 'PrometheusRule')?.spec).toEqual(
      parse(plain.replaceAll(/runbook_url: .*(?=#)/g, 'runbook_url: https://wiki.acme.example/portico')),
    );
    const { code, stderr } = await template(...given, 'prometheusRule.runbooks=docs');
    expect([code, stderr]).toEqual([1, expect.stringContaining('runbooks')]);
  });

  test('has no complaint of helm lint', async () => {
    const { code, stdout } = await run(
      'helm',
      ['lint', '--strict', 'deploy/chart', '--set', `app.id=7,image.repository=${IMAGE}`],
      here,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  test('gives the pod what the plain manifests give it', async () => {
    const chart = podOf(manifestsIn((await template('app.id=1')).stdout));
    const plain = podOf(manifestsIn(readFileSync(join(ROOT, 'deploy/kubernetes/deployment.yaml'), 'utf8')));
    expect(chart.containers[0]).toEqual(plain.containers[0]);
  });
});

async function build(folder: string): Promise<Outcome> {
  return run('kubectl', ['kustomize', folder], here);
}

describe('kustomize', { tags: ['helm'] }, () => {
  test('the base and the example with its components are valid', async () => {
    for (const folder of ['deploy/kubernetes', 'deploy/kustomize/example']) {
      const { code, stdout, stderr } = await build(folder);
      expect([code, stderr]).toEqual([0, '']);
      expect(await faultsOf(stdout)).toEqual([]);
    }
    const manifests = manifestsIn((await build('deploy/kustomize/example')).stdout);
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Deployment', 'ExternalSecret', 'Ingress', 'ServiceMonitor']),
    );
    expect(podOf(manifests).containers[0].env[0]).toEqual({ name: 'APP_ID', value: '123456' });
  });

  test('every component is valid', async () => {
    const component = readFileSync(join(ROOT, 'deploy/kustomize/components/gateway/http-route.yaml'), 'utf8');
    expect(await faultsOf(component)).toEqual([]);
    // A judge that passes everything would say nothing.
    const broken = component
      .replace('value: /api/github/webhooks', 'value: 7')
      .replace('parentRefs', 'parents');
    expect(await faultsOf(broken)).not.toEqual([]);
  });
});

test.each(Object.entries(CHART_FILES))('deploy/%s is deploy/%s, too: npm run docs', (from, to) => {
  const [own, copy] = [from, to].map((name) => readFileSync(join(ROOT, 'deploy', name), 'utf8'));
  expect(copy).toBe(own);
});

test('the values of the chart are those that its schema knows', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'deploy/chart/values.schema.json'), 'utf8')) as {
    properties: object;
  };
  const values = parse(readFileSync(join(ROOT, 'deploy/chart/values.yaml'), 'utf8')) as object;
  expect(Object.keys(schema.properties).filter((name) => name !== 'global')).toEqual(Object.keys(values));
});

test('systemd takes the unit without a complaint', { tags: ['systemd-analyze'] }, async () => {
  const { code, stderr } = await run('systemd-analyze', ['verify', 'deploy/systemd/portico.service'], here);
  expect([code, stderr]).toEqual([0, '']);
});
