import type { Verb } from '../verb.ts';

/** `portico sources …` in the table of verbs. */
export const SOURCES_VERB: Verb = {
  name: 'sources',
  summary: 'bring in what a package takes from elsewhere, pinned by digest',
  usage: ['portico sources sync DIR [--locked] [--update [ID]…] [--config FILE]'],
  description: [
    'portico-sources.yaml beside the Kptfile says what comes from elsewhere and where it goes; sync fetches what',
    'portico-sources.lock.yaml pins, resolves what it does not, runs the processors, and writes directories and lock. With',
    '--locked nothing is written and any difference is an error: that is for checks. --update resolves sources anew, all of',
    'them or those that are named behind it. Credentials are named in the package and kept in the file that',
    'PORTICO_CREDENTIALS names; hosts of your own network are allowed by INSIDE_HOSTS.',
  ],
  options: [
    { name: 'locked', help: 'write nothing; fail where anything is not as it is locked' },
    { name: 'update', help: 'resolve the sources that follow, or all, anew' },
    {
      name: 'config',
      value: 'FILE',
      help: "the repository's portico.yaml, whose functions processors may run",
    },
    { name: 'json', help: 'print one JSON document on stdout' },
  ],
  examples: [
    'portico sources sync ./redis',
    'portico sources sync ./redis --locked --json',
    'portico sources sync ./redis --update chart crds',
  ],
  positionals: { least: 1, most: 102 },
  load: async () => (await import('./sources.ts')).sources,
};
