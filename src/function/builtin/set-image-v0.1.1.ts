/** set-image v0.1.0 and v0.1.1 (kpt-functions-catalog of 2021): tells each change, knows no init containers. */
import { isMap } from '../../package/plain-values.ts';
import { setField, textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { linearRegExp } from '../linear-regexp.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { aboutOf, configMapData, failure, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

const FIELDS: readonly FieldSpec[] = [
  { kind: 'Pod', path: 'spec/containers[]/image' },
  { kind: 'PodTemplate', path: 'template/spec/containers[]/image' },
  ...['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet'].map((kind) => ({
    kind,
    path: 'spec/template/spec/containers[]/image',
  })),
];

/** Changes name, tag or digest of a container image. Results: one for each image that changed. */
export function setImageOld(input: BuiltinInput): BuiltinOutput {
  const config = input.functionConfig;
  const data = configMapData(config);
  const image = isMap(config?.['image']) ? stringsOf(config['image']) : null;
  const given = data ?? image ?? {};
  const { name = '', newName = '', newTag = '', digest = '' } = given;
  if (name === '') return failure([{ message: 'must specify `name`', severity: 'error' }]);
  if (newName === '' && newTag === '' && digest === '') {
    const message = 'must specify one of `newName`, `newTag`, or `digest`';
    return failure([{ message, severity: 'error' }]);
  }
  const pattern = linearRegExp(`^(?:${name})(?::[a-zA-Z0-9_.{}-]*)?(?:@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  const results: ResultItem[] = [];
  const fields = [
    ...FIELDS,
    ...(data === undefined ? readFieldSpecs(config?.['additionalImageFields']) : []),
  ];
  for (const item of input.items) {
    for (const spec of fields) {
      visitField(item, spec, (container, key) => {
        const before = textOf(container, key);
        if (
          before === undefined ||
          !pattern.test(before, (steps) => input.budget.spend('matching', steps, 'set-image'))
        )
          return;
        const after = changed(before, { newName, newTag, digest });
        if (after === before) return;
        setField(container, key, after);
        results.push(resultOf(item, spec, before, after));
      });
    }
  }
  return { items: input.items, results };
}

/** A digest wins over a tag. */
function changed(
  image: string,
  wanted: { readonly newName: string; readonly newTag: string; readonly digest: string },
): string {
  const at = image.indexOf('@');
  const reference = at === -1 ? image : image.slice(0, at);
  const colon = reference.indexOf(':', reference.lastIndexOf('/') + 1);
  const name = wanted.newName || (colon === -1 ? reference : reference.slice(0, colon));
  if (wanted.digest !== '') return `${name}@${wanted.digest}`;
  if (wanted.newTag !== '') return `${name}:${wanted.newTag}`;
  return name + (colon === -1 ? '' : reference.slice(colon)) + (at === -1 ? '' : image.slice(at));
}

function resultOf(item: KrmObject, spec: FieldSpec, before: string, after: string): ResultItem {
  return {
    message: `set image from ${before} to ${after}`,
    severity: 'info',
    ...aboutOf(item),
    field: {
      path: spec.path.replaceAll('[]', '').replaceAll('/', '.'),
      currentValue: before,
      proposedValue: after,
    },
  };
}
