import { onDoc, word } from './random-package.ts';
import type { Chance, Data, Doc, Edit, Model, Value } from './random-package.ts';

/** A change of a pipeline, or of what a Kptfile says of its package. */
export function editKptfile(from: Chance, model: Model, _: readonly Doc[], tag: string): Edit | undefined {
  const doc = from.pick(model.docs.filter((one) => one.path.endsWith('Kptfile')));
  const what = from.pick([
    'bump',
    'config',
    'append',
    'drop',
    'label',
    'description',
    'validator',
    'keyword',
  ] as const);
  const index = from.below(3);
  const fresh = `ghcr.io/kptdev/krm-functions-catalog/fn-${tag}:v1`;
  return {
    name: `${doc.key} ${what} ${index}`,
    apply: onDoc(doc, ({ data }) => {
      const pipeline = (data['pipeline'] ?? {}) as Record<string, Data[]>;
      const mutators = pipeline['mutators'] ?? [];
      const one = mutators.find(({ image }) =>
        word(image).includes(['labels', 'namespace', 'setters'][index]!),
      );
      const info = data['info'] as Data;
      if (what === 'append' || what === 'validator') {
        const list = what === 'append' ? 'mutators' : 'validators';
        data['pipeline'] = { ...pipeline, [list]: [...(pipeline[list] ?? []), { image: fresh }] };
      } else if (what === 'label') {
        const metadata = data['metadata'] as Data;
        metadata['labels'] = { ...(metadata['labels'] as Data | undefined), [`label-${tag}`]: 'x' };
      } else if (what === 'description') info['description'] = `a package of ${tag}`;
      else if (what === 'keyword') info['keywords'] = [...(info['keywords'] as Value[]), tag];
      else if (one === undefined) return false;
      else if (what === 'bump') one['image'] = word(one['image']).replace(/:.*/, `:v9${tag}`);
      else if (what === 'drop') pipeline['mutators'] = mutators.filter((other) => other !== one);
      else if (typeof one['configMap'] === 'object') (one['configMap'] as Data)[`k-${tag}`] = 'v';
      else return false;
      if (what === 'drop' && pipeline['mutators']?.length === 0) delete data['pipeline'];
      return true;
    }),
  };
}
