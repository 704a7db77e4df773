import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { publishedSchemas } from '../../scripts/published-schema.ts';
import { processorsSchema, type Processor } from '../../src/processors/processor-spec.ts';
import { chooseVersion } from '../../src/sources/choose-version.ts';
import { readSources } from '../../src/sources/read-sources.ts';
import type { SourcesDocument } from '../../src/sources/source.ts';
import { readSourcesLock, writeSourcesLock } from '../../src/sources/sources-lock.ts';

const FILE = 'portico-sources.yaml';

function read(text: string) {
  return readSources({ file: FILE, bytes: Buffer.from(text) }, processorsSchema);
}

function problems(text: string): readonly string[] {
  const found = read(text);
  return 'document' in found ? [] : found.problems.map(({ line, message }) => `${line}: ${message}`);
}

function documentIn(text: string): SourcesDocument<Processor> {
  const found = read(text);
  if ('document' in found) return found.document;
  throw new Error(found.problems.map(({ message }) => message).join('\n'));
}

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Sources\nsources:\n';

describe('a document of sources', () => {
  test.each([
    ['{ id: A, http: { url: https://a.example/x } }', 'sources[0].id must be 1 to 63 lower-case letters'],
    ['{ id: a }', 'sources[0] must have exactly one of git, oci, http, helm, package, manual, and says none'],
    ['{ id: a, manual: true, http: { url: https://a.example/x } }', 'and says http and manual'],
    [
      '{ id: a, oci: { ref: "oci://h.example/a:1", setter: a }, newRoot: b }',
      'sources[0].newRoot belongs to the files',
    ],
    ['{ id: a, manual: true, include: ["*"] }', 'sources[0].include belongs to content that is fetched'],
    ['{ id: a, http: { url: file:///etc/passwd } }', 'sources[0].http.url must begin with https://'],
    [
      '{ id: a, http: { url: "https://u:p@a.example/x" } }',
      'must not contain a user name, password or token',
    ],
    [
      '{ id: a, http: { url: "https://a.example/x?token=abcdef" } }',
      'must not contain a user name, password or token',
    ],
    [
      '{ id: a, http: { url: https://a.example/x, sha256: abc } }',
      'must be 64 lower-case hexadecimal digits',
    ],
    ['{ id: a, http: { uri: https://a.example/x } }', 'sources[0].http.uri is not a field'],
    [
      '{ id: a, git: { repo: https://a.example/x, ref: main, semver: ^1 } }',
      'must have ref or semver, not both',
    ],
    ['{ id: a, git: { repo: https://a.example/x, ref: "a..b" } }', 'sources[0].git.ref'],
    ['{ id: a, git: { repo: "git@a.example:x" } }', 'must begin with https://'],
    ['{ id: a, git: { repo: "ext::sh -c id" } }', 'must begin with https://'],
    ['{ id: a, git: { repo: "--upload-pack=id" } }', 'must begin with https://'],
    ['{ id: a, git: { repo: "file:///etc" } }', 'must begin with https://'],
    ['{ id: a, git: { repo: "ssh://a.example/x" } }', 'must begin with https://'],
    ['{ id: a, git: { repo: "https://a.example/x", ref: "--output=x" } }', 'sources[0].git.ref'],
    ['{ id: a, package: { repo: "ext::sh -c id", package: x } }', 'must begin with https://'],
    ['{ id: a, helm: { repository: "file:///etc", chart: a } }', 'must begin with https://'],
    ['{ id: a, oci: { ref: oci://ghcr.io/acme/x } }', 'has neither a tag nor a digest'],
    [
      '{ id: a, oci: { ref: oci://ghcr.io/acme/x:1, semver: ^1 } }',
      'must have a tag or digest, or semver, not both',
    ],
    ['{ id: a, oci: { ref: "oci://ghcr.io/Acme/x:1" } }', 'must be oci://HOST/NAME'],
    ['{ id: a, helm: { repository: https://a.example, chart: a/b } }', 'must be the name of a chart'],
    [
      '{ id: a, helm: { repository: https://a.example, chart: a, version: newest } }',
      'must be a range of versions',
    ],
    ['{ id: a, package: { repo: https://a.example/x, package: ../x } }', 'sources[0].package.package'],
    [
      '{ id: a, package: { repo: https://a.example/x, package: x, revision: main } }',
      'must be latest, v3 or a range',
    ],
    [
      '{ id: a, manual: true, destination: ../x }',
      'sources[0].destination must be a directory in the package',
    ],
    ['{ id: a, manual: true, destination: /x }', 'sources[0].destination must be a directory in the package'],
    [
      '{ id: a, manual: true, destination: ./x }',
      'sources[0].destination must be a directory in the package',
    ],
    ['{ id: a, manual: true, destination: Kptfile/x }', 'must not be Kptfile'],
    ['{ id: a, manual: true, destination: .git/hooks }', "is git's own name"],
    ['{ id: a, http: { url: https://a.example/x }, destination: .github }', 'must not be .github'],
    ['{ id: a, http: { url: https://a.example/x }, destination: .GitHub/portico }', 'must not be .GitHub'],
    ['{ id: a, manual: true, credentials: a }', 'sources[0].credentials belongs to content'],
    ['{ id: a, http: { url: https://a.example/x }, credentials: "a b" }', 'sources[0].credentials must be'],
    ['{ id: a, http: { url: https://a.example/x }, include: ["["] }', 'must close its brackets'],
    ['{ id: a, manual: true }\n- { id: a, manual: true, destination: b }', 'sources[1].id must be unique'],
    [
      '{ id: a, manual: true, destination: x }\n- { id: b, manual: true, destination: x/y }',
      'sources[1].destination fills x/y, which overlaps with x of a',
    ],
    [
      '{ id: a, manual: true, destination: Charts }\n- { id: charts, manual: true }',
      'sources[1].id fills charts, which overlaps with Charts of a',
    ],
    ['{ id: a, manual: true }\nprocessors:\n- { plain: { directory: a }, out: a/b }', 'a/b'],
    [
      '{ id: a, manual: true }\n- { id: b, manual: true }\nprocessors:\n- { plain: { directory: a }, out: b }',
      'processors[0] fills b, which overlaps with b of the source b',
    ],
    ['{ id: a, manual: true }\nprocessors:\n- { helmet: {} }', 'processors[0].helmet is not a field'],
    ['{ id: a, manual: true }\npaused: { until: soon, reason: x }', 'paused.until must be a date'],
  ])('%s', (sources, message) => {
    const found = problems(`${HEAD}- ${sources}\n`);
    expect(found).toContainEqual(expect.stringContaining(message));
    // Two lines above the sources, or the line of what is wrong further below.
    expect(Number(found[0]?.split(':', 1)[0])).toBe(
      4 + (/sources\[1\]/.test(message) ? 1 : 0) + lineOffset(sources),
    );
  });

  test('tells of other documents, other YAML and bytes that are none', () => {
    expect(problems('kind: Sources\n')).toEqual([
      expect.stringContaining('apiVersion is missing'),
      expect.any(String),
    ]);
    expect(problems(`${HEAD}- [`)).toEqual([expect.stringMatching(/^\d+: /)]);
    expect(read('')).toMatchObject({ problems: [{ hint: expect.stringContaining('kind Sources') }] });
    expect(read(`${HEAD}- { id: a, manual: true }\n`)).toMatchObject({
      document: { sources: [{ id: 'a', destination: 'a', place: { kind: 'manual' } }], processors: [] },
    });
  });
});

/** Problems of what stands behind the first source are told on its line. */
function lineOffset(sources: string): number {
  const lines = sources.split('\n');
  const at = lines.findIndex((line) => /^(?:paused|- \{ (?:plain|helmet))/.test(line));
  return at === -1 ? 0 : at;
}

const BUNDLE =
  'apiVersion: core.rukpak.io/v1alpha2\nkind: BundleDeployment\nmetadata: { name: combo }\nspec:\n';

describe('a BundleDeployment', () => {
  test('as it was released becomes one source and one processor', () => {
    const helm = documentIn(`${BUNDLE}  installNamespace: ahoy
  provisionerClassName: core-rukpak-io-helm
  source: { type: http, http: { url: https://example.com/ahoy.tgz, auth: { secret: { name: mysecret } } } }
  config: { values: "# values\\nreplicas: 2" }
`);
    expect(helm).toMatchObject({
      sources: [
        {
          id: 'bundle',
          destination: 'bundle',
          unwrap: true,
          credentials: 'mysecret',
          place: { kind: 'http', url: 'https://example.com/ahoy.tgz' },
        },
      ],
      processors: [
        {
          kind: 'helm',
          chart: 'bundle',
          release: 'combo',
          namespace: 'ahoy',
          values: ['bundle-values.yaml'],
        },
      ],
    });
    expect(Buffer.from(helm.files.get('bundle-values.yaml') ?? '').toString()).toBe('# values\nreplicas: 2');
    const plain = documentIn(`${BUNDLE}  installNamespace: combo
  provisionerClassName: core-rukpak-io-plain
  source:
    type: git
    git: { repository: https://github.com/acme/combo, directory: ./manifests/, ref: { tag: v0.0.2 } }
  preflight: { crdUpgradeSafety: { disabled: true } }
`);
    expect(plain).toMatchObject({
      sources: [{ newRoot: 'manifests', place: { kind: 'git', ref: 'v0.0.2' } }],
      processors: [{ kind: 'plain', directory: 'bundle', out: 'rendered' }],
    });
    const image = documentIn(`${BUNDLE}  installNamespace: combo
  provisionerClassName: core-rukpak-io-registry
  source: { type: image, image: { ref: "quay.io/acme/combo:v1", pullSecret: robot } }
`);
    expect(image).toMatchObject({
      sources: [{ credentials: 'robot', place: { kind: 'oci', image: 'quay.io/acme/combo', tag: 'v1' } }],
      processors: [{ kind: 'registryV1', bundle: 'bundle', installNamespace: 'combo' }],
    });
  });

  test('as it was proposed has several sources, a format, and may be paused', () => {
    const document = documentIn(`${BUNDLE}  installNamespace: combo
  format: plain
  paused: true
  sources:
  - { kind: image, image: { ref: "quay.io/acme/combo@sha256:${'0'.repeat(64)}" }, destination: all/combo }
  - kind: git
    git: { repository: https://github.com/acme/more, ref: main, auth: { secret: { namespace: foo, name: creds } } }
    destination: all/more
`);
    expect(document).toMatchObject({
      sources: [
        { id: 'all-combo', destination: 'all/combo', place: { kind: 'oci' } },
        {
          id: 'all-more',
          destination: 'all/more',
          credentials: 'creds',
          place: { kind: 'git', ref: 'main' },
        },
      ],
      processors: [{ kind: 'plain', directory: 'all' }],
      paused: { reason: expect.any(String) },
    });
    const operator = documentIn(`${BUNDLE}  format: registry-v1
  sources:
  - { kind: image, image: { ref: "quay.io/acme/combo:v1" } }
`);
    const [processor] = operator.processors;
    expect(processor).toMatchObject({ kind: 'registryV1', bundle: 'image-1' });
    expect(processor).not.toHaveProperty('installNamespace');
    const chart = `${BUNDLE}  format: helm
  sources: [{ kind: http, http: { url: https://a.example/x } }]
`;
    expect(problems(chart).join('\n')).toContain('must have installNamespace: charts name none');
  });

  test.each([
    ['format: plain', 'must have source or sources'],
    [
      'source: { type: image, http: { url: https://a.example/x } }\n  format: plain',
      'must have exactly image, as its type says, and has http',
    ],
    [
      'source: { type: http, http: { url: https://a.example/x } }',
      'must have provisionerClassName or format',
    ],
    [
      'source: { type: configMaps, configMaps: [{ configMap: { name: a } }] }\n  format: plain',
      'needs a cluster',
    ],
    [
      'source: { type: image, image: { ref: "quay.io/a/b:1", insecureSkipTLSVerify: true } }\n  format: plain',
      'is not supported',
    ],
    [
      'source: { type: git, git: { repository: https://a.example/x, ref: { tag: v1, branch: main } } }\n  format: plain',
      'must have exactly one of branch, tag and commit',
    ],
    [
      'sources: [{ kind: http, http: { url: https://a.example/x }, destination: a }, { kind: http, http: { url: https://a.example/y }, destination: a/b }]\n  format: plain',
      'fills a directory that sources[0] fills',
    ],
  ])('%s', (spec, message) => {
    expect(problems(`${BUNDLE}  installNamespace: a\n  ${spec}\n`).join('\n')).toContain(message);
  });
});

test.each([
  [['1.0.0', 'v1.2.0', '2.0.0-rc.1', 'latest'], '>=1', 'v1.2.0'],
  [['1.0.0', '2.0.0-rc.1'], '>=2.0.0-rc.0', '2.0.0-rc.1'],
  [['1.0.0_build.1', 'x'], '*', '1.0.0_build.1'],
  [['weird-1', '1.0.0'], 'weird-1', 'weird-1'],
  [['0.9.0'], '>=1', undefined],
])('of %j the range %s takes %s', (names, range, wanted) => {
  expect(chooseVersion(names, range)).toBe(wanted);
});

test('docs/sources.schema.json is generated', () => {
  const written = readFileSync(new URL('../../docs/sources.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(publishedSchemas()['sources.schema.json'])));
});

test('a lock with as much in it as a document may have is read as it was written', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const lock = {
    documentDigest: digest,
    sources: Array.from({ length: 100 }, (_, at) => ({
      id: `source-${at}`,
      kind: 'http' as const,
      resolved: `https://example.com/${'a'.repeat(300)}@${digest}`,
      treeDigest: digest,
      entryDigest: digest,
      placeDigest: digest,
    })),
    processors: Array.from({ length: 50 }, () => ({
      processor: 'helm',
      out: 'rendered',
      tool: `helm@${digest}`,
      inputDigest: digest,
      outputDigest: digest,
    })),
  };
  const bytes = writeSourcesLock(lock);
  expect(bytes.length).toBeGreaterThan(64 * 1024);
  expect(readSourcesLock('lock', bytes)).toEqual(lock);
  for (const [text, wanted] of [
    ['kind: ConfigMap', 'apiVersion'],
    ['[', 'line 1'],
    [Buffer.from(bytes).toString().replace('treeDigest: sha256', 'treeDigest: md5'), 'sources.0.treeDigest'],
  ] as const) {
    expect(readSourcesLock('lock', Buffer.from(text))).toContain(wanted);
  }
});
