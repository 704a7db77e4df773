/** Which package the story is about, and what Alice changes in it. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readFolder } from '../cli/folder.ts';
import { createRuntime } from '../function/runtime.ts';
import { renderPackage } from '../package/render/render.ts';
import { findPackages } from './seed.ts';

/** The packages to seed from a folder, and the one that the story is about. */
export interface Choice {
  readonly packages: readonly string[];
  readonly hero: string;
}

/**
 * Chooses the first package whose pipeline runs with what is built in and settles. Where no whole package does, a
 * subpackage that does stands for itself, without the package around it. Undefined where there is none.
 */
export async function choosePackages(folder: string): Promise<Choice | undefined> {
  const packages = findPackages(folder);
  for (const hero of packages) if (await settles(folder, hero)) return { packages, hero };
  for (const around of packages) {
    for (const hero of findPackages(folder, { below: around, inside: true })) {
      if (!(await settles(folder, hero))) continue;
      return { packages: [...packages.filter((path) => path !== around), hero].sort(), hero };
    }
  }
  return undefined;
}

/** True when the package renders without an error and rendering it again changes nothing. */
async function settles(folder: string, path: string): Promise<boolean> {
  const files = readFolder(join(folder, path), { warn: () => {} });
  const runtime = createRuntime();
  const first = await renderPackage({ files, runtime });
  return first.ok && (await renderPackage({ files: first.files, runtime })).changed.length === 0;
}

/** Changes the package in the work tree and says what was done. */
export function changePackage(folder: string, path: string, own: boolean): string {
  if (own) {
    const setters = join(folder, path, 'setters.yaml');
    const text = readFileSync(setters, 'utf8');
    writeFileSync(
      setters,
      text.replace('tag: 1.4.0', 'tag: 1.5.0').replace('replicas: "2"', 'replicas: "3"'),
    );
    return 'setters.yaml: image tag 1.5.0, three replicas';
  }
  const note = join(folder, path, freeName(join(folder, path)));
  writeFileSync(
    note,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: release-note\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  note: The second revision.\n',
  );
  return `${note.slice(folder.length + 1)}: a new ConfigMap`;
}

function freeName(directory: string): string {
  for (let number = 0; ; number += 1) {
    const name = `release-note${number === 0 ? '' : `-${number}`}.yaml`;
    if (!existsSync(join(directory, name))) return name;
  }
}
