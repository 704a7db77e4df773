/** Readers of the fields that variants and sets share. Unknown fields are passed over, as an API server drops them. */
import { address, fieldsOf, listOf, mapOf, text, texts, type Reader } from '../kptfile-fields.ts';
import { functionFrom, selectorFrom } from '../kptfile-readers.ts';
import type { FunctionSpec, Selector } from '../render/function-runtime.ts';
import { formatPath } from '../yaml/path.ts';
import type { LabelSelector, ObjectMeta, SelectorRequirement, VariantUpstream } from './variant-types.ts';

export const NO_METADATA: ObjectMeta = { name: '', labels: {}, annotations: {} };

export const metadata: Reader<ObjectMeta> = mapOf(
  { namespace: text, uid: text },
  { name: [text, ''], labels: [texts, {}], annotations: [texts, {}] },
);

/** `3`, `"3"` and `v3` are one revision; `v2.1.0` is another kind of name. */
export const revision: Reader<number | string> = (raw, path, tell) => {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw;
  if (typeof raw === 'string') {
    if (/^v?\d{1,9}$/.test(raw)) return Number(raw.replace('v', ''));
    if (/^v?\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,100})?$/.test(raw)) return raw;
    if (raw === '-1') return -1;
  }
  tell({ path: formatPath(path), message: 'This must be a revision such as 3, v3 or v2.1.0' });
  return undefined;
};

export const upstream: Reader<VariantUpstream> = mapOf(
  { revision, workspaceName: text },
  { repo: [address, ''], package: [text, ''] },
);

const functionSelector: Reader<Selector> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return fields && selectorFrom(fields);
};

/** A function as a Kptfile has it. */
export const pipelineFunction: Reader<FunctionSpec> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell);
  return fields && functionFrom(fields, functionSelector);
};

const requirement: Reader<SelectorRequirement> = mapOf(
  {},
  { key: [text, ''], operator: [text, ''], values: [listOf(text), []] },
);

export const labelSelector: Reader<LabelSelector> = mapOf(
  {},
  { matchLabels: [texts, {}], matchExpressions: [listOf(requirement), []] },
);
