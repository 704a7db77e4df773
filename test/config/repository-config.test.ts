import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ConfigProblem } from '../../src/config/config-problem.ts';
import { defaultRepositoryConfig, parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';
import type { RepositoryConfig } from '../../src/config/repository-config.ts';
import { groupOf, priorityOf } from '../../src/config/update-order.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: blueprints }\n';
const source = (text: string, file = '.github/portico.yaml') => ({
  file,
  bytes: new TextEncoder().encode(text),
});

function good(text: string, organization?: string): RepositoryConfig {
  const options = organization === undefined ? {} : { organization: source(organization, 'acme/.github') };
  const result = parseRepositoryConfig(source(text), options);
  expect(result.problems).toEqual([]);
  return result.config!;
}

function bad(text: string): readonly ConfigProblem[] {
  const result = parseRepositoryConfig(source(text));
  expect(result.ok).toBe(false);
  expect(result.problems.length).toBeGreaterThan(0);
  return result.problems;
}

const DESIGN = `${HEAD}spec:
  branch: main                  # the registered branch
  directory: /                  # packages live below
  deployment: false
  versioning: sequence          # or semver
  defaultUpstream: { repo: acme/blueprints }
  guardrails:
    mutators:   [{ name: team-label, image: set-labels:v0.2, configMap: { team: platform } }]
    validators:
    - { name: schema, image: kubeconform:v0.1, mode: enforce }          # enforce | warn | dryrun
    - { name: replicas, cel: "!has(object.spec.replicas) || object.spec.replicas <= 5", message: "...", mode: warn }
  access:
    propose: [write]
    approve: ["@acme/platform", maintain]
  publish: { release: true, requireApprovals: 1, allowSelfApproval: false }
  updates: { follow: latest, schedule: "* 6-18 * * 1-5", automerge: patch, maxOpen: 5 }
`;

describe('a configuration that is right', () => {
  test('people of an enterprise with managed users have an underscore in their logins, and own repositories', () => {
    const config = good(`${HEAD}spec:
  defaultUpstream: { repo: octo_acme/blueprints }
  sharing: { to: [octo_acme/*] }
  controlledBy: [octo_acme/control]
  access: { publish: ["@octo_acme", "@octo_acme/platform"] }
`);
    expect(config.access.get('publish')).toEqual([
      { kind: 'person', login: 'octo_acme' },
      { kind: 'team', team: 'octo_acme/platform' },
    ]);
    expect(config.controlledBy).toEqual(['octo_acme/control']);
  });

  test('the example of the documentation is read whole', () => {
    expect(good(DESIGN)).toEqual({
      branch: 'main',
      directory: '.',
      deployment: false,
      versioning: 'sequence',
      defaultUpstream: { repo: 'acme/blueprints' },
      guardrails: {
        mutators: [
          { name: 'team-label', mode: 'enforce', image: 'set-labels:v0.2', configMap: { team: 'platform' } },
        ],
        validators: [
          { name: 'schema', mode: 'enforce', image: 'kubeconform:v0.1' },
          {
            name: 'replicas',
            mode: 'warn',
            cel: '!has(object.spec.replicas) || object.spec.replicas <= 5',
            message: '...',
          },
        ],
      },
      functions: [],
      access: new Map([
        ['propose', [{ kind: 'role', role: 'write' }]],
        [
          'approve',
          [
            { kind: 'team', team: 'acme/platform' },
            { kind: 'role', role: 'maintain' },
          ],
        ],
      ]),
      publish: { release: true, requireApprovals: 1, allowSelfApproval: false, directPushes: 'flag' },
      updates: { follow: { kind: 'latest' }, schedule: '* 6-18 * * 1-5', automerge: 'patch', maxOpen: 5 },
      upstreams: { allow: [] },
    });
  });

  test.each([`${HEAD}spec: {}\n`, HEAD, `\uFEFF${HEAD}`, HEAD.replaceAll('\n', '\r\n')])(
    'nothing said is every default %#',
    (text) => expect(good(text)).toEqual(defaultRepositoryConfig()),
  );

  test('the branch is the default branch where none is named', () => {
    expect(parseRepositoryConfig(source(HEAD), { defaultBranch: 'trunk' }).config?.branch).toBe('trunk');
  });

  test.each([
    ['/', '.'],
    ['.', '.'],
    ['/packages/', 'packages'],
    ['a/b', 'a/b'],
  ])('directory %s is %s', (written, read) => {
    expect(good(`${HEAD}spec: { directory: ${written} }`).directory).toBe(read);
  });

  test.each([
    ['latest', { kind: 'latest' }],
    ['none', { kind: 'none' }],
    ['channel/stable', { kind: 'channel', channel: 'stable' }],
    ['3', { kind: 'pin', revision: 'v3' }],
    ['v3', { kind: 'pin', revision: 'v3' }],
    ['"2.0.1"', { kind: 'pin', revision: 'v2.0.1' }],
    ['^2.1', { kind: 'range', range: '^2.1' }],
    ['">=1 <3 || 5.x"', { kind: 'range', range: '>=1 <3 || 5.x' }],
  ])('follow: %s', (written, read) => {
    expect(good(`${HEAD}spec: { updates: { follow: ${written} } }`).updates.follow).toEqual(read);
  });

  test.each([
    ['true', 'all'],
    ['false', 'none'],
    ['major', 'all'],
    ['minor', 'minor'],
  ])('automerge: %s', (written, read) => {
    expect(good(`${HEAD}spec: { updates: { automerge: ${written} } }`).updates.automerge).toBe(read);
  });

  test.each([
    ['updates: { pullRequest: false }', '`updates.automerge`'],
    ['updates: { pullRequest: false, automerge: all }', '`publish.requireApprovals: 0`'],
    [
      'updates: { pullRequest: false, automerge: all }, publish: { requireApprovals: 0, requireApprovalBy: [admin] }',
      'a configuration without `publish.requireApprovalBy`',
    ],
  ])('no updates without a pull request: %s', (spec, needs) => {
    const contradiction = {
      code: 'contradiction',
      file: '.github/portico.yaml',
      path: 'spec.updates.pullRequest',
      message: `spec.updates.pullRequest: false needs ${needs}`,
    };
    expect(bad(`${HEAD}spec: { ${spec} }`)).toMatchObject([contradiction]);
    const organization = source(`${HEAD}spec: { ${spec} }`, 'acme/.github');
    expect(parseRepositoryConfig(source(`${HEAD}spec: {}`), { organization }).problems).toMatchObject([
      { ...contradiction, file: 'acme/.github' },
    ]);
  });

  test('updates without a pull request, also where the organisation says a part of it', () => {
    const spec = 'updates: { pullRequest: false, automerge: patch }, publish: { requireApprovals: 0 }';
    expect(good(`${HEAD}spec: { ${spec} }`).updates.direct).toBe(true);
    expect(good(`${HEAD}spec: { updates: { automerge: all } }`).updates.direct).toBeUndefined();
    const own = `${HEAD}spec: { updates: { pullRequest: false } }`;
    const organization = `${HEAD}spec: { updates: { automerge: all }, publish: { requireApprovals: 0 } }`;
    expect(good(own, organization).updates).toMatchObject({ automerge: 'all', direct: true });
    const without = `${HEAD}spec: { updates: { pullRequest: true } }`;
    expect(good(without, `${HEAD}spec: { ${spec} }`).updates.direct).toBeUndefined();
  });

  test('groups, order and labels of updates', () => {
    const { updates } = good(`${HEAD}spec:
  updates:
    group: [{ name: front, packages: ['apps/**'] }, { name: rest, packages: ['**'] }]
    priority: ['infra/**']
    labels: [dependencies, "kind: update"]
`);
    expect(groupOf(updates, 'apps/a/b')?.name).toBe('front');
    expect(groupOf(updates, 'infra')?.name).toBe('rest');
    expect(priorityOf(updates, 'infra/a')).toBe(0);
    expect(priorityOf(updates, 'apps/a')).toBe(Infinity);
    expect(updates.labels).toEqual(['dependencies', 'kind: update']);
    const all = good(`${HEAD}spec: { updates: { group: all } }`).updates;
    for (const path of ['.', 'a', 'a/b']) expect(groupOf(all, path)?.name).toBe('all');
    expect(groupOf(good(HEAD).updates, 'a')).toBeUndefined();
  });

  test.each([
    ['group: [{ name: Front, packages: [a] }]', 'lower-case letters'],
    ['group: [{ name: a, packages: [] }]', 'packages'],
    ['group: [{ name: a, packages: [a] }, { name: a, packages: [b] }]', 'a group a already exists'],
    ['priority: ["{a,b}"]', 'braces'],
    ['labels: ["a,b"]', 'without commas'],
  ])('updates: %s is a mistake', (written, said) => {
    expect(
      bad(`${HEAD}spec: { updates: { ${written} } }`)
        .map(({ message }) => message)
        .join(),
    ).toContain(said);
  });

  test('anchors are expanded', () => {
    const text = `${HEAD}spec:\n  access:\n    propose: &who [write]\n    publish: *who\n`;
    expect(good(text).access.get('publish')).toEqual([{ kind: 'role', role: 'write' }]);
  });
});

describe('organisation defaults', () => {
  const ORGANIZATION = `${HEAD}spec:
  branch: release
  directory: /elsewhere
  publish: { requireApprovals: 2, release: false }
  guardrails:
    validators: [{ name: schema, image: kubeconform:v0.1 }, { name: names, image: names:v1 }]
  access: { approve: [admin], publish: [admin] }
`;

  test('lie under what the repository says', () => {
    const config = good(
      `${HEAD}spec:
  publish: { requireApprovals: 1 }
  guardrails: { mutators: [{ name: labels, image: set-labels:v1 }], validators: [{ name: schema, image: kubeconform:v9, mode: warn }] }
  access: { approve: [write] }
`,
      ORGANIZATION,
    );
    expect(config.branch).toBe('main');
    expect(config.directory).toBe('.');
    expect(config.publish).toMatchObject({ requireApprovals: 1, release: false });
    expect(config.guardrails.mutators.map(({ name }) => name)).toEqual(['labels']);
    expect(config.guardrails.validators).toEqual([
      { name: 'schema', mode: 'warn', image: 'kubeconform:v9' },
      { name: 'names', mode: 'enforce', image: 'names:v1' },
    ]);
    expect(config.access.get('approve')).toEqual([{ kind: 'role', role: 'write' }]);
    expect(config.access.get('publish')).toEqual([{ kind: 'role', role: 'admin' }]);
  });

  test('an organisation shares among itself, and a repository may say no', () => {
    const organization = `${HEAD}spec: { sharing: { within: organization, to: [globex/deploy] }, controlledBy: [acme/fleet] }`;
    const sharingOf = (spec: string): unknown => good(`${HEAD}spec: { ${spec} }`, organization).sharing;
    expect(sharingOf('')).toEqual({ to: ['globex/deploy'], from: [], within: true });
    expect(sharingOf('sharing: { from: [acme/up] }')).toEqual({ to: [], from: ['acme/up'], within: true });
    expect(sharingOf('sharing: { within: none }')).toEqual({ to: [], from: [] });
    const own = good(`${HEAD}spec: { controlledBy: [] }`, organization);
    expect(own.controlledBy).toEqual([]);
    expect(good(`${HEAD}spec: {}`, organization).controlledBy).toEqual(['acme/fleet']);
  });

  test('a guardrail that changes its kind stands once', () => {
    const config = good(
      `${HEAD}spec: { guardrails: { mutators: [{ name: names, image: fix:v1 }] } }`,
      ORGANIZATION,
    );
    expect(config.guardrails.mutators.map(({ name }) => name)).toEqual(['names']);
    expect(config.guardrails.validators.map(({ name }) => name)).toEqual(['schema']);
  });

  test('a mistake in them is told with their name', () => {
    const result = parseRepositoryConfig(source(HEAD), {
      organization: source(`${HEAD}spec: { branhc: x }`, 'acme/.github/portico.yaml'),
    });
    expect(result.ok).toBe(false);
    expect(result.problems).toMatchObject([{ file: 'acme/.github/portico.yaml', code: 'unknown-field' }]);
  });
});

describe('a mistake is told with code, place and remedy', () => {
  test.each<[string, string, Partial<ConfigProblem>]>([
    [
      'misspelt field',
      'spec:\n  guardrials: {}\n',
      {
        code: 'unknown-field',
        line: 5,
        column: 3,
        path: 'spec.guardrials',
        hint: 'Did you mean guardrails?',
      },
    ],
    [
      'field far from any',
      'spec:\n  publish:\n    whatever: 1\n',
      {
        code: 'unknown-field',
        line: 6,
        column: 5,
        hint: 'Fields here: release, requireApprovals, allowSelfApproval, requireApprovalBy, weakeningApprovalBy, directPushes, mergeMethod, approvals, codeOwners.',
      },
    ],
    [
      'wrong type',
      'spec:\n  publish:\n    requireApprovals: "two"\n',
      {
        code: 'wrong-type',
        line: 6,
        column: 23,
        message: 'spec.publish.requireApprovals must be a number, and is a string',
      },
    ],
    [
      'number in a configMap',
      'spec:\n  guardrails:\n    mutators:\n    - name: n\n      image: i\n      configMap: { replicas: 3 }\n',
      {
        code: 'wrong-type',
        line: 9,
        column: 30,
        path: 'spec.guardrails.mutators[0].configMap.replicas',
        hint: 'Put it in quotes: "3".',
      },
    ],
    [
      'one of',
      'spec: { versioning: calver }\n',
      { code: 'wrong-value', line: 4, column: 21, message: 'spec.versioning must be sequence or semver' },
    ],
    ['too many approvals', 'spec: { publish: { requireApprovals: 21 } }', { code: 'out-of-range', line: 4 }],
    [
      'approvals of whatever an owner has',
      'spec: { publish: { approvals: { from: [acme/*] } } }',
      { line: 4 },
    ],
    ['half an approval', 'spec: { publish: { requireApprovals: 0.5 } }', { code: 'wrong-type', line: 4 }],
    [
      'unknown command',
      'spec:\n  access:\n    aprove: [write]\n',
      { code: 'unknown-field', line: 6, column: 5, hint: 'Did you mean approve?' },
    ],
    [
      'unknown role',
      'spec:\n  access:\n    approve: [maintainer]\n',
      {
        code: 'wrong-value',
        line: 6,
        column: 15,
        message: expect.stringContaining('did you mean maintain?') as string,
      },
    ],
    [
      'role none',
      'spec: { access: { approve: [none] } }',
      { message: expect.stringContaining('empty list') as string },
    ],
    [
      'command line in access',
      'spec: { access: { approve: write } }',
      { code: 'wrong-type', message: 'spec.access.approve must be a list, and is a string' },
    ],
    [
      'schedule',
      'spec:\n  updates: { schedule: "0 25 * * *" }\n',
      { line: 5, column: 24, message: expect.stringContaining('hour: 25') as string },
    ],
    [
      'follow',
      'spec: { updates: { follow: newest } }',
      { message: expect.stringContaining('channel/<name>') as string },
    ],
    ['follow of another type', 'spec: { updates: { follow: [] } }', { line: 4 }],
    [
      'neither image nor cel',
      'spec:\n  guardrails:\n    validators:\n    - name: x\n',
      {
        line: 7,
        column: 7,
        message: 'spec.guardrails.validators[0] needs either image, cel, policy, policyPath or rego',
      },
    ],
    [
      'both',
      'spec: { guardrails: { validators: [{ name: x, image: a, cel: "true" }] } }',
      { code: 'wrong-value' },
    ],
    [
      'cel that changes',
      'spec: { guardrails: { mutators: [{ name: x, image: a, cel: "true" }] } }',
      { code: 'unknown-field' },
    ],
    [
      'mutator without image',
      'spec: { guardrails: { mutators: [{ name: x }] } }',
      { code: 'wrong-value', message: 'spec.guardrails.mutators[0] needs either image or policyPath' },
    ],
    [
      'message without cel',
      'spec: { guardrails: { validators: [{ name: x, image: a, message: m }] } }',
      { path: 'spec.guardrails.validators[0].message' },
    ],
    ...(
      [
        ['{ name: x, cel: "true", crds: [{ path: a }] }', '.crds'],
        ['{ name: x, image: a/kubeconform-not:v1, crds: [{ path: a }] }', '.crds'],
        [`{ name: x, image: "kubeconform:v0.1@sha256:${'0'.repeat(64)}", crds: [{ path: a }] }`, '.crds'],
        ['{ name: x, image: kubeconform:v0.1, crds: [] }', '.crds'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{}] }', '.crds[0]'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ repo: crds }] }', '.crds[0].repo'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ repo: a/b/c }] }', '.crds[0].repo'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ path: ../x }] }', '.crds[0].path'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ repo: a/b, ref: --all }] }', '.crds[0].ref'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ repo: a/b, ref: a..b }] }', '.crds[0].ref'],
        ['{ name: x, image: kubeconform:v0.1, crds: [{ path: a, ref: v1 }] }', '.crds[0].ref'],
        ['{ name: x, rego: a.wasm }', '.sha256'],
        ['{ name: x, rego: a.wasm, sha256: A }', '.sha256'],
        ['{ name: x, cel: "true", entrypoint: a/b }', '.entrypoint'],
        [`{ name: x, rego: ../a.wasm, sha256: ${'ab'.repeat(32)} }`, '.rego'],
        [`{ name: x, rego: a.wasm, sha256: ${'ab'.repeat(32)}, configMap: { a: b } }`, ''],
      ] as const
    ).map(([entry, path]): [string, string, object] => [
      `guardrail ${entry}`,
      `spec: { guardrails: { validators: [${entry}] } }`,
      { path: `spec.guardrails.validators[0]${path}` },
    ]),
    [
      'two of one name',
      'spec: { guardrails: { mutators: [{ name: x, image: a }], validators: [{ name: x, image: a }] } }',
      { path: 'spec.guardrails.validators[0].name' },
    ],
    [
      'name that is no check',
      'spec: { guardrails: { mutators: [{ name: "X y", image: a }] } }',
      { path: 'spec.guardrails.mutators[0].name' },
    ],
    [
      'image that is an option',
      'spec: { guardrails: { mutators: [{ name: x, image: "--privileged" }] } }',
      { path: 'spec.guardrails.mutators[0].image' },
    ],
    [
      'braces in a glob (48)',
      'spec: { guardrails: { mutators: [{ name: x, image: a, paths: ["{a,b}{a,b}"] }] } }',
      { message: expect.stringContaining('braces') as string },
    ],
    [
      'configuration twice',
      'spec: { guardrails: { mutators: [{ name: x, image: a, configMap: {}, configPath: c.yaml }] } }',
      { path: 'spec.guardrails.mutators[0].configPath' },
    ],
    ['path that climbs', 'spec: { directory: ../x }', { path: 'spec.directory' }],
    ['branch that is an option (37)', 'spec: { branch: --upload-pack=x }', { path: 'spec.branch' }],
    [
      'repository without owner',
      'spec: { defaultUpstream: { repo: blueprints } }',
      { message: expect.stringContaining('owner/name') as string },
    ],
    ['tab', 'spec:\n\tbranch: main\n', { code: 'yaml', line: 5 }],
    ['duplicate key', 'spec:\n  branch: a\n  branch: b\n', { code: 'yaml', line: 6 }],
    ['a map as a key', 'spec:\n  ? { a: b }\n  : c\n', { code: 'yaml', line: 5 }],
    ['keys inside of keys', `spec:\n  ${'? '.repeat(300)}a\n`, { code: 'yaml', line: 5 }],
    ['unknown tag', 'spec: !!js/function "x"\n', { code: 'yaml', line: 4 }],
    ['merge key', 'spec:\n  <<: { branch: a }\n', { code: 'unknown-field' }],
    ['second document', '---\nkind: PackageVariant\n', { code: 'documents', line: 4 }],
    ['no map', 'spec: 3\n', { code: 'wrong-type', line: 4, column: 7 }],
  ])('%s', (_name, text, problem) => {
    expect(bad(HEAD + text)[0]).toMatchObject({ file: '.github/portico.yaml', ...problem });
  });

  test.each<[string, string, Partial<ConfigProblem>]>([
    ['empty', '', { code: 'empty', line: 1, column: 1 }],
    ['comment only', '# nothing\n', { code: 'empty' }],
    ['a list', '- a\n', { code: 'wrong-type', message: 'the document must be a map, and is a list' }],
    [
      'another kind',
      'apiVersion: config.portico.dev/v1alpha1\nkind: PackageVariant\n',
      { line: 2, message: 'kind must be Repository' },
    ],
    ['no apiVersion', 'kind: Repository\n', { code: 'missing', message: 'apiVersion is missing' }],
  ])('document: %s', (_name, text, problem) => {
    expect(bad(text)[0]).toMatchObject(problem);
  });

  test('every problem has a place, a sentence and a remedy', () => {
    for (const problem of bad(`${HEAD}spec: { a: 1, b: 2, publish: { release: 1, c: [] } }`)) {
      expect(problem.line).toBe(4);
      expect(problem.message).not.toBe('');
      expect(problem.hint).not.toBe('');
    }
  });
});

describe('hostile bytes', () => {
  const bomb = [
    'a: &a0 [x, x]',
    ...Array.from({ length: 30 }, (_, at) => `b${at}: &a${at + 1} [*a${at}, *a${at}]`),
  ];

  test.each([
    ['44 alias bomb', bomb.join('\n'), 'yaml'],
    ['45 deep brackets', '['.repeat(1000) + ']'.repeat(1000), 'too-deep'],
    ['deep blocks', Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), undefined],
    ['deep sequences', `${'- '.repeat(50_000)}x`, undefined],
    ['too large', `# ${'x'.repeat(64 * 1024)}`, 'too-large'],
  ])('%s', (_name, text, code) => {
    const [problem] = bad(text);
    if (code !== undefined) expect(problem?.code).toBe(code);
  });

  test('bytes that are not UTF-8', () => {
    const result = parseRepositoryConfig({ file: 'f', bytes: Uint8Array.of(0xff, 0xfe, 0x41) });
    expect(result.problems).toMatchObject([{ code: 'not-utf8' }]);
  });

  test('46 a prototype key changes nothing', () => {
    const text = `${HEAD}spec: { guardrails: { mutators: [{ name: x, image: a, configMap: { __proto__: "x", constructor: "y" } }] }, access: { __proto__: [write] } }`;
    parseRepositoryConfig(source(text));
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(Object.prototype.constructor).toBe(Object);
  });

  test('never throws', () => {
    const words = [
      'spec',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '"',
      "'",
      '#',
      '|',
      '!',
      'kind',
      '?',
      '\t',
      HEAD,
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' })), { maxLength: 40 }),
        (parts) => {
          const result = parseRepositoryConfig(source(parts.join('')));
          return result.ok || result.problems.every(({ line, column }) => line >= 1 && column >= 1);
        },
      ),
      { numRuns: 500 },
    );
  });
});
