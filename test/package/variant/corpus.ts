/** The golden cases of variants, where they are. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { PackageFiles } from '../../../src/package/package.ts';
import { documentValue } from '../../../src/package/variant/document-value.ts';
import type { ExpansionWorld } from '../../../src/package/variant/expand.ts';
import type { PackageRevision } from '../../../src/package/variant/package-revision.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import { variantOf } from '../../../src/package/variant/variant-fields.ts';
import { fullDocuments, type YamlValue } from '../../../src/package/yaml/edit.ts';
import { readYamlFile } from '../../../src/package/yaml/read.ts';

const CORPUS = fileURLToPath(new URL('../../../../shared/corpus/variants', import.meta.url));

export const hasCorpus = existsSync(CORPUS);
if (!hasCorpus) process.stderr.write(`SKIPPED: the golden cases of variants are not at ${CORPUS}\n`);

// eslint-disable-next-line typescript/no-explicit-any -- the cases are data of many shapes, and a wrong one fails its test
export type Data = any;

export function casesOf(group: string): string[] {
  return hasCorpus ? readdirSync(join(CORPUS, group)).toSorted() : [];
}

export function textOf(group: string, name: string, file: string): string {
  return readFileSync(join(CORPUS, group, name, file), 'utf8');
}

export function yamlOf(group: string, name: string, file: string): Data {
  const path = join(CORPUS, group, name, file);
  if (!existsSync(path)) return undefined;
  const { root } = fullDocuments(readYamlFile(readFileSync(path, 'utf8')))[0]!;
  return plain(documentValue(root!));
}

/** Data with ordinary prototypes. */
export function plain(value: YamlValue | undefined): Data {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** What a case expects of us: what is right where Porch is wrong. */
export function rightOf(found: Data, expected: Data): Data {
  return found.porchBug === true ? expected.expectedRight : expected;
}

export function filesOf(group: string, name: string, folder: string): PackageFiles | undefined {
  const top = join(CORPUS, group, name, folder);
  if (!existsSync(top)) return undefined;
  const files = new Map<string, { mode: '100644'; bytes: Uint8Array }>();
  for (const path of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(top, path)).isFile()) {
      files.set(path, { mode: '100644', bytes: readFileSync(join(top, path)) });
    }
  }
  return files;
}

export function revisionsOf(list: Data[] = []): PackageRevision[] {
  return list.map(({ metadata, spec, status }) => ({
    metadata: {
      name: metadata.name,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      owners: (metadata.ownerReferences ?? []).map(({ uid, name }: Data) => ({ uid, name })),
    },
    repository: spec.repository,
    package: spec.packageName,
    revision: spec.revision ?? 0,
    workspaceName: spec.workspaceName ?? '',
    lifecycle: spec.lifecycle,
    ...(status?.upstreamLock?.git !== undefined && { lock: status.upstreamLock.git }),
  }));
}

export function worldOf(world: Data): ExpansionWorld {
  const text = [...(world.repositories ?? []), ...(world.objects ?? [])]
    .map((one) => JSON.stringify(one))
    .join('\n---\n');
  const { documents } = readVariantDocuments(text);
  return {
    repositories: documents.flatMap((one) => (one.kind === 'repository' ? [one.repository] : [])),
    objects: documents.flatMap((one) => (one.kind === 'object' ? [one.object] : [])),
    packageRevisions: revisionsOf(world.packageRevisions),
  };
}

/** A variant without the checks, as the cases of mutation have it. */
export function looseVariant(text: string): ReturnType<typeof variantOf> {
  return variantOf(documentValue(fullDocuments(readYamlFile(text))[0]!.root!), () => {});
}

/** Document by document, map order aside. */
export function documentsIn(bytes: Uint8Array): Data {
  return fullDocuments(readYamlFile(new TextDecoder().decode(bytes))).map(({ root }) =>
    plain(documentValue(root!)),
  );
}
