/** A PackageVariant out of plain data. */
import { fieldsOf, listOf, text, texts, type Reader, type Tell } from '../kptfile-fields.ts';
import { metadata, NO_METADATA, pipelineFunction, upstream } from './document-fields.ts';
import type {
  Injector,
  PackageContext,
  PackageVariant,
  PackageVariantSpec,
  VariantDownstream,
  VariantPipeline,
} from './variant-types.ts';

const downstream: Reader<VariantDownstream> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return fields && { repo: fields.or('repo', text, ''), package: fields.or('package', text, '') };
};

const packageContext: Reader<PackageContext> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return fields && { ...fields.optional('data', texts), ...fields.optional('removeKeys', listOf(text)) };
};

const pipeline: Reader<VariantPipeline> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('mutators', listOf(pipelineFunction)),
      ...fields.optional('validators', listOf(pipelineFunction)),
    }
  );
};

const injector: Reader<Injector> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('group', text),
      ...fields.optional('version', text),
      ...fields.optional('kind', text),
      name: fields.or('name', text, ''),
    }
  );
};

const spec: Reader<PackageVariantSpec> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return (
    fields && {
      ...fields.optional('upstream', upstream),
      ...fields.optional('downstream', downstream),
      ...fields.optional('adoptionPolicy', text),
      ...fields.optional('deletionPolicy', text),
      ...fields.optional('labels', texts),
      ...fields.optional('annotations', texts),
      ...fields.optional('packageContext', packageContext),
      ...fields.optional('pipeline', pipeline),
      ...fields.optional('injectors', listOf(injector)),
    }
  );
};

/** What of the data can be used; the rest is told. */
export function variantOf(raw: unknown, tell: Tell): PackageVariant {
  const fields = fieldsOf(raw, [], tell);
  return {
    kind: 'PackageVariant',
    metadata: fields?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA,
    spec: fields?.or('spec', spec, {}) ?? {},
  };
}
