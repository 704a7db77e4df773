import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { canonicalFile, CORPUS, hasCorpus, readDirectory } from '../../function/corpus-case.ts';

const LONG = process.env['PORTICO_LONG'] === '1';
const starts = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;
const withKpt = hasCorpus && starts('kpt') && starts('python3');
if (!withKpt)
  console.warn(
    'SKIPPED: kpt, python3 or ../shared/corpus is not there, so renders were not compared with the real kpt',
  );

const work = mkdtempSync(join(tmpdir(), 'portico-differential-'));
afterAll(() => rmSync(work, { recursive: true }));
const environment = {
  ...process.env,
  PATH: `${join(CORPUS, 'render-functions')}:${process.env['PATH']}`,
  PORTICO_EXEC_SANDBOX: 'off',
};

test.skipIf(!withKpt)(
  'random packages come out as the real kpt renders them',
  { timeout: 3_600_000 },
  async () => {
    const from = Number(process.env['PORTICO_SEED'] ?? 1);
    const different: string[] = [];
    for (let seed = from; seed < from + Number(process.env['PORTICO_SEEDS'] ?? (LONG ? 300 : 2)); seed += 1) {
      const texts = randomPackage(seed);
      const why = await compare(texts, join(work, String(seed)));
      if (why !== undefined) different.push(`seed ${seed}: ${why}\n${JSON.stringify(texts, null, 1)}`);
    }
    expect(different.join('\n\n')).toBe('');
  },
);

async function compare(texts: ReadonlyMap<string, string>, place: string): Promise<string | undefined> {
  const dir = join(place, 'input');
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const theirs = join(place, 'kpt');
  cpSync(dir, theirs, { recursive: true });
  const [kpt, ours] = await Promise.all([
    run(theirs),
    renderPackage({
      files: readDirectory(dir),
      runtime: createRuntime({ allowExec: true, workingDirectory: place, environment }),
    }),
  ]);
  const said =
    ours.problem?.message ?? JSON.stringify(ours.runs.find(({ exitCode }) => exitCode !== 0) ?? '');
  if (ours.ok !== (kpt === undefined))
    return `ours ${ours.ok ? 'succeeds' : `fails: ${said}`}; kpt: ${kpt ?? 'succeeds'}`;
  return ours.ok ? compareFiles(ours.files, readDirectory(theirs)) : undefined;
}

/** What kpt says where it fails. */
function run(dir: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env: { ...environment, KPT_CACHE_DIR: join(work, 'cache') } };
    execFile('kpt', ['fn', 'render', dir, '--allow-exec'], options, (error, _stdout, stderr) =>
      resolve(error === null ? undefined : stderr.slice(-600)),
    );
  });
}

function compareFiles(ours: PackageFiles, kpt: PackageFiles): string | undefined {
  for (const path of new Set([...ours.keys(), ...kpt.keys()])) {
    const [mine, wanted] = [canonicalFile(ours, path), canonicalFile(kpt, path)];
    if (mine !== wanted) return `${path} is\n${mine ?? 'missing'}\nwanted\n${wanted ?? 'nothing'}`;
  }
  return undefined;
}

function map(text: string): string {
  return `    configMap: ${text}\n`;
}

/**
 * A package with subpackages and pipelines; the same for the same seed. Left out is what kpt does otherwise on purpose
 * or by mistake (docs/functions-differences.md): functions that count on the order of items, items printed without a
 * list, two resources for one place.
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
    // No text of several lines: kpt damages it where a function prints it in single quotes.
    const body = pick(
      'data:\n  a: "1" # one\n  b: two\n',
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
      ['roundtrip', ''],
      ['json', ''],
      ['fail', ''],
      ['label', '    configPath: fn-config.yaml\n'],
    );
    if (config.includes('configPath'))
      texts.set(
        `${dir}fn-config.yaml`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fn-config\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  from: file\n`,
      );
    return `  - exec: fn-${name}\n${config}${selection()}`;
  };

  const fill = (dir: string): void => {
    const mutators = Array.from({ length: below(dir === '' ? 4 : 2) }, () => entry(dir)).join('');
    const validator = chance(15)
      ? `  validators:\n  - exec: fn-require\n    configMap: { kind: ${pick('ConfigMap', 'Secret')} }\n`
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
