import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { lookUp } from '../../../src/function/registry.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { canonicalFile, CORPUS, hasCorpus, readDirectory } from '../../function/corpus-case.ts';

interface Entry {
  readonly path: string;
  readonly pipeline: readonly { readonly image?: string }[];
}

const entries = hasCorpus
  ? (parse(readFileSync(join(CORPUS, 'packages/INDEX.yaml'), 'utf8')) as { packages: Entry[] }).packages
  : [];
const supported = entries.filter((entry) =>
  entry.pipeline.every(({ image }) => lookUp(image ?? '').found === 'builtin'),
);

if (!hasCorpus) console.warn('SKIPPED: ../shared/corpus is not there, so no real package was rendered');

describe.skipIf(!hasCorpus)('real packages', () => {
  test('use built-in functions for the most part', () => {
    console.log(`${supported.length} of ${entries.length} real packages use built-in functions only`);
    expect(supported.length).toBeGreaterThan(40);
  });

  test.each(supported.map(({ path }) => path))('%s renders, touching only what changed', async (path) => {
    const files = readDirectory(join(CORPUS, 'packages', path));
    const runtime = createRuntime();
    const first = await renderPackage({ files, runtime });
    expect(first.problem).toBeUndefined();
    expect(first.runs.filter((run) => run.exitCode !== 0)).toEqual([]);
    expect(first.ok).toBe(true);
    for (const [name, file] of files) {
      const rendered = first.files.get(name);
      if (!first.changed.includes(name)) expect(rendered).toBe(file);
      // create-setters changes comments alone.
      else expect(canonicalFile(first.files, name, true), name).not.toBe(canonicalFile(files, name, true));
    }
    const again = await renderPackage({ files, runtime });
    expect([...again.files].map(([name, file]) => [name, text(file.bytes)])).toEqual(
      [...first.files].map(([name, file]) => [name, text(file.bytes)]),
    );
    const second = await renderPackage({ files: first.files, runtime });
    expect(second.changed).toEqual([]);
  });
});

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
