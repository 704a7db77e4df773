/** A PackageVariantSet of v1alpha2 out of plain data. */
import { fieldsOf, listOf, text, texts, type Reader, type Tell } from '../kptfile-fields.ts';
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

const mapExpression: Reader<MapExpression> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('key', text),
      ...fields.optional('keyExpr', text),
      ...fields.optional('value', text),
      ...fields.optional('valueExpr', text),
    }
  );
};

const templateFunction: Reader<TemplateFunction> = (raw, path, tell) => {
  const spec = pipelineFunction(raw, path, tell);
  return (
    spec && {
      ...spec,
      ...fieldsOf(raw, path, tell)?.optional('configMapExprs', listOf(mapExpression)),
    }
  );
};

const templateInjector: Reader<TemplateInjector> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('group', text),
      ...fields.optional('version', text),
      ...fields.optional('kind', text),
      ...fields.optional('name', text),
      ...fields.optional('nameExpr', text),
    }
  );
};

const downstream: Reader<NonNullable<VariantTemplate['downstream']>> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('repo', text),
      ...fields.optional('repoExpr', text),
      ...fields.optional('package', text),
      ...fields.optional('packageExpr', text),
    }
  );
};

const packageContext: Reader<NonNullable<VariantTemplate['packageContext']>> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('data', texts),
      ...fields.optional('dataExprs', listOf(mapExpression)),
      ...fields.optional('removeKeys', listOf(text)),
      ...fields.optional('removeKeyExprs', listOf(text)),
    }
  );
};

const pipeline: Reader<NonNullable<VariantTemplate['pipeline']>> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('mutators', listOf(templateFunction)),
      ...fields.optional('validators', listOf(templateFunction)),
    }
  );
};

const template: Reader<VariantTemplate> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('downstream', downstream),
      ...fields.optional('adoptionPolicy', text),
      ...fields.optional('deletionPolicy', text),
      ...fields.optional('labels', texts),
      ...fields.optional('labelExprs', listOf(mapExpression)),
      ...fields.optional('annotations', texts),
      ...fields.optional('annotationExprs', listOf(mapExpression)),
      ...fields.optional('packageContext', packageContext),
      ...fields.optional('pipeline', pipeline),
      ...fields.optional('injectors', listOf(templateInjector)),
    }
  );
};

const repositoryTarget: Reader<RepositoryTarget> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return fields && { name: fields.or('name', text, ''), ...fields.optional('packageNames', listOf(text)) };
};

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

const target: Reader<SetTarget> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('repositories', listOf(repositoryTarget)),
      ...fields.optional('repositorySelector', repositorySelector),
      ...fields.optional('objectSelector', objectSelector),
      ...fields.optional('template', template),
    }
  );
};

const spec: Reader<PackageVariantSet['spec']> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && { ...fields.optional('upstream', upstream), targets: fields.or('targets', listOf(target), []) }
  );
};

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
