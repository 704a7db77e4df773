/** `portico migrate --from-porch`: what it plans of a Porch server's objects, what it refuses, and what it pushes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from 'vitest';

import { planMigration } from '../../../src/cli/migrate/plan.ts';
import { readPorchObjects } from '../../../src/cli/migrate/porch-objects.ts';
import { longTest } from '../../long-test.ts';
import { portico, run, scratch, type Scratch } from '../run-portico.ts';

const repository = (
  name: string,
  repo: string,
  more = '',
): string => `- apiVersion: config.porch.kpt.dev/v1alpha1
  kind: Repository
  metadata: { name: ${name}, namespace: default, labels: { tier: ${name} }, resourceVersion: "7", annotations: { kubectl.kubernetes.io/last-applied-configuration: "{}" } }
  spec: { type: git, content: Package, ${more} git: { repo: "${repo}", branch: main, directory: /, secretRef: { name: s } } }
  status: { conditions: [] }
`;
const OLD = 'https://gitea.example.com/acme';
const DUMP = `apiVersion: v1
kind: List
items:
${repository('blueprints', `${OLD}/blueprints.git`)}${repository('edge-1', `${OLD}/edge-1`, 'deployment: true,')}${repository('edge-2', `${OLD}/edge-2.git`, 'deployment: true,')}- apiVersion: config.porch.kpt.dev/v1alpha1
  kind: PackageVariant
  metadata: { name: web, namespace: default, uid: "1" }
  spec:
    upstream: { repo: blueprints, package: web, revision: 3 }
    downstream: { repo: edge-1, package: web }
  status: {}
- apiVersion: config.porch.kpt.dev/v1alpha2
  kind: PackageVariantSet
  metadata: { name: all, namespace: default }
  spec:
    upstream: { repo: blueprints, package: web, revision: 3 }
    targets:
    - objectSelector: { apiVersion: infra.example.com/v1, kind: Cluster, matchLabels: { a: b } }
- { apiVersion: infra.example.com/v1, kind: Cluster, metadata: { name: c1, labels: { a: b } }, spec: { size: 3 } }
- apiVersion: porch.kpt.dev/v1alpha1
  kind: PackageRevision
  metadata: { name: edge-1.web.v1, labels: { "acme.com/team": a } }
  spec: { repository: edge-1, packageName: web, workspaceName: v1, revision: 1, lifecycle: Published }
`;
const map = [{ from: `${OLD}/*`, to: 'https://github.com/acme/*' }];

async function planOf(text: string, options: Partial<Parameters<typeof planMigration>[1]> = {}) {
  using dir = scratch();
  dir.write({ 'porch.yaml': text });
  return planMigration(await readPorchObjects(dir.path('porch.yaml')), {
    map,
    control: 'blueprints',
    ...options,
  });
}

describe('the plan', () => {
  test('registers each repository where it is now, and gives the documents to the one that controls', async () => {
    const { repositories, problems } = await planOf(DUMP);
    expect(problems).toEqual([]);
    expect(repositories.map(({ name, files }) => [name, [...files.keys()]])).toEqual([
      [
        'acme/blueprints',
        [
          '.github/portico.yaml',
          '.github/portico/porch/repositories.yaml',
          '.github/portico/porch/packagevariant-default-web.yaml',
          '.github/portico/porch/packagevariantset-default-all.yaml',
          '.github/portico/inventory/cluster-default-c1.yaml',
        ],
      ],
      ['acme/edge-1', ['.github/portico.yaml']],
      ['acme/edge-2', ['.github/portico.yaml']],
    ]);
    expect(repositories[1]?.files.get('.github/portico.yaml'))
      .toBe(`# Registers this repository with Portico; it was registered with a Porch server.
apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata:
  name: edge-1
spec:
  branch: main
  deployment: true
  controlledBy:
    - acme/blueprints
  upstreams:
    map:
      - from: https://gitea.example.com/acme/*
        to: https://github.com/acme/*
`);
    const [control, edge] = repositories;
    expect(control?.files.get('.github/portico/porch/packagevariant-default-web.yaml')).not.toMatch(
      /uid|status/,
    );
    expect(control?.files.get('.github/portico/porch/repositories.yaml')).toContain(
      'repo: https://github.com/acme/edge-1.git',
    );
    expect(control?.files.get('.github/portico/porch/repositories.yaml')).not.toMatch(
      /secretRef|resourceVersion|kubectl/,
    );
    expect(control?.notes.join('\n')).toContain('PackageVariantSet all computes its repositories');
    expect(edge?.notes.join('\n')).toMatch(
      /1 Published.*\n.*labels or annotations that Porch keeps outside git/,
    );
  });

  test('one git repository that Porch had twice is registered once, and that is told', async () => {
    const twice = `apiVersion: v1\nkind: List\nitems:\n${repository('a', `${OLD}/one.git`)}${repository('b', `${OLD}/one`).replace('directory: /', 'directory: /sub').replace('branch: main', 'branch: next')}`;
    const { repositories } = await planOf(twice, { control: undefined });
    expect(repositories).toHaveLength(1);
    expect(repositories[0]?.notes.join('\n')).toContain('Porch had 2 Repositories here (a, b)');
    expect(repositories[0]?.notes.join('\n')).toContain(
      'The branch next was registered, too, and is no longer',
    );
  });

  test.each<[string, string, Partial<Parameters<typeof planMigration>[1]>, string]>([
    [
      'no repository for the documents',
      DUMP,
      { control: undefined },
      'name the repository that gets them with --control',
    ],
    ['an unknown one', DUMP, { control: 'fleet' }, 'neither a Repository of Porch nor an address'],
    ['an image registry', DUMP.replace('type: git', 'type: oci'), {}, 'is no git repository'],
    [
      'a mapping without its end',
      DUMP,
      { map: [{ from: `${OLD}/*`, to: 'https://github.com/acme' }] },
      'must both end in /*',
    ],
    [
      'a variant that is wrong',
      DUMP.replace('downstream: { repo: edge-1, package: web }', 'downstream: { repo: edge-1 }'),
      {},
      'packagevariant-default-web.yaml:',
    ],
  ])('%s is a problem', async (_what, text, options, sentence) => {
    expect((await planOf(text, options)).problems.join('\n')).toContain(sentence);
  });
});

const git = (cwd: string, ...args: string[]) => run('git', args, { cwd });

async function bareRepository(dir: Scratch, name: string): Promise<string> {
  await git(dir.path('.'), 'init', '--quiet', '--bare', '--initial-branch=main', `acme/${name}.git`);
  await git(dir.path('.'), 'clone', '--quiet', `acme/${name}.git`, `work-${name}`);
  dir.write({ [`work-${name}/README.md`]: `${name}\n` });
  const work = dir.path(`work-${name}`);
  await git(work, 'add', '.');
  await git(work, 'commit', '--quiet', '-m', 'one');
  await git(work, 'push', '--quiet', 'origin', 'HEAD:main');
  return `file://${dir.path(`acme/${name}`)}`;
}

longTest(
  'without --push nothing is written; with it each repository gets its branch and its pull request, once',
  async () => {
    using dir = scratch();
    const [up, down] = [await bareRepository(dir, 'blueprints'), await bareRepository(dir, 'edge-1')];
    const dump = `apiVersion: v1\nkind: List\nitems:\n${repository('blueprints', up)}${repository('edge-1', down)}${repository('gone', `file://${dir.path('acme/gone')}`)}- apiVersion: config.porch.kpt.dev/v1alpha1
  kind: PackageVariant
  metadata: { name: web }
  spec: { upstream: { repo: blueprints, package: web, revision: 3 }, downstream: { repo: edge-1, package: web } }
`;
    dir.write({ 'dump/porch.yaml': dump });
    const opened: string[] = [];
    const server = createServer((request, answer) => {
      answer.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        answer.end('[]');
        return;
      }
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        opened.push(
          `${request.url} ${request.headers.authorization} ${(JSON.parse(body) as { head: string }).head}`,
        );
        answer.writeHead(201).end(JSON.stringify({ html_url: `http://forge${request.url}/1` }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const args = ['migrate', '--from-porch', dir.path('dump'), '--control', 'blueprints'];
      const dry = await portico(args);
      expect(dry.stdout).toContain('+  controlledBy:\n  +    - acme/blueprints');
      expect(dry.stdout).toContain('Nothing was written.');
      // One that cannot be read keeps the others from nothing.
      expect(dry.stdout).toMatch(/acme\/gone .*failed\n.*git clone failed/);
      expect(dry.code).toBe(1);
      expect((await git(dir.path('acme/edge-1.git'), 'branch')).stdout).toBe('* main\n');

      const env = { FORGE_TOKEN: 'token-of-ada' };
      const pushed = await portico([...args, '--push', '--api', api, '--json'], { env });
      const { repositories } = JSON.parse(pushed.stdout) as {
        repositories: { state: string; pull?: string }[];
      };
      expect(repositories.map(({ state }) => state)).toEqual(['pushed', 'pushed', 'failed']);
      expect(opened).toEqual([
        '/repos/acme/blueprints/pulls token token-of-ada portico/migration',
        '/repos/acme/edge-1/pulls token token-of-ada portico/migration',
      ]);
      const shown = await git(dir.path('acme/edge-1.git'), 'show', 'portico/migration:.github/portico.yaml');
      expect(shown.stdout).toContain('controlledBy:');

      // Again: the branch stays. With other content, it is nobody's to overwrite.
      expect((await portico([...args, '--push', '--api', api], { env })).stdout).toContain('http://forge');
      await git(dir.path('acme/edge-1.git'), 'branch', '-f', 'portico/migration', 'main');
      expect((await portico([...args, '--push', '--api', api], { env })).stdout).toContain(
        'the branch portico/migration is there with other content',
      );
    } finally {
      server.close();
    }
  },
);

test.each([
  [[], 64, '--from-porch is missing'],
  [['--from-porch', '/nowhere'], 65, '/nowhere cannot be read'],
])('%j ends with %i', async (args, code, sentence) => {
  const ended = await portico(['migrate', ...args]);
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(sentence)]);
});
