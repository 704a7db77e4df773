/** Whole packages: Kptfiles with their pipelines, the functions' configurations, and the resources that they work on. */
import type { PackageFiles } from '../../../src/package/package.ts';
import type { Choices, Rule } from './choices.ts';
import { words } from './choices.ts';
import { cel, starlark } from './expressions.ts';
import { glob, pattern, subject } from './patterns.ts';
import { json, labels, resource, resources } from './resources.ts';
import { yaml } from './yaml.ts';

const fieldPath: Rule = (choices) =>
  choices.one([
    words(
      'spec',
      'spec.a',
      'metadata.name',
      'metadata.labels',
      'data.*',
      '**',
      '**.a',
      '*',
      'spec.containers[*].image',
      'spec.containers[name=a].image',
      '[0]',
      '',
      '.',
      'a..b',
      '$',
      'metadata.annotations[a.b/c]',
      'spec.template.spec.containers.0.image',
    ),
    (c) => c.long('a.'),
    (c) => c.long('**.'),
    (c) => c.long('*.'),
    (c) => c.long('[*]'),
    (c) => c.nested('[', 'a', ']'),
    (c) => c.long('spec.'),
  ]);

interface Step {
  readonly image: string;
  readonly configMap?: Record<string, string>;
  readonly config?: string;
}

type StepRule = (choices: Choices) => Step;

const STEPS: readonly StepRule[] = [
  (c) => ({ image: 'set-labels:v0.2', configMap: labels(c) }),
  (c) => ({ image: 'set-annotations:v0.1', configMap: labels(c) }),
  (c) => ({
    image: 'set-namespace:v0.4',
    configMap: { namespace: c.pick(['a', '', 'A_B', 'x'.repeat(300)]) },
  }),
  (c) => ({ image: 'search-replace:v0.2', configMap: search(c) }),
  (c) => ({ image: 'apply-setters:v0.2', configMap: labels(c) }),
  (c) => ({ image: 'create-setters:v0.1', configMap: labels(c) }),
  () => ({ image: 'list-setters:v0.1' }),
  (c) => ({ image: 'set-image:v0.1', configMap: { name: subject(c), newName: subject(c), newTag: 'v1' } }),
  (c) => ({ image: 'ensure-name-substring:v0.2', configMap: { prepend: c.pick(['a-', subject(c)]) } }),
  (c) => ({
    image: 'apply-replacements:v0.1',
    config: resource('ApplyReplacements', { replacements: replacements(c) }, 'fn.kpt.dev/v1alpha1'),
  }),
  (c) => ({
    image: 'starlark:v0.5',
    config: resource('StarlarkRun', { source: starlark(c) }, 'fn.kpt.dev/v1alpha1'),
  }),
  (c) => ({ image: 'upsert-resource:v0.2', config: resource('ConfigMap', { data: labels(c) }) }),
  (c) => ({ image: 'kubeconform:v0.1', configMap: { strict: c.pick(['true', 'a']) } }),
  () => ({ image: 'gen-pkg-context:v0.1' }),
  () => ({ image: 'remove-local-config-resources:v0.1' }),
  (c) => ({
    image: 'set-enforcement-action:v0.1',
    configMap: { enforcementAction: c.pick(['warn', subject(c)]) },
  }),
  (c) => ({
    image: c.pick(['unknown:v9', subject(c), 'set-labels:>=0.1 <0.3', `set-labels:${'9'.repeat(100)}`]),
  }),
];

function search(choices: Choices): Record<string, string> {
  const asked: [string, () => string][] = [
    ['by-path', () => fieldPath(choices)],
    ['by-value', () => subject(choices)],
    ['by-value-regex', () => pattern(choices)],
    ['by-file-path', () => glob(choices)],
    ['put-value', () => choices.pick(['b', '${1}', '$0$0$0$0', subject(choices)])],
    ['put-comment', () => choices.pick(['kpt-set: ${a}', subject(choices)])],
  ];
  return Object.fromEntries(
    asked.flatMap(([name, value]) => (choices.next() % 2 === 0 ? [[name, value()] as const] : [])),
  );
}

function replacements(choices: Choices): unknown[] {
  const one = (at: number): unknown => ({
    source: {
      kind: choices.pick(['Deployment', 'ConfigMap', '']),
      fieldPath: choices.pick(['spec', 'metadata.name', 'spec.a', 'data']),
    },
    targets: [
      {
        select: { kind: choices.pick(['Deployment', 'ConfigMap']) },
        fieldPaths: choices.pick([
          ['spec.a', 'spec.b'],
          [`spec.x${at}`],
          ['spec'],
          [fieldPath(choices)],
          ['metadata.name', 'metadata.labels.[a]'],
        ]),
        options: {
          create: true,
          ...(at % 2 === 0 && {
            delimiter: choices.pick(['', 'a', ',']),
            index: choices.pick([0, -1, 99_999_999]),
          }),
        },
      },
    ],
  });
  return Array.from({ length: Math.min(200, choices.times(100)) }, (_, at) => one(at));
}

function selector(choices: Choices): Record<string, unknown> {
  return choices.pick([
    { kind: 'Deployment' },
    { name: subject(choices) },
    { labels: labels(choices) },
    { annotations: { a: 'b' }, namespace: 'a' },
    { apiVersion: 'apps/v1', kind: pattern(choices) },
  ]);
}

function kptfile(choices: Choices, configs: Map<string, string>): string {
  const steps = (): unknown[] => {
    const rule = choices.pick(STEPS);
    const step = rule(choices);
    const same = Math.min(300, choices.times(json(step).length + 80));
    return Array.from({ length: same }, (_, at) => {
      const path = `fn-${configs.size}.yaml`;
      if (step.config !== undefined && at === 0) configs.set(path, step.config);
      const selected =
        choices.more && choices.next() % 4 === 0
          ? { selectors: Array.from({ length: choices.times(60) }, () => selector(choices)) }
          : {};
      return {
        image: step.image,
        ...(step.configMap && { configMap: step.configMap }),
        ...(step.config !== undefined && { configPath: [...configs.keys()].at(-1) }),
        ...selected,
      };
    });
  };
  const pipeline = {
    mutators: Array.from({ length: 1 + (choices.next() % 4) }, steps).flat(),
    validators: choices.next() % 2 === 0 ? steps() : [],
  };
  return choices.pick([
    (): string =>
      `${json({ apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'a' }, pipeline })}\n`,
    (): string =>
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${json(subject(choices))}\npipeline: ${json(pipeline)}\n`,
    (): string =>
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\n  annotations: ${json(labels(choices))}\ninfo:\n  keywords: ${json(Object.keys(labels(choices)))}\n  readinessGates: [${choices.many((at) => `{conditionType: a${at}}`, ', ')}]\nstatus:\n  conditions: [${choices.many((at) => `{type: a${at}, status: "True"}`, ', ')}]\npipeline: ${json(pipeline)}\n`,
    (): string =>
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\npipeline: ${json(pipeline)}\n${yaml(choices)}`,
    (): string => yaml(choices),
  ])();
}

const ignore: Rule = (choices) => `${choices.some(glob, '\n')}\n${choices.long(`${glob(choices)}\n`)}`;

/** A package; of large ones the room of the document is the bound. */
export function hostilePackage(choices: Choices): PackageFiles {
  const files = new Map<string, string>();
  const configs = new Map<string, string>();
  files.set('Kptfile', kptfile(choices, configs));
  for (const [path, text] of configs) files.set(path, text);
  for (let at = 0; at <= choices.next() % 4; at += 1)
    files.set(
      choices.pick([
        `r${at}.yaml`,
        `d/r${at}.yml`,
        `r${at}.json`,
        `${'a'.repeat(100)}${at}.yaml`,
        `r${at}.txt`,
      ]),
      resources(choices),
    );
  choices.pick<() => void>([
    () => {},
    () => files.set('.krmignore', ignore(choices)),
    () => subpackages(choices, files),
    () => many(choices, files),
    () => files.set('README.md', yaml(choices)),
  ])();
  return new Map(
    [...files].map(([path, text]) => [path, { mode: '100644', bytes: new TextEncoder().encode(text) }]),
  );
}

function subpackages(choices: Choices, files: Map<string, string>): void {
  const deep = choices.next() % 2 === 0;
  const pipeline = json({ mutators: [{ image: 'set-labels:v0.2', configMap: { a: 'b' } }] });
  for (let at = 1; at <= Math.min(400, choices.times(200)); at += 1) {
    const folder = deep ? 's/'.repeat(at) : `s${at}/`;
    files.set(
      `${folder}Kptfile`,
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: s${at} }\npipeline: ${pipeline}\n`,
    );
    files.set(`${folder}a.yaml`, `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: s${at} }\n`);
  }
}

function many(choices: Choices, files: Map<string, string>): void {
  const count = Math.min(3_000, choices.times(120));
  for (let at = 0; at < count; at += 1)
    files.set(`m/${at % 100}/f${at}.yaml`, `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m${at} }\n`);
}

/** The same package with something done to it, as the other side of a merge or a comparison. */
export function altered(files: PackageFiles, choices: Choices): PackageFiles {
  const other = new Map(files);
  for (const [path, { mode, bytes }] of files) {
    const text = new TextDecoder().decode(bytes);
    const change = choices.pick<(text: string) => string | null>([
      (same) => same,
      (same) => same.replaceAll('a', 'ab'),
      (same) => `${same}\n# changed\n`,
      (same) => same.split('\n').reverse().join('\n'),
      (same) => same.replaceAll('1', '2'),
      (same) => same.replaceAll(':', ': '),
      () => null,
      () => resources(choices),
      (same) => same.replaceAll(/\n/g, '\n\n'),
      (same) => same.replaceAll('name', 'nome'),
    ])(text);
    if (change === null) {
      other.delete(path);
      if (choices.next() % 2 === 0) other.set(`moved/${path}`, { mode, bytes });
    } else other.set(path, { mode, bytes: new TextEncoder().encode(change) });
  }
  return other;
}

/** Guardrails of a repository; what its configuration would hold. */
export function hostilePolicies(choices: Choices): readonly string[] {
  return Array.from({ length: 1 + (choices.next() % 5) }, () => cel(choices));
}
