/**
 * Golden cases of bundles, where they lie beside the checkout (`../shared/corpus/catalog`). Each runs through the command
 * line's own verbs. docs/bundles-differences.md says which are meant to differ.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { runVerb } from '../fbc/run-verb.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/catalog');
const FAMILIES = /^(?:bundle-validate|registryv1-(?:convert|validate|golden)|rukpak-(?:plain|registry))$/;

interface Options {
  readonly installNamespace?: string;
  readonly targetNamespaces?: readonly string[] | null;
  readonly watchNamespace?: string;
  readonly deploymentConfig?: unknown;
}

interface Expected {
  readonly outcome: 'valid' | 'error';
  readonly error_leaves?: readonly string[];
  readonly error_leaves_in_order?: readonly string[];
  readonly error_count?: number;
  readonly error_contains_each?: readonly string[];
  readonly error_contains?: string;
  readonly error_prefix?: string;
  readonly error_text?: string;
  readonly object_count?: number;
  readonly objects?: readonly string[];
  readonly files?: readonly string[];
}

interface Case {
  readonly family: string;
  readonly options?: Options;
  readonly expected: Expected;
}

type Resource = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const ids = existsSync(CORPUS)
  ? readdirSync(CORPUS).filter((id) => FAMILIES.test(id.slice(0, id.indexOf('--'))))
  : [];

if (ids.length === 0) {
  test.skip('the corpus of bundles is not beside this checkout: nothing was compared', () => {});
}

/** Cases of each family, and how many of them have the result that is wanted. */
const tally = new Map<string, { all: number; good: number }>();

test.each(ids)('%s', async (id) => {
  const directory = join(CORPUS, id);
  const {
    family,
    options = {},
    expected,
  } = parse(readFileSync(join(directory, 'case.yaml'), 'utf8')) as Case;
  const count = tally.get(family) ?? { all: 0, good: 0 };
  tally.set(family, count);
  count.all += 1;
  if (family.endsWith('validate')) await compareVerdict(join(directory, 'input'), expected);
  else await compareConversion(directory, family, options, expected);
  count.good += 1;
});

test.skipIf(ids.length === 0)('at least 98 % of each of the six families', () => {
  const short = [...tally].filter(([, { all, good }]) => good < 0.98 * all);
  expect(short).toEqual([]);
  expect([...tally.keys()].toSorted()).toEqual([
    'bundle-validate',
    'registryv1-convert',
    'registryv1-golden',
    'registryv1-validate',
    'rukpak-plain',
    'rukpak-registry',
  ]);
});

async function compareVerdict(input: string, expected: Expected): Promise<void> {
  const { exit, stdout } = await runVerb('bundle', 'validate', input, '--json');
  const { passed, errors } = JSON.parse(stdout) as { passed: boolean; errors: { message: string }[] };
  const messages = errors.map(({ message }) => message);
  if (expected.outcome === 'valid') expect(messages).toEqual([]);
  expect([exit, passed]).toEqual(expected.outcome === 'valid' ? [0, true] : [1, false]);
  if (expected.error_leaves !== undefined) expect(messages.sort()).toEqual([...expected.error_leaves].sort());
  if (expected.error_leaves_in_order !== undefined) expect(messages).toEqual(expected.error_leaves_in_order);
  if (expected.error_count !== undefined) expect(messages).toHaveLength(expected.error_count);
  for (const part of expected.error_contains_each ?? []) {
    expect(
      messages.some((message) => message.includes(part)),
      `${part} in ${messages.join('\n')}`,
    ).toBe(true);
  }
}

async function compareConversion(
  directory: string,
  family: string,
  options: Options,
  expected: Expected,
): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'portico-bundle-'));
  const output = join(scratch, 'out');
  const argv = ['convert', join(directory, 'input'), '--output', output];
  if (family === 'rukpak-plain') argv.push('--format', 'plain');
  else argv.push('--install-namespace', options.installNamespace ?? 'operators');
  const targets =
    family === 'rukpak-registry'
      ? ['']
      : (options.targetNamespaces ??
        (options.watchNamespace === undefined ? undefined : [options.watchNamespace]));
  if (targets !== undefined) argv.push('--target-namespaces', targets.join(','));
  if (options.deploymentConfig !== undefined) {
    const file = join(scratch, 'config.json');
    writeFileSync(file, JSON.stringify(options.deploymentConfig));
    argv.push('--deployment-config', file);
  }

  const { exit, stderr } = await runVerb('bundle', ...argv);
  if (expected.outcome === 'error') {
    expect(exit).toBe(65);
    for (const part of [expected.error_contains, expected.error_prefix, expected.error_text])
      expect(stderr).toContain(part ?? '');
    expect(existsSync(output)).toBe(false);
    return;
  }
  expect(stderr.replaceAll(/^warning: .*\n/gm, '')).toBe('');
  expect(exit).toBe(0);
  const found = readdirSync(output).map((file) => resourceIn(join(output, file)));
  if (expected.object_count !== undefined) expect(found).toHaveLength(expected.object_count);
  if (expected.objects !== undefined) expect(found.map(named)).toEqual(expected.objects);
  if (expected.files === undefined) return;
  const wanted = expected.files.map((file) => resourceIn(join(directory, file)));
  const byName = (resources: readonly Resource[]): object =>
    Object.fromEntries(
      resources.filter(({ kind }) => kind !== 'CustomResourceDefinition').map((each) => [named(each), each]),
    );
  expect(byName(found)).toEqual(byName(wanted));
}

function resourceIn(file: string): Resource {
  return parse(readFileSync(file, 'utf8')) as Resource;
}

function named({ kind, metadata: { namespace = '', name } }: Resource): string {
  return `${kind} ${namespace}/${name}`;
}
