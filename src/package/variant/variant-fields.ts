/** A PackageVariant out of plain data. */
import { fieldsOf, listOf, mapOf, text, texts, type Reader, type Tell } from '../kptfile-fields.ts';
import { metadata, NO_METADATA, pipelineFunction, upstream } from './document-fields.ts';
import type {
  Injector,
  PackageContext,
  PackageVariant,
  PackageVariantSpec,
  VariantDownstream,
  VariantPipeline,
} from './variant-types.ts';

const downstream: Reader<VariantDownstream> = mapOf({}, { repo: [text, ''], package: [text, ''] });

const packageContext: Reader<PackageContext> = mapOf({ data: texts, removeKeys: listOf(text) });

const pipeline: Reader<VariantPipeline> = mapOf({
  mutators: listOf(pipelineFunction),
  validators: listOf(pipelineFunction),
});

const injector: Reader<Injector> = mapOf({ group: text, version: text, kind: text }, { name: [text, ''] });

const spec: Reader<PackageVariantSpec> = mapOf({
  upstream,
  downstream,
  adoptionPolicy: text,
  deletionPolicy: text,
  labels: texts,
  annotations: texts,
  packageContext,
  pipeline,
  injectors: listOf(injector),
});

/** What of the data can be used; the rest is told. */
export function variantOf(raw: unknown, tell: Tell): PackageVariant {
  const fields = fieldsOf(raw, [], tell);
  return {
    kind: 'PackageVariant',
    metadata: fields?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA,
    spec: fields?.or('spec', spec, {}) ?? {},
  };
}
