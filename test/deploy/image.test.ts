import { createHmac, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

import { startForge } from '@portico/localforge';
import { expect, test } from 'vitest';

import { buildImage } from '../../scripts/build.ts';
import { currentVersion } from '../../scripts/version.ts';
import { ROOT, scratch } from '../cli/run-portico.ts';
import { eventually } from '../e2e/eventually.ts';
import { octokitAs } from '../e2e/octokit-as.ts';
import { below, configuration } from '../e2e/packages.ts';
import { freePort } from '../e2e/portico-process.ts';
import { longTest } from '../long-test.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { stageRepository } from '../reconcile/stage-repository.ts';
import { IS_PINNED, makeBases } from './image-bases.ts';
import { buildImageOf, inImage, podman, startServer, waysToStart } from './podman.ts';

/** What the image adds to Debian, in bytes: Node, git with perl, bubblewrap, and 24 MB of Portico. */
const MAX_ADDED_BYTES = 260_000_000;
/** Of what is developed with, and of the demo. */
const NOT_INSIDE = /hono|simple-git|localforge|vitest|playwright|oxlint|typescript|rolldown|nock|probot/;

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

interface Bill {
  readonly components: readonly { readonly name: string; readonly 'bom-ref': string }[];
}

function expectBillOfServer(text: string): void {
  const { components } = JSON.parse(text) as Bill;
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(MANIFEST.dependencies)));
  // The terms and the examples of CEL are two packages, of which the first reads the second.
  const development = Object.keys(MANIFEST.devDependencies).filter((name) => name !== '@bufbuild/cel-spec');
  expect(names.filter((name) => development.includes(name) || NOT_INSIDE.test(name))).toEqual([]);
  expect(new Set(components.map((one) => one['bom-ref'])).size).toBe(components.length);
}

longTest('what is built for the image needs nothing but Node, and lists what it is made of', async () => {
  using dir = scratch();
  await buildImage(dir.path('dist'));
  const files = readdirSync(dir.path('dist'), { recursive: true, encoding: 'utf8' });
  const code = files.filter((name) => name.endsWith('.js'));
  const imported = code.flatMap((name) =>
    [
      ...readFileSync(dir.path(`dist/${name}`), 'utf8').matchAll(
        /^(?:import|export) .*\bfrom ["']([@\w][\w@/.:-]*)["']/gm,
      ),
    ].map(([, module = '']) => module),
  );
  // The demo and the local forge say what they miss.
  const missing = new Set(imported.filter((name) => !isBuiltin(name)));
  expect([...missing].filter((name) => !/^(?:@portico\/localforge|simple-git)/.test(name))).toEqual([]);
  expectBillOfServer(readFileSync(dir.path('dist/sbom.cdx.json'), 'utf8'));
  const notices = readFileSync(dir.path('dist/THIRD-PARTY-NOTICES.md'), 'utf8');
  for (const name of Object.keys(MANIFEST.dependencies)) expect(notices).toContain(`\n## ${name} `);
});

test('what the Dockerfile copies is there, and goes to the builder', () => {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^COPY (?!--from)(.+)$/gm);
  const sources = [...lines].flatMap(([, names = '']) => names.split(' ').slice(0, -1));
  expect(sources).toContain('src');
  for (const name of sources) statSync(join(ROOT, name));
  const sent = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/^!.+$/gm) ?? [];
  expect(sent.toSorted()).toEqual([...new Set(sources)].map((name) => `!${name}`).toSorted());
});

test(
  'the image is built; its server checks a pull request, ends at SIGTERM and goes on with its volume',
  { tags: ['story', 'podman', ...(IS_PINNED ? [] : ['root', 'mmdebstrap'])], timeout: 1_200_000 },
  async () => {
    const image = `localhost/portico-image-test:${process.pid}`;
    await using bases = await makeBases(`localhost/portico-image-test-${process.pid}`);
    await using resources = new AsyncDisposableStack();
    await buildImageOf(ROOT, { tag: image, args: bases.args });
    resources.defer(async () => void (await podman('rmi', '--force', image)));
    const start = await waysToStart(image);

    await expectMadeWell(image, bases.args['DEBIAN_IMAGE']);
    await expectNothingElseInside({ image, start });
    const version = await inImage({ image, start }, undefined, 'version');
    expect(version).toMatchObject({ code: 0, stdout: `${currentVersion()}\n` });

    await expectServerWorks({ image, start });
  },
);

async function expectMadeWell(image: string, debian: string | undefined): Promise<void> {
  const [about] = JSON.parse(await podman('image', 'inspect', image)) as readonly [
    { readonly Size: number; readonly Config: Readonly<Record<string, unknown>> },
  ];
  expect(about.Config).toMatchObject({
    User: '1000:1000',
    Volumes: { '/data': {} },
    ExposedPorts: { '3000/tcp': {} },
    Cmd: ['serve'],
    Labels: {
      'org.opencontainers.image.title': 'Portico',
      'org.opencontainers.image.version': currentVersion(),
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  });
  if (debian === undefined) return;
  const below = Number(await podman('image', 'inspect', '--format={{.Size}}', debian));
  process.stderr.write(
    `the image: ${Math.round(about.Size / 1e6)} MB, ${Math.round((about.Size - below) / 1e6)} more than Debian\n`,
  );
  expect(about.Size - below).toBeLessThan(MAX_ADDED_BYTES);
}

interface Startable {
  readonly image: string;
  readonly start: readonly string[];
}

async function expectNothingElseInside(image: Startable): Promise<void> {
  const shell = (script: string): ReturnType<typeof inImage> => inImage(image, '/bin/sh', '-c', script);
  expect((await shell('id -u; id -g')).stdout).toBe('1000\n1000\n');
  expect((await shell('touch /portico/x; touch /data/x /tmp/x && echo written')).stdout).toBe('written\n');
  const found = await shell(
    "find / -xdev '(' -name node_modules -o -name npm -o -name corepack -o -name localforge ')' -print 2>/dev/null",
  );
  expect(found.stdout).toBe('');
  expectBillOfServer((await shell('cat dist/sbom.cdx.json')).stdout);
  expect((await shell('cat dist/THIRD-PARTY-NOTICES.md LICENSE')).stdout).toContain('Apache License');
  expect((await shell('git --version')).stdout).toMatch(/^git version 2\./);
}

async function expectServerWorks(image: Startable): Promise<void> {
  using dir = scratch();
  await using forge = await startForge({
    dataDir: dir.path('forge'),
    manifestFile: join(ROOT, 'app.yml'),
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
      repos: [{ owner: 'acme', name: 'blueprints', private: true, collaborators: {} }],
      app: { installations: [{ account: 'acme' }] },
    },
  });
  const rest = octokitAs(forge.apiUrl, 'alice-token');
  const repository = stageRepository({
    forge,
    as: () => rest,
    idle: () => forge.settled(),
    owner: 'acme',
    name: 'blueprints',
  });
  await repository.seed({
    ...below('web', smallPackage('web')),
    '.github/portico.yaml': configuration('blueprints', 'branch: main\npublish: { requireApprovals: 1 }'),
  });

  mkdirSync(dir.path('secrets'));
  writeFileSync(dir.path('secrets/key'), forge.app.privateKeyPem);
  // Whoever has the number 1000 here reads it in there.
  for (const place of ['.', 'secrets', 'secrets/key']) chmodSync(dir.path(place), 0o755);
  const port = await freePort();
  const volume = `portico-image-test-${process.pid}`;
  await podman('volume', 'create', volume);
  await using resources = new AsyncDisposableStack();
  resources.defer(async () => void (await podman('volume', 'rm', '--force', volume)));
  const env = {
    APP_ID: String(forge.app.id),
    PRIVATE_KEY_PATH: '/secrets/key',
    WEBHOOK_SECRET: forge.app.webhookSecret,
    GHE_HOST: new URL(forge.url).host,
    GHE_PROTOCOL: 'http',
    PORT: String(port),
  };
  const door = `http://127.0.0.1:${port}`;
  const serve = (): ReturnType<typeof startServer> =>
    startServer({ ...image, volume, secrets: dir.path('secrets'), env });
  const ready = (): Promise<boolean> =>
    eventually('the server', async () => (await fetch(`${door}/readyz`)).ok, 120);

  {
    await using server = await serve();
    try {
      await ready();
      expect((await fetch(`${door}/healthz`)).status).toBe(200);
      expect(await knock(door, 'not the secret')).toBe(401);
      expect(await knock(door, forge.app.webhookSecret)).toBe(202);

      forge.setAppWebhookUrl(`${door}/api/github/webhooks`);
      await repository.push('drafts/web/green', {
        'web/config.yaml': configMap('web', { color: 'green' }),
      });
      await repository.create('drafts/web/green');
      const sha = await repository.head('drafts/web/green');
      const run = await eventually('a check run', async () => {
        const { data } = await rest.checks.listForRef({ ...repository.where, ref: sha });
        return data.check_runs.find(
          ({ name, status }) => name === 'portico/render' && status === 'completed',
        );
      });
      expect([run.conclusion, run.app?.id]).toEqual(['success', forge.app.id]);
    } catch (cause) {
      throw new Error(`the server: ${(await server.log()).slice(-3000)}`, { cause });
    }
    expect(await server.stop()).toBe(0);
    const levels = (await server.log()).match(/"level":"(?:error|fatal)".*/g);
    expect(levels).toBeNull();
  }
  // A new container on the same volume goes on with the database that is on it.
  await using again = await serve();
  await ready();
  expect(await again.log()).toContain('"engine":"pglite"');
  expect(await again.stop()).toBe(0);
}

/** Sends a webhook that is signed with a secret; the status of the answer. */
async function knock(door: string, secret: string): Promise<number> {
  const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const { status } = await fetch(`${door}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  return status;
}
