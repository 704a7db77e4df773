/** A PackageVariantSet of v1alpha2 out of plain data. */
import { fieldsOf, listOf, mapOf, text, texts, type Reader, type Tell } from '../kptfile-fields.ts';
import { labelSelector, metadata, NO_METADATA, pipelineFunction, upstream } from './document-fields.ts';
import type {
  MapExpression,
  ObjectSelector,
  PackageVariantSet,
  RepositorySelector,
  RepositoryTarget,
  SetTarget,
  TemplateFunction,
  TemplateInjector,
  VariantTemplate,
} from './variant-types.ts';

const mapExpression: Reader<MapExpression> = mapOf({
  key: text,
  keyExpr: text,
  value: text,
  valueExpr: text,
});

const templateFunction: Reader<TemplateFunction> = (raw, path, tell) => {
  const spec = pipelineFunction(raw, path, tell);
  return (
    spec && {
      ...spec,
      ...fieldsOf(raw, path, tell)?.optional('configMapExprs', listOf(mapExpression)),
    }
  );
};

const templateInjector: Reader<TemplateInjector> = mapOf({
  group: text,
  version: text,
  kind: text,
  name: text,
  nameExpr: text,
});

const downstream: Reader<NonNullable<VariantTemplate['downstream']>> = mapOf({
  repo: text,
  repoExpr: text,
  package: text,
  packageExpr: text,
});

const packageContext: Reader<NonNullable<VariantTemplate['packageContext']>> = mapOf({
  data: texts,
  dataExprs: listOf(mapExpression),
  removeKeys: listOf(text),
  removeKeyExprs: listOf(text),
});

const pipeline: Reader<NonNullable<VariantTemplate['pipeline']>> = mapOf({
  mutators: listOf(templateFunction),
  validators: listOf(templateFunction),
});

const template: Reader<VariantTemplate> = mapOf({
  downstream,
  adoptionPolicy: text,
  deletionPolicy: text,
  labels: texts,
  labelExprs: listOf(mapExpression),
  annotations: texts,
  annotationExprs: listOf(mapExpression),
  packageContext,
  pipeline,
  injectors: listOf(templateInjector),
});

const repositoryTarget: Reader<RepositoryTarget> = mapOf(
  { packageNames: listOf(text) },
  { name: [text, ''] },
);

const repositorySelector: Reader<RepositorySelector> = (raw, path, tell) => {
  const selector = labelSelector(raw, path, tell);
  return selector && { ...selector, ...fieldsOf(raw, path, tell)?.optional('packageNames', listOf(text)) };
};

export const objectSelector: Reader<ObjectSelector> = (raw, path, tell) => {
  const [fields, selector] = [fieldsOf(raw, path, tell), labelSelector(raw, path, tell)];
  return (
    fields &&
    selector && {
      ...selector,
      apiVersion: fields.or('apiVersion', text, ''),
      kind: fields.or('kind', text, ''),
      ...fields.optional('name', text),
    }
  );
};

const target: Reader<SetTarget> = mapOf({
  repositories: listOf(repositoryTarget),
  repositorySelector,
  objectSelector,
  template,
});

const spec: Reader<PackageVariantSet['spec']> = mapOf({ upstream }, { targets: [listOf(target), []] });

/** What of the data can be used; the rest is told. */
export function variantSetOf(raw: unknown, tell: Tell): PackageVariantSet {
  const fields = fieldsOf(raw, [], tell);
  return {
    kind: 'PackageVariantSet',
    version: 'v1alpha2',
    metadata: fields?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA,
    spec: fields?.or('spec', spec, { targets: [] }) ?? { targets: [] },
  };
}
