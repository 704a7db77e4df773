/** The other objects of a cluster, as variants see them. */
import { documentValue } from '../../../src/package/variant/document-value.ts';
import type { ExpansionWorld } from '../../../src/package/variant/expand.ts';
import type { PackageRevision } from '../../../src/package/variant/package-revision.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import { fullDocuments, type YamlValue } from '../../../src/package/yaml/edit.ts';
import { readYamlFile } from '../../../src/package/yaml/read.ts';

// eslint-disable-next-line typescript/no-explicit-any -- package revisions are data of many shapes, and a wrong one fails its test
export type Data = any;

/** Data with ordinary prototypes. */
export function plain(value: YamlValue | undefined): Data {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Documents as data; the order of their maps does not matter. */
export function documentsIn(text: string): Data[] {
  return fullDocuments(readYamlFile(text)).map(({ root }) => plain(root && documentValue(root)));
}

function revisionsOf(list: Data[] = []): PackageRevision[] {
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

/** The world of a case: YAML documents of all kinds. */
export function worldIn(text: string): ExpansionWorld & { readonly variants: readonly string[] } {
  const all = documentsIn(text);
  const of = (kind: string): Data[] => all.filter((one) => one?.kind === kind);
  const others = all.filter(
    (one) => one && !['PackageRevision', 'PackageVariant', 'Repository'].includes(one.kind),
  );
  return {
    ...worldOf({ repositories: of('Repository'), objects: others, packageRevisions: of('PackageRevision') }),
    variants: of('PackageVariant').map(({ metadata }) => metadata.name),
  };
}
