/** Which package the story is about, and what Alice changes in it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readFolder } from '../cli/folder.ts';
import { createRuntime } from '../function/runtime.ts';
import { renderPackage } from '../package/render/render.ts';

/** The first package that renders with what is built in; undefined where none does. */
export async function firstRenderable(
  folder: string,
  packages: readonly string[],
): Promise<string | undefined> {
  for (const path of packages) {
    const files = readFolder(join(folder, path), { warn: () => {} });
    const { ok } = await renderPackage({ files, runtime: createRuntime() });
    if (ok) return path;
  }
  return undefined;
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
