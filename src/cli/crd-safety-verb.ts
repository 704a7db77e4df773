import { JSON_OPTION } from './json-option.ts';
import type { Verb } from './verb.ts';

/** `portico crd-safety` in the table of verbs. */
export const CRD_SAFETY_VERB: Verb = {
  name: 'crd-safety',
  summary: 'check whether new custom resource definitions break stored objects or clients',
  usage: ['portico crd-safety OLD NEW'],
  description: [
    'OLD and NEW are files, or directories. The rules and words are those of the Operator Lifecycle Manager; the',
    'guardrail crd-safety uses the same rules.',
  ],
  options: [JSON_OPTION],
  examples: ['portico crd-safety ./crds-v3 ./crds-v4'],
  positionals: { least: 2, most: 2 },
  load: async () => (await import('./crd-safety.ts')).crdSafetyVerb,
};
