import { runSubverb, type Subverb } from '../subverbs.ts';

const SUBVERBS: Readonly<Record<string, Subverb>> = {
  sync: {
    positionals: { least: 1, most: 101 },
    options: ['locked', 'update', 'config'],
    usage: 'portico sources sync DIR [--locked] [--update [ID]…]',
    load: async () => (await import('./sync.ts')).sync,
  },
};

/** `portico sources sync DIR`. */
export const sources = runSubverb('sources', SUBVERBS);
