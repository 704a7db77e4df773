import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { READY_POLICIES } from '../../src/cel/policies/table.ts';
import { readEnvironment } from '../../src/config/environment.ts';

const scratch = mkdtempSync(join(tmpdir(), 'portico-deploy-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the manifests', () => {
  test('are a package that renders to itself and passes its own validator', () => {
    const copy = join(scratch, 'kubernetes');
    cpSync('deploy/kubernetes', copy, { recursive: true });
    const render = (): void =>
      void execFileSync(process.execPath, ['src/portico.js', 'render', copy], { stdio: 'pipe' });
    render();
    for (const file of readdirSync('deploy/kubernetes'))
      expect(readFileSync(join(copy, file), 'utf8'), file).toBe(
        readFileSync(join('deploy/kubernetes', file), 'utf8'),
      );
  });

  test('keep to every ready-made policy', () => {
    const params: Record<string, string> = {
      'allowed-registries': '{ registries: [registry.example.com] }',
      'required-labels': '{ labels: [app.kubernetes.io/name] }',
      'namespace-by-path': '{ namespace: portico }',
    };
    const policies = READY_POLICIES.map(
      ({ name }) =>
        `    - { name: ${name}, policy: ${name}${name in params ? `, params: ${params[name]}` : ''} }`,
    );
    const config = join(scratch, 'portico.yaml');
    writeFileSync(
      config,
      `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: deploy }\nspec:\n  guardrails:\n    validators:\n${policies.join('\n')}\n`,
    );
    const said = execFileSync(
      process.execPath,
      ['src/portico.js', 'check', 'deploy/kubernetes', '--config', config],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    expect(said).toContain('The package is valid and rendered.');
  });

  test('start the server with an environment that it accepts', () => {
    const deployment = parse(readFileSync('deploy/kubernetes/deployment.yaml', 'utf8')) as {
      spec: {
        template: {
          spec: { containers: { env: { name: string }[]; livenessProbe: { httpGet: { path: string } } }[] };
        };
      };
    };
    const compose = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
      services: { portico: { environment: Record<string, string>; read_only: boolean; cap_drop: string[] } };
    };
    const [container] = deployment.spec.template.spec.containers;
    const { portico } = compose.services;
    expect(container!.env.map((one) => one.name).toSorted()).toEqual(
      Object.keys(portico.environment).toSorted(),
    );
    expect(portico).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    // One that hangs is started again: from outside, or, where nothing ends it, by its own watchdog, which cannot end the first process.
    expect(container!.livenessProbe.httpGet.path).toBe('/healthz');
    expect(portico).toMatchObject({ init: true, restart: 'unless-stopped' });
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const values: Record<string, string> = {
      APP_ID: '1',
      PRIVATE_KEY_PATH: '/secrets/private-key',
      WEBHOOK_SECRET: 'a long random text',
      DATABASE_URL: 'postgres://portico:secret@postgres:5432/portico',
    };
    const environment = readEnvironment(
      Object.fromEntries(Object.keys(portico.environment).map((name) => [name, values[name]])),
      { read: () => privateKey },
    );
    expect(environment).toMatchObject({ appId: 1, databaseUrl: expect.stringContaining('postgres:5432') });
  });
});
