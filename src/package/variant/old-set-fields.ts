/** A PackageVariantSet of v1alpha1, which Porch defines and no longer serves, out of plain data: read as one of v1alpha2. */
import { fieldsOf, listOf, mapOf, text, texts, type Reader, type Tell } from '../kptfile-fields.ts';
import { labelSelector, metadata, NO_METADATA, revision } from './document-fields.ts';
import { objectSelector } from './set-fields.ts';
import type {
  ObjectSelector,
  PackageVariantSet,
  SetTarget,
  TargetNaming,
  ValueOrField,
  VariantTemplate,
  VariantUpstream,
} from './variant-types.ts';

interface NamedPackage {
  readonly repo: string;
  readonly name: string;
}

const namedPackage: Reader<NamedPackage> = mapOf({}, { repo: [text, ''], name: [text, ''] });

const upstream: Reader<VariantUpstream> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  if (fields === undefined) return undefined;
  const named = fields.or('package', namedPackage, { repo: '', name: '' });
  const { ref } = fields.optional('ref', text);
  return {
    repo: named.repo,
    package: named.name,
    ...fields.optional('revision', revision),
    // A tag `<package>/<workspace>` names the workspace.
    ...(ref !== undefined && { workspaceName: ref.split('/').at(-1) ?? ref }),
  };
};

const valueOrField: Reader<ValueOrField> = mapOf({ value: text, fromField: text });

const packageName: Reader<TargetNaming> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  if (fields === undefined) return undefined;
  const { baseName } = fields.optional('baseName', valueOrField);
  const { namePrefix } = fields.optional('namePrefix', valueOrField);
  const { nameSuffix } = fields.optional('nameSuffix', valueOrField);
  return {
    ...(baseName && { packageBase: baseName }),
    ...(namePrefix && { packagePrefix: namePrefix }),
    ...(nameSuffix && { packageSuffix: nameSuffix }),
  };
};

const objects: Reader<{ readonly selectors: readonly ObjectSelector[]; readonly repoName?: ValueOrField }> =
  mapOf({ repoName: valueOrField }, { selectors: [listOf(objectSelector), []] });

/** One target of v1alpha1 gives one of v1alpha2 for each of its selectors. */
function targetsWith(template: VariantTemplate): Reader<readonly SetTarget[]> {
  return (raw, path, tell) => {
    const fields = fieldsOf(raw, path, tell);
    if (fields === undefined) return undefined;
    const { package: named } = fields.optional('package', namedPackage);
    const { repositories } = fields.optional('repositories', labelSelector);
    const { objects: selected } = fields.optional('objects', objects);
    const { packageName: name } = fields.optional('packageName', packageName);
    const naming = name ?? {};
    const own: SetTarget[] = [];
    if (named !== undefined) {
      own.push({ repositories: [{ name: named.repo, packageNames: [named.name] }], template });
    }
    if (repositories !== undefined) own.push({ repositorySelector: repositories, template, naming });
    for (const selector of selected?.selectors ?? []) {
      const repo = selected?.repoName;
      own.push({ objectSelector: selector, template, naming: { ...naming, ...(repo && { repo }) } });
    }
    return own.length === 0 ? [{ template }] : own;
  };
}

const spec: Reader<PackageVariantSet['spec']> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  if (fields === undefined) return undefined;
  const template: VariantTemplate = {
    ...fields.optional('adoptionPolicy', text),
    ...fields.optional('deletionPolicy', text),
    ...fields.optional('labels', texts),
    ...fields.optional('annotations', texts),
  };
  return {
    ...fields.optional('upstream', upstream),
    targets: fields.or('targets', listOf(targetsWith(template)), []).flat(),
  };
};

/** What of the data can be used; the rest is told. */
export function oldVariantSetOf(raw: unknown, tell: Tell): PackageVariantSet {
  const fields = fieldsOf(raw, [], tell);
  return {
    kind: 'PackageVariantSet',
    version: 'v1alpha1',
    metadata: fields?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA,
    spec: fields?.or('spec', spec, { targets: [] }) ?? { targets: [] },
  };
}
