/** The verbs that run or try the server, in the table of verbs. */

import { JSON_OPTION } from './json-option.ts';
import { needsLocalForge } from './needs-local-forge.ts';
import type { Option, Verb } from './verb.ts';

/** Of the verbs that start a local forge. */
const REALISTIC_OPTIONS: readonly Option[] = [
  {
    name: 'realistic',
    help: 'make the forge slow, inconsistent and briefly unavailable, as GitHub can be',
  },
  {
    name: 'seed',
    value: 'N',
    help: 'seed of its random behaviour (default: 1); the same seed repeats it',
  },
];

/** `portico serve` */
export const SERVE_VERB: Verb = {
  name: 'serve',
  summary: 'run the GitHub App',
  usage: ['portico serve'],
  description: [
    'Takes its settings from the environment: APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, WEBHOOK_SECRET,',
    'GHE_HOST, PORT, HOST, DATABASE_URL (PostgreSQL; default: an embedded database in PORTICO_DATA).',
  ],
  options: [],
  examples: ['APP_ID=7 PRIVATE_KEY_PATH=key.pem WEBHOOK_SECRET=... portico serve'],
  positionals: { least: 0, most: 0 },
  load: async () => (await import('./serve.ts')).serve,
};

/** `portico app …` in the table of verbs. */
export const APP_VERB: Verb = {
  name: 'app',
  summary: 'create the GitHub App, and check that a server can work as it',
  usage: [
    'portico app create [--org NAME] [--ghe HOST] [--name NAME] [--webhook URL]',
    'portico app check [--json]',
  ],
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
  load: async () => (await import('./app/app.ts')).app,
};

/** `portico why` */
export const WHY_VERB: Verb = {
  name: 'why',
  summary: 'ask a running server why nothing happens',
  usage: [
    'portico why DELIVERY [--server URL] [--json]',
    'portico why OWNER/REPOSITORY[#NUMBER|:PACKAGE] [--server URL] [--json]',
  ],
  description: [
    'Shows the webhook, the jobs that run, wait or failed, what the last check of each package decided, and what a',
    'pull request still needs. DELIVERY is the id that the settings of the GitHub App list under Recent Deliveries.',
    'The server shows what the token in GITHUB_TOKEN (or GH_TOKEN) may read. PORTICO_URL replaces --server.',
    'Exits with 0 if the server answered, 65 if it does not know the subject or refuses the token, and 1 if it does not answer.',
  ],
  options: [
    { name: 'server', value: 'URL', help: 'address of the server (default: http://localhost:3000)' },
    JSON_OPTION,
  ],
  examples: [
    'portico why acme/edge-1:web --server https://portico.example.com',
    'portico why acme/apps#12 --json',
    'portico why 7b6f2f90-9b3e-11f0-8de9-0242ac120002',
  ],
  positionals: { least: 1, most: 1 },
  load: async () => (await import('./why.ts')).why,
};

/** `portico run` */
export const RUN_VERB: Verb = {
  name: 'run',
  summary: 'do once what the server does, without a server, and exit',
  usage: ['portico run --sweep [--minutes N]', 'portico run --event NAME --payload FILE [--minutes N]'],
  description: [
    'Works on a store of its own until nothing is left to do. --sweep looks at everything; --event looks at what the',
    'webhook or workflow event is about, and at what follows from it in other repositories.',
    'With APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) the App speaks, for all that it is installed on. Without, the',
    "workflow's token speaks (GITHUB_TOKEN, GITHUB_REPOSITORY and SEAL_KEYS), for one repository: what it pushes starts",
    'no workflows, and it cannot approve. Content of forks is never checked out, and is rendered in a sandbox.',
    'Exits with 0 if all was done, and with 1 if a job failed or the time was used up.',
  ],
  options: [
    { name: 'sweep', help: 'look at every repository' },
    { name: 'event', value: 'NAME', help: 'name of the webhook or workflow event, such as issue_comment' },
    {
      name: 'payload',
      value: 'FILE',
      help: 'its body; in a workflow, the file that GITHUB_EVENT_PATH names',
    },
    { name: 'minutes', value: 'N', help: 'end after so many minutes (default: 30)' },
    JSON_OPTION,
  ],
  examples: [
    'APP_ID=7 PRIVATE_KEY_PATH=key.pem portico run --sweep',
    'portico run --event "$GITHUB_EVENT_NAME" --payload "$GITHUB_EVENT_PATH"',
  ],
  positionals: { least: 0, most: 0 },
  load: async () => (await import('./run.ts')).run,
};

/** `portico trial` */
export const TRIAL_VERB: Verb = {
  name: 'trial',
  summary: 'test on a real forge, with a throw-away App, whether it behaves as Portico assumes',
  usage: [
    'portico trial --organization NAME [--app-id ID] [--private-key FILE] [--host HOST]',
    '              [--repository ONE --repository OTHER] [--row N…] [--pace MS]',
  ],
  description: [
    'Use an App created for the trial alone, never the one that Portico runs with. Options that are not given',
    'default to the variables of portico serve: APP_ID, PRIVATE_KEY or PRIVATE_KEY_PATH, GHE_HOST.',
    'Works in two empty repositories, named with --repository. If the App has the permission Administration,',
    'they are not needed: the trial creates two private repositories. It deletes what it created at the end,',
    'and also when it is stopped.',
    'Prints a table with what Portico believes, what the forge did, and a verdict for each row:',
    '  as believed   the forge behaves as Portico expects',
    '  otherwise     it does not; please report the table',
    '  not seen      the forge was asked and could not show it, such as without a permission',
    '  not asked     it takes more than a forge, such as a cluster',
    'Exits with 0 if no row is otherwise; with 1 if one is, or if something could not be deleted.',
  ],
  options: [
    { name: 'organization', value: 'NAME', help: 'the organisation or user that the App is installed on' },
    { name: 'app-id', value: 'ID', help: 'App ID, as the settings of the App show it' },
    { name: 'private-key', value: 'FILE', help: 'file with the private key of the App (PEM)' },
    { name: 'host', value: 'HOST', help: 'host name of a GitHub Enterprise Server (default: github.com)' },
    { name: 'repository', value: 'NAME', many: true, help: 'one of two empty repositories to work in' },
    { name: 'row', value: 'N', many: true, help: 'only this row of the table' },
    { name: 'pace', value: 'MS', help: 'milliseconds between writes (default: 1000)' },
    JSON_OPTION,
  ],
  examples: [
    'portico trial --organization acme --app-id 7 --private-key key.pem',
    'portico trial --organization acme --repository trial-a --repository trial-b --json > trial.json',
  ],
  positionals: { least: 0, most: 0 },
  load: async () => (await import('./trial.ts')).trial,
};

/** `portico dev` */
export const DEV_VERB: Verb = {
  name: 'dev',
  summary: 'run a local forge and the bot in one process, offline',
  usage: ['portico dev [--port N] [--data DIR] [--config FILE] [--realistic [--seed N]]'],
  description: [
    'When it is ready, it prints its address, the id of its App, and the files of the private key and the webhook',
    'secret; with --json on one line. Started again with the same directory, it continues where it stopped.',
    'Of the environment, it obeys SWEEP_MINUTES, SOURCE_MINUTES, DASHBOARD_SECONDS, INSIDE_HOSTS, GATE_HOSTS, NOTIFY_URL,',
    'NOTIFY_SECRET, NOTIFY_FORMAT and PORTICO_CREDENTIALS.',
  ],
  options: [
    { name: 'port', value: 'N', help: 'port of the forge (default: 0, a free port)' },
    { name: 'data', value: 'DIR', help: 'directory for all data (default: .portico)' },
    { name: 'config', value: 'FILE', help: 'users, tokens, organisations and repositories to start with' },
    ...REALISTIC_OPTIONS,
    JSON_OPTION,
  ],
  examples: ['portico dev --port 8080 --config forge.yaml'],
  positionals: { least: 0, most: 0 },
  load: async () => (await needsLocalForge('dev', () => import('./dev.ts'))).dev,
};

/** `portico demo` */
export const DEMO_VERB: Verb = {
  name: 'demo',
  summary: 'play the whole story on a local forge, and leave it running for you to try',
  usage: ['portico demo [--once] [--from DIR_OR_GIT_URL] [--port PORT] [--realistic [--seed N]]'],
  description: [
    'Draft, proposal, checks, approval, publication, update pull requests downstream; all offline.',
  ],
  options: [
    { name: 'once', help: 'exit after the story; the exit code is 0 only if every step succeeded' },
    {
      name: 'from',
      value: 'DIR_OR_GIT_URL',
      help: 'play it with the kpt packages of this folder or repository',
    },
    {
      name: 'port',
      value: 'PORT',
      help: 'port of the forge (default: 4280, or a free one if that is taken)',
    },
    ...REALISTIC_OPTIONS,
    { name: 'verbose', help: "show the bot's log" },
    JSON_OPTION,
  ],
  examples: ['portico demo', 'portico demo --once --from ../my-packages'],
  positionals: { least: 0, most: 0 },
  load: async () => (await needsLocalForge('demo', () => import('../demo/demo.ts'))).demo,
};
