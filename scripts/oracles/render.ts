/** Asks kpt to render a package: `kpt fn render`, with the small functions of the cases on PATH. */
import { spawnSync } from 'node:child_process';
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
import { dirname, join, relative } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { input, SEARCH_PATH } from '../../test/corpus/render/render-case.ts';
import type { Run } from '../../test/corpus/render/render-case.ts';
import { changesBetween, type Tree } from '../../test/corpus/tree-changes.ts';
import type { Family } from './family.ts';

export const render: Family = {
  name: 'render',
  tools: ['kpt'],
  ask: (one, program) => {
    const root = mkdtempSync(join(tmpdir(), 'portico-oracle-'));
    try {
      return Promise.resolve({ expected: answer(root, program, z.object(input).parse(one)) });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

function answer(root: string, program: string, one: z.infer<z.ZodObject<typeof input>>): unknown {
  const directory = join(root, 'package');
  for (const [path, text] of Object.entries(one.package)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const args = ['fn', 'render', 'package', '--results-dir', join(root, 'results'), ...one.args];
  const env = { PATH: SEARCH_PATH, HOME: root, KPT_CACHE_DIR: join(root, 'cache') };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, env, encoding: 'utf8' });
  const error = /^Error: ([^]*)/m.exec(stderr)?.[1]?.replaceAll(`${root}/`, '').trim();
  const runs = runsIn(join(root, 'results/results.yaml'));
  return {
    exitCode: status,
    ...(status === 0 ? {} : { error }),
    files: changesBetween(one.package, readTree(directory)),
    ...(one.args.includes('-o') ? { stdout } : {}),
    ...(runs === undefined ? {} : { runs }),
  };
}

function runsIn(file: string): Run[] | undefined {
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as { items?: Run[] }).items : undefined;
}

function readTree(directory: string): Tree {
  return Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(directory, path), readFileSync(path, 'utf8')]),
  );
}
