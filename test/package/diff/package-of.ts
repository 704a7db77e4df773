import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';

/** A package out of texts; a path that ends in `*` is executable. */
export function packageOf(texts: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [
      path.replace(/\*$/, ''),
      { mode: path.endsWith('*') ? '100755' : '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

/** A file whose content nobody may read. */
export function unreadable(id: string): PackageFile {
  return {
    mode: '100644',
    id,
    get bytes(): Uint8Array {
      throw new Error(`${id} was read`);
    },
  };
}

export function configMap(name: string, data = 'a: "1"'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`;
}
