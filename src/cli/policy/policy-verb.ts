import { JSON_OPTION } from '../json-option.ts';
import { runSubverb } from '../subverbs.ts';
import type { Verb } from '../verb.ts';

/** `portico policy …` in the table of verbs. */
export const POLICY_VERB: Verb = {
  name: 'policy',
  summary: 'run the tests of policies',
  usage: ['portico policy test [DIR]'],
  description: [
    'Runs the cases in all YAML files below DIR (default: the current directory) that hold a PolicyTest, a Test of Kyverno',
    '(kyverno-test.yaml) or a Suite of Gatekeeper (gator). Policies that are not evaluated here fail with the reason.',
    'Exit code 0: all cases passed; 1: one failed or could not be run; 65: there are none.',
  ],
  options: [JSON_OPTION],
  examples: ['portico policy test', 'portico policy test .github/portico --json'],
  positionals: { least: 1, most: 2 },
  load: async () =>
    runSubverb('policy', {
      test: {
        positionals: { least: 0, most: 1 },
        options: [],
        usage: 'portico policy test [DIR]',
        load: async () => (await import('./test-policies.ts')).testPolicies,
      },
    }),
};
