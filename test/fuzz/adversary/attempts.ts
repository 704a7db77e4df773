/** What is tried, by subject. An attempt answers with the code of what came of it; anything that it throws is a crash. */
import { DEFECTS } from './defects.ts';
import {
  prepareRender,
  prepareMerge,
  prepareCompare,
  prepareYaml,
  prepareKptfile,
} from './package-attempts.ts';
import type { Subject } from './subject.ts';
import {
  prepareConfiguration,
  prepareRollouts,
  prepareOwners,
  prepareGlobs,
  prepareComments,
  prepareMessages,
  prepareRefs,
  prepareTexts,
  prepareVariants,
} from './text-attempts.ts';

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  render: { weight: 30, prepare: prepareRender },
  merge: { weight: 10, prepare: prepareMerge },
  compare: { weight: 8, prepare: prepareCompare },
  variants: { weight: 6, prepare: prepareVariants },
  yaml: { weight: 6, prepare: prepareYaml },
  kptfile: { weight: 6, prepare: prepareKptfile },
  configuration: { weight: 8, prepare: prepareConfiguration },
  rollouts: { weight: 4, prepare: prepareRollouts },
  owners: { weight: 4, prepare: prepareOwners },
  globs: { weight: 4, prepare: prepareGlobs },
  comments: { weight: 6, prepare: prepareComments },
  messages: { weight: 4, prepare: prepareMessages },
  refs: { weight: 2, prepare: prepareRefs },
  texts: { weight: 4, prepare: prepareTexts },
  ...DEFECTS,
};
