/** The golden cases of bundles, run through the command line's own verbs. A case that differs says why. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { bundleCase, definitionOf, filesOfBundle, type BundleCase } from '../corpus/bundle-case.ts';
import { readCases } from '../corpus/read-cases.ts';
import { runVerb } from '../fbc/run-verb.ts';

type Answer = NonNullable<BundleCase['expected']>;
type Resource = NonNullable<Answer['objects']>[number];

const CASES = readCases('bundles', bundleCase);

const work = mkdtempSync(join(tmpdir(), 'portico-bundle-'));
afterAll(() => rmSync(work, { recursive: true }));

/** Portico's answer in the form of the tool's. */
async function answerOf(one: BundleCase): Promise<Answer> {
  const scratch = mkdtempSync(join(work, 'case-'));
  if (one.old !== undefined && one.new !== undefined) return upgrade(scratch, one.old, one.new);
  const bundle = join(scratch, 'bundle');
  for (const [path, text] of Object.entries(filesOfBundle(one))) {
    mkdirSync(dirname(join(bundle, path)), { recursive: true });
    writeFileSync(join(bundle, path), text);
  }
  return one.convert === undefined && one.plain === undefined
    ? validate(bundle)
    : convert(bundle, join(scratch, 'out'), one);
}

async function upgrade(
  scratch: string,
  old: NonNullable<BundleCase['old']>,
  now: NonNullable<BundleCase['new']>,
): Promise<Answer> {
  const files = Object.entries({ 'old.yaml': old, 'new.yaml': now }).map(([name, one]) => {
    writeFileSync(join(scratch, name), definitionOf(one));
    return join(scratch, name);
  });
  const { exit, stdout } = await runVerb('crd-safety', ...files, '--json');
  const { errors } = JSON.parse(stdout) as { errors: string[] };
  expect(exit).toBe(errors.length === 0 ? 0 : 1);
  return { errors: errors.sort() };
}

async function validate(bundle: string): Promise<Answer> {
  const { exit, stdout } = await runVerb('bundle', 'validate', bundle, '--json');
  const { passed, errors } = JSON.parse(stdout) as { passed: boolean; errors: { message: string }[] };
  expect([exit, passed]).toEqual(errors.length === 0 ? [0, true] : [1, false]);
  return { errors: errors.map(({ message }) => message) };
}

async function convert(
  bundle: string,
  output: string,
  { convert: options, plain }: BundleCase,
): Promise<Answer> {
  const argv = ['convert', bundle, '--output', output];
  if (plain) argv.push('--format', 'plain');
  if (options !== undefined) argv.push('--install-namespace', options.installNamespace);
  if (options?.targetNamespaces !== undefined)
    argv.push('--target-namespaces', options.targetNamespaces.join(','));
  if (options?.certificateProvider !== undefined)
    argv.push('--certificate-provider', options.certificateProvider);
  if (options?.deploymentConfig !== undefined) {
    const file = `${output}.json`;
    writeFileSync(file, JSON.stringify(options.deploymentConfig));
    argv.push('--deployment-config', file);
  }
  const { exit, stderr } = await runVerb('bundle', ...argv);
  if (!existsSync(output)) {
    const [, format, errors = ''] =
      /^error: convert (\S+) bundle to plain\+v0 bundle: (.*)\n/.exec(stderr) ?? [];
    expect([exit, format]).toEqual([65, plain ? 'plain+v0' : 'registry+v1']);
    return { errors: [errors] };
  }
  expect([exit, stderr.replaceAll(/^warning: .*\n/gm, '')]).toEqual([0, '']);
  return {
    objects: readdirSync(output).map((file) => parse(readFileSync(join(output, file), 'utf8')) as Resource),
  };
}

/** Returns the answer as it is compared: objects in any order, because Portico has its own, and without a status, which is not applied. */
function comparable(
  { errors, objects }: Answer,
  { tool }: { readonly tool?: { readonly name: string } | undefined },
): Answer {
  const texts = errors?.map((text) =>
    text.replace(/^invalid option\(s\): invalid target namespaces \[.*?\]: /, ''),
  );
  return {
    // opm goes through annotations in any order.
    ...(texts !== undefined && { errors: tool?.name === 'opm-bundles' ? texts.sort() : texts }),
    ...(objects !== undefined && {
      objects: objects
        .map((object): Resource => ({ ...object, status: undefined }))
        .sort((a, b) => (identity(a) < identity(b) ? -1 : 1)),
    }),
  };
}

function identity({ kind, metadata: { namespace, name } }: Resource): string {
  return JSON.stringify([kind, namespace, name]);
}

describe('bundles and upgrades of definitions', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const answer = comparable(await answerOf(one), one);
    const theirs = comparable(one.expected!, one);
    expect(answer).toEqual(one.portico === undefined ? theirs : comparable(one.portico, one));
    if (one.differs !== undefined) expect(answer, 'is said to differ').not.toEqual(theirs);
  });

  test('a case says why Portico answers otherwise, and how', () => {
    const half = CASES.filter(({ differs, portico }) => (differs === undefined) !== (portico === undefined));
    expect(half.map(({ name }) => name)).toEqual([]);
  });
});
