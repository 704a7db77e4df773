import { describe, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { editYaml, readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import { releases } from '../../corpus/merge/releases.ts';
import { judgeHistory } from './judge-history.ts';
import { packageOf, textOf, textsOf } from './trees.ts';

const packages = releases().map(({ name, revisions }) => ({
  name,
  revisions: revisions.map((texts) => packageOf(texts)),
}));
const steps = packages.flatMap(({ name, revisions }) =>
  revisions.slice(1).map((to, at) => [`${name} ${at + 1} → ${at + 2}`, revisions[at]!, to] as const),
);

const LABEL = 'team.example.org/name';

type Data = Record<string, YamlValue>;

/** What a platform team does to a package: labels, a replica count, a file of its own, a comment, a file gone. */
function edited(files: PackageFiles): PackageFiles {
  const result = new Map(files);
  const paths = [...files.keys()].filter((path) => /\.ya?ml$/.test(path)).sort();
  for (const [at, path] of paths.entries()) {
    let text = textOf(files.get(path));
    let documents: YamlValue[];
    try {
      documents = readYaml(text);
    } catch {
      continue;
    }
    for (const [document, value] of documents.entries()) {
      const data = value as Data;
      if (at % 2 === 0)
        text = editYaml(text, [{ op: 'set', document, path: ['metadata', 'labels', LABEL], value: 'ours' }]);
      if ((data['spec'] as Data | undefined)?.['replicas'] !== undefined)
        text = editYaml(text, [{ op: 'set', document, path: ['spec', 'replicas'], value: 7 }]);
    }
    for (const [changed, file] of packageOf({ [path]: at % 3 === 0 ? `# ours\n${text}` : text }))
      result.set(changed, file);
  }
  result.delete(paths.at(-1)!);
  for (const [path, file] of packageOf({
    'ours.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ours\n',
  }))
    result.set(path, file);
  return result;
}

/** Every second revision with the nulls that generators of resources write, and that later ones leave out. */
function withNulls(files: PackageFiles, number: number): PackageFiles {
  if (number % 2 === 0) return files;
  return new Map(
    [...files].map(([path, file]) => {
      if (!/\.ya?ml$/.test(path)) return [path, file];
      const text = textOf(file).replaceAll(
        /^metadata:\n(?=  name)/gm,
        'metadata:\n  creationTimestamp: null\n',
      );
      return [path, packageOf({ [path]: text }).get(path)!];
    }),
  );
}

describe('packages from revision to revision', () => {
  test.each(packages.map((one) => [one.name, one] as const))(
    '%s loses no leaf and keeps no null that upstream removed, and `diff` lists only the edits',
    (_, { revisions }) => {
      const withSome = revisions.map(withNulls);
      for (const seed of [1, 2, 3, 4, 5]) {
        const { lost, staleNulls, foreign, leaves, edits } = judgeHistory(withSome, seed);
        expect({ seed, lost, staleNulls, foreign }).toEqual({ seed, lost: [], staleNulls: [], foreign: [] });
        expect(Math.min(leaves, edits)).toBeGreaterThan(0);
      }
    },
  );

  test.each(steps)('%s obeys the laws of a merge', (_, base, upstream) => {
    const local = edited(base);
    expect(textsOf(mergePackages({ base, upstream: base, local }).files)).toEqual(textsOf(local));
    expect(textsOf(mergePackages({ base, upstream, local: base }).files)).toEqual(textsOf(upstream));
    const { files, conflicts } = mergePackages({ base, upstream, local });
    expect(textsOf(mergePackages({ base, upstream, local: files }).files)).toEqual(textsOf(files));
    expect(textsOf(mergePackages({ base: upstream, upstream, local: files }).files)).toEqual(textsOf(files));
    expect(files.has('ours.yaml')).toBe(true);
    let labelled = 0;
    for (const [path, file] of files) {
      if (!textOf(local.get(path)).includes(LABEL) || conflicts.some((one) => one.file === path)) continue;
      labelled += 1;
      expect(textOf(file), path).toContain(LABEL);
    }
    expect(labelled).toBeGreaterThan(0);
  });

  test.each(packages.map((one) => [one.name, one] as const))(
    '%s keeps what local did through all of its revisions',
    (_, { revisions }) => {
      let local = edited(revisions[0]!);
      for (const [at, upstream] of revisions.slice(1).entries()) {
        const kept = [...local].filter(([path, file]) => textOf(file).includes(LABEL) && upstream.has(path));
        local = mergePackages({ base: revisions[at]!, upstream, local }).files;
        for (const [path] of kept) expect(`${path} ${textOf(local.get(path))}`).toContain(LABEL);
      }
      const last = revisions.at(-1)!;
      expect(textsOf(mergePackages({ base: last, upstream: last, local }).files)).toEqual(textsOf(local));
      expect([...local.values()].some((file) => textOf(file).includes('replicas: 7'))).toBe(
        [...last.values()].some((file) => textOf(file).includes('replicas:')),
      );
    },
  );
});
