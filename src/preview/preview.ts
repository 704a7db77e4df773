/** What would be executed if a package were deployed as it is: its resources, the permissions they bring, and one digest of all. */
import { filesOutside, type PackageFiles } from '../package/package.ts';
import { diffPower } from '../package/power/power-diff.ts';
import type { PowerChange } from '../package/power/power-types.ts';
import { treeDigest } from '../package/tree-digest.ts';
import { executedResources } from './executed.ts';

export interface Preview {
  /** Of all files of the package, with their modes: see `treeDigest`. */
  readonly digest: string;
  readonly resources: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly file: string;
  }[];
  /** Everything that it may do, dangerous things first. */
  readonly permissions: readonly PowerChange[];
  /** Directories that processors read, and the number of files in them: whoever deploys leaves them out. */
  readonly inputs: { readonly directories: readonly string[]; readonly files: number };
  /** Files that cannot be read: what they would do is unknown. */
  readonly unread: readonly string[];
}

/** `inputs` are directories that are not deployed; their files count for the digest alone. */
export function previewOf(files: PackageFiles, inputs: readonly string[] = []): Preview {
  const deployed = filesOutside(files, inputs);
  const { resources, unread } = executedResources(deployed);
  const power = diffPower(new Map(), deployed);
  return {
    digest: treeDigest(files),
    resources: resources.map(({ apiVersion, kind, namespace, name, file }) => ({
      apiVersion,
      kind,
      namespace,
      name,
      file,
    })),
    permissions: power.changes.filter(({ direction }) => direction === 'wider'),
    inputs: { directories: inputs, files: files.size - deployed.size },
    unread: [...new Set([...unread, ...power.unread])].sort(),
  };
}
