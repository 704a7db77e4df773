/** A package as one text: kpt's ResourceList, or its documents one after the other. */
import type { PackageFiles } from '../package/package.ts';
import { setPlace } from '../package/render/bookkeeping.ts';
import { printResource } from '../package/render/edit-documents.ts';
import { copyValue } from '../package/render/field-notes.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { packageDirs, readSources } from '../package/render/package-sources.ts';
import type { SourceFile } from '../package/render/read-resources.ts';

/** The resources of a package in kpt's wire format, each with the file and the place in it. Throws `UnreadableFile`. */
export function resourceListText(files: PackageFiles): string {
  const items = sourcesOf(files).flatMap(({ documents }) =>
    documents.map(({ value, file, index }) => {
      const item = copyValue(value);
      setPlace(item, { package: '.', path: file, index });
      return item;
    }),
  );
  const list: KrmObject = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items };
  return printResource(list);
}

/** The documents of a package as they are written, for `kubectl apply -f -`. Throws `UnreadableFile`. */
export function documentsText(files: PackageFiles): string {
  return documentsOf(files)
    .map(({ text }) => text)
    .join('---\n');
}

/** The documents of a package as they are written, each with its file. Throws `UnreadableFile`. */
export function documentsOf(files: PackageFiles): { readonly file: string; readonly text: string }[] {
  return sourcesOf(files).flatMap(({ yaml, documents }) =>
    documents.map(({ file, at }) => {
      const place = yaml.documents[at];
      const text = place === undefined ? '' : yaml.source.text.slice(place.bodyStart, place.chunk[1]);
      return { file, text: text.endsWith('\n') ? text : `${text}\n` };
    }),
  );
}

function sourcesOf(files: PackageFiles): readonly SourceFile[] {
  const dirs = packageDirs(files);
  return [...readSources(files, dirs.includes('.') ? dirs : ['.', ...dirs]).values()];
}
