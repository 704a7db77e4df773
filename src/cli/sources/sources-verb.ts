import { JSON_OPTION } from '../json-option.ts';
import type { Verb } from '../verb.ts';

/** `portico sources …` in the table of verbs. */
export const SOURCES_VERB: Verb = {
  name: 'sources',
  summary: 'fetch content that a package takes from elsewhere, pinned by digest',
  usage: ['portico sources sync DIR [--locked] [--update [ID]…] [--config FILE]'],
  description: [
    'portico-sources.yaml beside the Kptfile lists what to fetch and where to put it. sync fetches what',
    'portico-sources.lock.yaml pins, resolves the rest, runs the processors, and writes the directories and the lock. With',
    '--locked, nothing is written and any difference is an error; use it in CI. --update resolves sources again: all of',
    'them, or those named after it. Packages refer to credentials by name; the file that',
    'PORTICO_CREDENTIALS names holds them. INSIDE_HOSTS allows hosts of your own network.',
  ],
  options: [
    { name: 'locked', help: 'write nothing; fail if anything differs from the lock' },
    { name: 'update', help: 'resolve the sources named after it, or all, again' },
    {
      name: 'config',
      value: 'FILE',
      help: "the repository's portico.yaml, whose functions processors may run",
    },
    JSON_OPTION,
  ],
  examples: [
    'portico sources sync ./redis',
    'portico sources sync ./redis --locked --json',
    'portico sources sync ./redis --update chart crds',
  ],
  positionals: { least: 1, most: 102 },
  load: async () => (await import('./sources.ts')).sources,
};
