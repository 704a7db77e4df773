/** Kubernetes objects as they lie in a folder of a commit. */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import type { GitRepository } from '../git-repository.ts';

/** Larger folders are read as far as this: the forge is no cluster. */
const MAX_FILES = 500;

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().default('default'),
    uid: z.string().optional(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

export type Manifest = z.infer<typeof manifest>;

/** What lies in a folder: its objects, or the first file that is no YAML; undefined where there is no such folder. */
export type Folder =
  | { readonly readable: true; readonly objects: readonly Manifest[] }
  | { readonly readable: false; readonly file: string }
  | undefined;

/** Reads the YAML files of a folder (`''` is the root) and of all below. What is no Kubernetes object is passed over. */
export async function readFolder(git: GitRepository, sha: string, path: string): Promise<Folder> {
  const folder = path === '' ? { sha, type: 'tree' } : await git.entry(sha, path);
  if (folder?.type !== 'tree') return undefined;
  const files = (await git.tree(folder.sha, { recursive: true })).filter(
    (entry) => entry.type === 'blob' && /\.ya?ml$/.test(entry.path),
  );
  const objects: Manifest[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const documents = parseAllDocuments((await git.object(file.sha))?.content.toString() ?? '');
    if (!Array.isArray(documents)) continue;
    for (const document of documents) {
      if (document.errors.length > 0) return { readable: false, file: file.path };
      const read = manifest.safeParse(document.toJS());
      if (read.success) objects.push(read.data);
    }
  }
  return { readable: true, objects };
}
