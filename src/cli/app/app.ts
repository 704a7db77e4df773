import { runSubverb } from '../subverbs.ts';

const CREATE = 'portico app create [--org NAME] [--ghe HOST] [--name NAME] [--webhook URL]';
const CHECK = 'portico app check [--json]';

/** `portico app create` and `portico app check`. */
export const app = runSubverb('app', {
  create: {
    positionals: { least: 0, most: 0 },
    options: ['org', 'ghe', 'name', 'webhook'],
    usage: CREATE,
    load: async () => (await import('./create.ts')).createApp,
  },
  check: {
    positionals: { least: 0, most: 0 },
    options: [],
    usage: CHECK,
    load: async () => (await import('./check.ts')).checkApp,
  },
});
