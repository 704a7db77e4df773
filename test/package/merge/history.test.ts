import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { editYaml, readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import { CORPUS, hasCorpus, readTree, textOf } from './corpus.ts';

const root = join(CORPUS, 'history');
const found = hasCorpus() && existsSync(root);
const steps = found
  ? readdirSync(root).flatMap((name) => {
      const revisions = readdirSync(join(root, name)).sort((a, b) =>
        a.localeCompare(b, 'en', { numeric: true }),
      );
      return revisions.slice(1).map((to, at) => [name, revisions[at]!, to] as const);
    })
  : [];

type Data = Record<string, YamlValue>;

/** What a platform team does to a package: labels, an annotation, a replica count, a file of its own, a comment, a file gone. */
function edited(files: PackageFiles): PackageFiles {
  const result = new Map(files);
  const paths = [...files.keys()].filter((path) => /\.ya?ml$/.test(path));
  for (const [at, path] of paths.entries()) {
    const file = files.get(path)!;
    let text = textOf(file);
    let documents: YamlValue[];
    try {
      documents = readYaml(text);
    } catch {
      continue;
    }
    for (const [document, value] of documents.entries()) {
      const data = value as Data | null;
      if (data === null || typeof data !== 'object' || data['metadata'] === undefined) continue;
      if (at % 2 === 0)
        text = editYaml(text, [
          { op: 'set', document, path: ['metadata', 'labels', 'team.example.org/name'], value: 'ours' },
        ]);
      if ((data['spec'] as Data | null)?.['replicas'] !== undefined)
        text = editYaml(text, [{ op: 'set', document, path: ['spec', 'replicas'], value: 7 }]);
    }
    result.set(path, {
      mode: file.mode,
      bytes: new TextEncoder().encode(at % 3 === 0 ? `# ours\n${text}` : text),
    });
  }
  if (paths.length > 3) result.delete(paths.at(-1)!);
  result.set('ours.yaml', {
    mode: '100644',
    bytes: new TextEncoder().encode('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ours\n'),
  });
  return result;
}

function bytesOf(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, file]) => [path, textOf(file)]),
  );
}

describe.skipIf(!found)('real packages from revision to revision', () => {
  test.each(steps)('%s: %s → %s', (name, from, to) => {
    const base = readTree(join(root, name, from));
    const upstream = readTree(join(root, name, to));
    const local = edited(base);
    expect(bytesOf(mergePackages({ base, upstream: base, local }).files)).toEqual(bytesOf(local));
    expect(bytesOf(mergePackages({ base, upstream, local: base }).files)).toEqual(bytesOf(upstream));
    const { files, conflicts } = mergePackages({ base, upstream, local });
    expect(bytesOf(mergePackages({ base, upstream, local: files }).files)).toEqual(bytesOf(files));
    expect(bytesOf(mergePackages({ base: upstream, upstream, local: files }).files)).toEqual(bytesOf(files));
    expect(files.has('ours.yaml')).toBe(true);
    for (const [path, file] of files) {
      if (!/\.ya?ml$/.test(path) || !local.has(path) || textOf(local.get(path)) === textOf(base.get(path)))
        continue;
      const told = conflicts.some((conflict) => conflict.file === path);
      const labelled = textOf(local.get(path)).includes('team.example.org/name');
      if (labelled && !told) expect(textOf(file), path).toContain('team.example.org/name');
    }
  });
});
