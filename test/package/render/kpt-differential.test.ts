/** Random packages, rendered by Portico and by kpt where kpt is there. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { render } from '../../../scripts/oracles/render.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { canonical } from '../../corpus/canonical.ts';
import { type Outcome, SEARCH_PATH } from '../../corpus/render/render-case.ts';
import { withChanges } from '../../corpus/tree-changes.ts';
import { PATH } from '../../parts.ts';
import { packageOf, textsOf } from './support.ts';

const LONG = process.env['PORTICO_LONG'] === '1';

const KPT = PATH.map((folder) => join(folder, 'kpt')).find((program) => existsSync(program)) ?? 'kpt';

const work = mkdtempSync(join(tmpdir(), 'portico-differential-'));
afterAll(() => rmSync(work, { recursive: true }));

test('kpt renders random packages to the same data', { tags: ['kpt'], timeout: 3_600_000 }, async () => {
  const from = Number(process.env['PORTICO_SEED'] ?? 1);
  const different: string[] = [];
  for (let seed = from; seed < from + Number(process.env['PORTICO_SEEDS'] ?? (LONG ? 300 : 2)); seed += 1) {
    const texts = Object.fromEntries(randomPackage(seed));
    const why = await compare(texts);
    if (why !== undefined) different.push(`seed ${seed}: ${why}\n${JSON.stringify(texts, null, 1)}`);
  }
  expect(different.join('\n\n')).toBe('');
});

async function compare(texts: Readonly<Record<string, string>>): Promise<string | undefined> {
  const runtime = createRuntime({
    allowExec: true,
    workingDirectory: work,
    environment: { ...process.env, PATH: SEARCH_PATH, PORTICO_EXEC_SANDBOX: 'off' },
  });
  const [{ expected }, ours] = await Promise.all([
    render.ask({ package: texts }, KPT) as Promise<{ expected: Outcome }>,
    renderPackage({ files: packageOf(texts), runtime }),
  ]);
  if (ours.ok !== (expected.exitCode === 0)) {
    const failed = ours.runs.find(({ exitCode }) => exitCode !== 0);
    return `ours ${ours.ok ? 'succeeds' : `fails: ${JSON.stringify(ours.problem ?? failed)}`}; kpt: ${expected.error}`;
  }
  if (!ours.ok) return undefined;
  const [mine, theirs] = [textsOf(ours.files), withChanges(texts, expected.files)];
  const paths = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const path = paths.find((one) => dataOf(one, mine[one]) !== dataOf(one, theirs[one]));
  return path === undefined ? undefined : `${path} is\n${mine[path]}\nwanted\n${theirs[path]}`;
}

function dataOf(path: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : canonical(path, text);
}

function map(text: string): string {
  return `    configMap: ${text}\n`;
}

/**
 * Makes a package with subpackages and pipelines, the same for the same seed. It leaves out what kpt does otherwise on purpose or by
 * mistake (docs/functions-differences.md), such as two resources for one place.
 */
function randomPackage(seed: number): Map<string, string> {
  let state = seed * 7_919 + 13;
  const below = (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  const pick = <T>(...from: readonly T[]): T => from[below(from.length)]!;
  const chance = (percent: number): boolean => below(100) < percent;
  let count = 0;
  const texts = new Map<string, string>();

  const document = (): string => {
    count += 1;
    const kind = pick('ConfigMap', 'ConfigMap', 'Secret', 'Service');
    const named = `${kind.toLowerCase()}-${count}`;
    const space = chance(30) ? `  namespace: ${pick('blue', 'green')}\n` : '';
    const notes = chance(30) ? `  annotations:\n    tier: ${pick('front', 'back')}\n` : '';
    const body = pick(
      'data:\n  a: "1" # one\n  b: two\n',
      'data:\n  text: |\n    one\n\n    two\n',
      'spec:\n  x: 1\n  list: [1, 2]\n  ports:\n  - name: http\n    port: 80\n',
    );
    return `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${named}\n${space}${notes}${body}`;
  };

  const selection = (): string =>
    chance(60)
      ? ''
      : `    ${pick('selectors', 'exclude')}:\n    - ${pick('kind: ConfigMap', 'kind: Secret', 'namespace: blue', 'annotations: { tier: front }', 'kind: Kptfile')}\n`;

  const entry = (dir: string): string => {
    count += 1;
    const [name, config] = pick(
      ['set', map(`{ spec.x: "${count}" }`)],
      ['set', map('{ metadata.namespace: red }')],
      ['label', map(`{ l${count}: v }`)],
      ['append', map(`{ text: t${count} }`)],
      ['gen', map(`{ name: made-${count} }`)],
      ['gen', map(`{ name: made-${count}, namespace: blue }`)],
      ['gen', map(`{ name: made-${count}, path: made/${count}.yaml }`)],
      ['gen', map(`{ name: made-${count}, path: f0.yaml, index: "9" }`)],
      ['delete', map('{ kind: Secret }')],
      ['delete', map('{ kind: ConfigMap, name: configmap-2 }')],
      ['move', map('{ kind: Service, path: moved/all.yaml, reindex: "1" }')],
      ['move', map('{ kind: Service, path: moved/all.yaml }')],
      ['reverse', ''],
      ['print', ''],
      ['print-json', ''],
      ['fail', ''],
      ['label', '    configPath: fn-config.yaml\n'],
    );
    if (config.includes('configPath'))
      texts.set(
        `${dir}fn-config.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fn-config\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  from: file\n`,
      );
    return `  - exec: krm.mjs ${name}\n${config}${selection()}`;
  };

  const fill = (dir: string): void => {
    const mutators = Array.from({ length: below(dir === '' ? 4 : 2) }, () => entry(dir)).join('');
    const validator = chance(15)
      ? `  validators:\n  - exec: krm.mjs require\n    configMap: { kind: ${pick('ConfigMap', 'Secret')} }\n`
      : '';
    const pipeline =
      mutators === '' && validator === ''
        ? ''
        : `pipeline:\n${mutators === '' ? '' : `  mutators:\n${mutators}`}${validator}`;
    texts.set(
      `${dir}Kptfile`,
      `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p${dir.length}\n${pipeline}`,
    );
    for (let file = 0; file < 1 + below(2); file += 1) {
      const all = Array.from({ length: 1 + below(3) }, document).join('---\n');
      texts.set(`${dir}${chance(20) ? 'dir/' : ''}f${file}.yaml`, chance(15) ? `---\n${all}` : all);
    }
    if (chance(20)) {
      texts.set(`${dir}.krmignore`, 'ignored.yaml\n');
      texts.set(`${dir}ignored.yaml`, 'not: a resource\n');
    }
  };
  fill('');
  if (chance(50)) fill('sub/');
  if (texts.has('sub/Kptfile') && chance(30)) fill('sub/deep/');
  return texts;
}
