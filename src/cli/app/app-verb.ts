import { JSON_OPTION } from '../json-option.ts';
import { runSubverb } from '../subverbs.ts';
import type { Verb } from '../verb.ts';

const CREATE = 'portico app create [--org NAME] [--ghe HOST] [--name NAME] [--webhook URL]';
const CHECK = 'portico app check [--json]';

/** `portico app …` in the table of verbs. */
export const APP_VERB: Verb = {
  name: 'app',
  summary: 'create the GitHub App, and check that a server can work as it',
  usage: [CREATE, CHECK],
  description: [
    'create prints the address of a page on this machine, which takes you to the forge and back. It writes the private key',
    'and .env to the current directory, readable for you alone, and overwrites nothing; portico serve reads .env there.',
    'check reads the same settings as portico serve, and says for each thing that the server needs whether it is so, and',
    'what to do: permissions, events, installations, address of webhooks, clock, database. Exits with 1 if one is not.',
  ],
  options: [
    { name: 'org', value: 'NAME', help: 'create: the organisation that owns the App (default: you)' },
    { name: 'ghe', value: 'HOST', help: 'create: host of a GitHub Enterprise Server (default: github.com)' },
    { name: 'name', value: 'NAME', help: 'create: name of the App, which must be free on the forge' },
    {
      name: 'webhook',
      value: 'URL',
      help: 'create: where the forge sends webhooks: your server or relay (default: nowhere yet)',
    },
    JSON_OPTION,
  ],
  examples: [
    'portico app create --org acme --webhook https://portico.example.com/api/github/webhooks',
    'portico app check',
  ],
  positionals: { least: 1, most: 1 },
  load: async () =>
    runSubverb('app', {
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
    }),
};
