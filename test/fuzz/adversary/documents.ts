/** Documents that say what Portico shall do: variants, sets, rollouts, the configuration of a repository. */
import { words, type Choices, type Rule } from './choices.ts';
import { cel } from './expressions.ts';
import { glob, pattern, subject } from './patterns.ts';
import { yaml } from './yaml.ts';

const json = (value: unknown): string => JSON.stringify(value);

const name: Rule = (choices) =>
  choices.one([
    words(
      'deploy',
      'blueprints',
      'web',
      '',
      'A_B',
      '../..',
      'a/b/c',
      '__proto__',
      'constructor',
      '@alice',
      '*',
    ),
    (c) => c.long('a'),
    (c) => c.long('a/'),
  ]);

/** Either once, or as often as there is room. */
function copies<One>(choices: Choices, one: (at: number) => One, length: number): One[] {
  return Array.from({ length: choices.times(length) }, (_, at) => one(at));
}

/** A few different ones, again and again: each of them decides only once. */
function repeated(choices: Choices, rule: Rule, length: number): string[] {
  const different = [rule(choices), rule(choices), rule(choices)];
  const longest = Math.max(length, ...different.map((one) => one.length));
  return copies(choices, (at) => different[at % 3]!, longest);
}

function texts(choices: Choices): Record<string, string> {
  return Object.fromEntries(copies(choices, (at) => [`k${at}`, 'v'] as const, 12));
}

function template(choices: Choices): unknown {
  const expressions = (): unknown[] => {
    const values = repeated(choices, cel, 40);
    return values.map((valueExpr, at) => ({ key: `k${at}`, valueExpr }));
  };
  return choices.pick<() => unknown>([
    () => ({ downstream: { packageExpr: cel(choices) } }),
    () => ({ downstream: { repoExpr: cel(choices), packageExpr: cel(choices) } }),
    () => ({ labelExprs: expressions() }),
    () => ({ annotationExprs: expressions(), labels: texts(choices) }),
    () => ({
      packageContext: {
        data: texts(choices),
        dataExprs: expressions(),
        removeKeyExprs: copies(choices, () => '"a"', 4),
      },
    }),
    () => ({
      pipeline: {
        mutators: copies(
          choices,
          (at) => ({
            name: `a${at}`,
            image: 'set-labels:v0.2',
            configMapExprs: [{ keyExpr: cel(choices), valueExpr: '"b"' }],
          }),
          60,
        ),
      },
    }),
    () => ({ injectors: copies(choices, () => ({ nameExpr: cel(choices), kind: 'ConfigMap' }), 30) }),
  ])();
}

function target(choices: Choices): unknown {
  const rest = choices.next() % 3 === 0 ? {} : { template: template(choices) };
  return choices.pick<() => unknown>([
    () => ({
      repositories: copies(choices, (at) => ({ name: `deploy${at % 50}`, packageNames: [`p${at}`] }), 30),
      ...rest,
    }),
    () => ({
      repositories: [{ name: name(choices), packageNames: copies(choices, (at) => `p${at}`, 8) }],
      ...rest,
    }),
    () => ({ repositories: copies(choices, () => ({ name: 'deploy' }), 20), ...rest }),
    () => ({
      repositorySelector: {
        matchLabels: {},
        matchExpressions: copies(choices, (at) => ({ key: `k${at}`, operator: 'NotIn', values: ['a'] }), 40),
      },
      ...rest,
    }),
    () => ({ objectSelector: { apiVersion: 'v1', kind: 'ConfigMap', matchLabels: {} }, ...rest }),
    () => ({
      objectSelector: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        matchExpressions: [
          {
            key: 'a',
            operator: choices.pick(['In', 'Exists', 'DoesNotExist', 'x']),
            values: copies(choices, (at) => `v${at}`, 6),
          },
        ],
      },
      ...rest,
    }),
  ])();
}

const variant = (choices: Choices, at: number): unknown => ({
  apiVersion: 'config.porch.kpt.dev/v1alpha1',
  kind: 'PackageVariant',
  metadata: { name: `v${at}` },
  spec: {
    upstream: {
      repo: 'blueprints',
      package: 'web',
      revision: choices.pick([1, -1, 'v1', 1e300, name(choices)]),
    },
    downstream: { repo: 'deploy', package: choices.pick([`p${at}`, name(choices)]) },
    ...(choices.pick<() => unknown>([
      () => ({}),
      () => ({ labels: texts(choices), annotations: texts(choices) }),
      () => ({ packageContext: { data: texts(choices), removeKeys: Object.keys(texts(choices)) } }),
      () => ({ injectors: copies(choices, (n) => ({ name: `i${n}`, group: '', kind: 'ConfigMap' }), 40) }),
      () => ({
        pipeline: {
          mutators: copies(
            choices,
            (n) => ({ name: choices.pick([`m${n}`, 'same', 'a.b']), image: 'set-labels:v0.2' }),
            40,
          ),
        },
      }),
    ])() as object),
  },
});

/** Documents below `.github/portico/`: variants and sets, few or many in a file. */
export const variants: Rule = (choices) => {
  const set = (at: number): unknown => ({
    apiVersion: `config.porch.kpt.dev/${choices.pick(['v1alpha2', 'v1alpha1'])}`,
    kind: 'PackageVariantSet',
    metadata: { name: `s${at}` },
    spec: {
      upstream: { repo: 'blueprints', package: 'web' },
      targets: Array.from({ length: 1 + (choices.next() % 3) }, () => target(choices)),
    },
  });
  return choices.one([
    () => json(set(0)),
    (c) => json(variant(c, 0)),
    (c) => copies(c, (at) => json(variant(c, at)), 300).join('\n---\n'),
    (c) => copies(c, (at) => json(set(at)), 400).join('\n---\n'),
    (c) =>
      `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: { name: a }\n${yaml(c)}`,
    (c) =>
      `apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: { name: a }\nspec:\n  ${yaml(c).replaceAll('\n', '\n  ')}`,
    yaml,
  ]);
};

/** Objects that selectors look at. */
export const inventory: Rule = (choices) =>
  choices.many(
    (at) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: i${at}\n  labels: { a: v${at} }\n`,
  );

/** A Rollout, in the words of its schema or past them. */
export const rollout: Rule = (choices) => {
  const globs = (): string[] => repeated(choices, glob, 5);
  const wave = (at: number): unknown => ({
    name: `w${at}`,
    select: choices.pick<() => unknown>([
      () => ({}),
      () => ({ repositories: globs(), packages: globs() }),
      () => ({ topics: copies(choices, (n) => `t${n}`, 5), properties: texts(choices) }),
    ])(),
    size: choices.pick([1, '10%', '100%', 1e9, '1e9%', pattern(choices)]),
    pauseAfter: choices.pick(['30m', '99999999999w', subject(choices)]),
    gate: {
      published: choices.pick(['100%', 1]),
      statuses: globs(),
      deployments: copies(choices, (n) => `d${n}`, 5),
      timeout: '1h',
      onFailure: 'rollback',
    },
  });
  const document = {
    apiVersion: 'config.portico.dev/v1alpha1',
    kind: choices.pick(['Rollout', 'Rolout', subject(choices)]),
    metadata: { name: 'one' },
    spec: {
      upstreams: copies(
        choices,
        () => ({ repo: choices.pick(['acme/blueprints', name(choices)]), packages: globs() }),
        60,
      ),
      waves: copies(choices, wave, 200),
    },
  };
  return choices.one([
    () => json(document),
    () => choices.long(`${json(document)}\n---\n`),
    (c) => `apiVersion: config.portico.dev/v1alpha1\nkind: Rollout\n${yaml(c)}`,
  ]);
};

function guardrails(choices: Choices): unknown {
  const expressions = repeated(choices, cel, 60);
  const validators = copies(
    choices,
    (at) => ({
      name: `g${at}`,
      ...choices.pick<() => object>([
        () => ({ cel: expressions[at % expressions.length] }),
        () => ({ cel: 'true', message: subject(choices), paths: repeated(choices, glob, 5) }),
        () => ({
          policy: choices.pick(['required-labels', 'replica-bounds', name(choices)]),
          params: texts(choices),
        }),
        () => ({ image: choices.pick(['kubeconform:v0.1', subject(choices)]), configMap: texts(choices) }),
        () => ({
          cel: 'true',
          selectors: copies(choices, () => ({ kind: 'Deployment', labels: { a: 'b' } }), 40),
        }),
      ])(),
    }),
    // Or a few long expressions, again and again, would be longer than a string can be.
    Math.max(60, ...expressions.map(({ length }) => length)),
  );
  return { validators, mutators: [{ name: 'm', image: 'set-labels:v0.2', configMap: texts(choices) }] };
}

/** `.github/portico.yaml`. */
export const configuration: Rule = (choices) => {
  const spec = choices.pick<() => unknown>([
    () => ({ guardrails: guardrails(choices) }),
    () => ({ access: { propose: copies(choices, (at) => `@acme/t${at}`, 10), approve: [name(choices)] } }),
    () => ({
      updates: {
        follow: choices.pick([
          'latest',
          `>=${subject(choices)}`,
          choices.many((at) => `>=${at}`, ' || '),
          choices.many((at) => `${at}.x`, ' - '),
        ]),
        schedule: choices.pick([
          '* * * * *',
          `${choices.many((at) => String(at % 60), ',')} * * * *`,
          subject(choices),
          '*/0 0-9999999999 * * *',
        ]),
        priority: repeated(choices, glob, 5),
      },
    }),
    () => ({
      updates: {
        group: copies(choices, (at) => ({ name: `g${at % 7}`, packages: ['**'] }), 40),
        labels: copies(choices, (at) => `l${at}`, 6),
        minimumAge: subject(choices),
        timeZone: subject(choices),
      },
    }),
    () => ({
      functions: copies(
        choices,
        (at) => ({ image: `a/b${at}:v1`, wasm: `f${at}.wasm`, sha256: '0'.repeat(64) }),
        90,
      ),
    }),
    () => ({
      sharing: { to: copies(choices, (at) => `acme/r${at}`, 12), from: ['acme/*'] },
      upstreams: { allow: copies(choices, (at) => `https://h${at}.test/`, 20) },
    }),
    () => ({
      branch: subject(choices),
      directory: subject(choices),
      unknown: texts(choices),
      ...texts(choices),
    }),
    () => ({
      publish: {
        requireApprovals: 1e300,
        requireApprovalBy: copies(choices, (at) => `@u${at}`, 6),
        codeOwners: 'all',
      },
    }),
  ])();
  const document = {
    apiVersion: 'config.portico.dev/v1alpha1',
    kind: 'Repository',
    metadata: { name: choices.pick(['a', name(choices)]) },
    spec,
  };
  return choices.one([
    () => json(document),
    () => JSON.stringify(document, undefined, 2),
    (c) =>
      `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: a }\nspec:\n  ${yaml(c).replaceAll('\n', '\n  ')}`,
    yaml,
  ]);
};

/** A ValidatingAdmissionPolicy with its binding. */
export const admission: Rule = (choices) => {
  const named = (key: string): unknown[] =>
    repeated(choices, cel, 50).map((expression, at) => ({ name: `${key}${at}`, expression }));
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: copies(
          choices,
          () => ({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }),
          90,
        ),
      },
      matchConditions: named('c'),
      variables: named('v'),
      validations: repeated(choices, cel, 50).map((expression) => ({
        expression,
        messageExpression: expression,
      })),
    },
  };
  const binding = {
    apiVersion: policy.apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'] },
  };
  return `${json(policy)}\n---\n${json(binding)}\n`;
};
