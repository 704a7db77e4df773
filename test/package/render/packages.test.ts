/** Whole packages of built-in functions: a render touches only the lines that a function changes, and a second one touches none. */
import { describe, expect, test } from 'vitest';

import { lookUp } from '../../../src/function/registry.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { readPackages } from '../../corpus/packages/package-case.ts';
import { withChanges } from '../../corpus/tree-changes.ts';
import { packageOf, textsOf } from './support.ts';

describe('a whole package renders, and only the lines that its functions change are touched', () => {
  test.each(readPackages())('$name', async (one) => {
    const files = packageOf(one.package);
    const runtime = createRuntime();
    const first = await renderPackage({ files, runtime });
    expect(first.problem).toBeUndefined();
    expect(first.runs.filter((run) => run.exitCode !== 0)).toEqual([]);
    expect(first.ok).toBe(true);
    expect(textsOf(first.files)).toEqual(withChanges(one.package, one.changes));
    expect(first.changed).toEqual(Object.keys(one.changes).toSorted());
    for (const [path, file] of files)
      if (!first.changed.includes(path)) expect(first.files.get(path)).toBe(file);
    const again = await renderPackage({ files, runtime });
    expect(textsOf(again.files)).toEqual(textsOf(first.files));
    const second = await renderPackage({ files: first.files, runtime });
    expect(second.changed).toEqual([]);
  });

  test('all functions of these packages are built in', () => {
    const kptfiles = readPackages().flatMap(({ package: texts }) =>
      Object.entries(texts).flatMap(([path, text]) => (path.endsWith('Kptfile') ? [text] : [])),
    );
    const images = kptfiles.flatMap((text) =>
      [...text.matchAll(/- image: (\S+)$/gm)].map((match) => match[1]!),
    );
    expect(images.length).toBeGreaterThan(20);
    expect(images.filter((image) => lookUp(image).found !== 'builtin')).toEqual([]);
  });
});
