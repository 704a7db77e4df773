import type { PackageFiles } from '../../src/package/package.ts';

/** Files that stay, change, go and come, and a file where a directory was. */
export const OLD: Readonly<Record<string, string>> = {
  Kptfile: 'kept',
  'chart/Chart.yaml': 'old',
  'chart/gone/a.yaml': 'gone',
  'turned/into/file': 'directory',
  'portico-sources.lock.yaml': 'old lock',
};

export const NEW: Readonly<Record<string, string>> = {
  Kptfile: 'kept',
  'chart/Chart.yaml': 'new',
  'chart/come/b.yaml': 'new',
  turned: 'file',
  'portico-sources.lock.yaml': 'new lock',
};

export function filesOf(texts: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [path, { mode: '100644', bytes: Buffer.from(text) }]),
  );
}
