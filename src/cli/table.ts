import { BUNDLE_VERB } from './bundle/bundle-verb.ts';
import { CATALOG_VERB } from './catalog/catalog-verb.ts';
import { CHANNEL_CHANGE_VERBS, PLAN_VERB } from './channels/channel-verbs.ts';
import { CRD_SAFETY_VERB } from './crd-safety-verb.ts';
import { JSON_OPTION } from './json-option.ts';
import { MIGRATE_VERB } from './migrate/migrate-verb.ts';
import { PACKAGE_VERBS, STRATEGY } from './package-verbs.ts';
import { POLICY_VERB } from './policy/policy-verb.ts';
import { PREVIEW_VERB } from './preview-verb.ts';
import { PULL_VERB, PUSH_VERB } from './registry-verbs.ts';
import { APP_VERB, DEMO_VERB, DEV_VERB, RUN_VERB, SERVE_VERB, TRIAL_VERB, WHY_VERB } from './server-verbs.ts';
import { SOURCES_VERB } from './sources/sources-verb.ts';
import type { Option, Verb } from './verb.ts';

const IN_OPTION: Option = {
  name: 'in',
  value: 'DIR',
  many: true,
  help: 'a git repository, or a folder of them (default: the current directory)',
};

/** Every verb of the command line, in the order of the help. Each is loaded when it is called, and only then. */
export const VERBS: readonly Verb[] = [
  {
    name: 'init',
    summary: 'turn a directory into a package',
    usage: ['portico init [DIR] [--description TEXT] [--site URL] [--keywords LIST]'],
    description: ['Adds a Kptfile, a README.md and a package-context.yaml; existing files are not changed.'],
    options: [
      { name: 'description', value: 'TEXT', help: 'one sentence about the package' },
      { name: 'site', value: 'URL', help: 'where to read more about it' },
      { name: 'keywords', value: 'LIST', many: true, help: 'keywords, separated by commas' },
      JSON_OPTION,
    ],
    examples: ['portico init ./database --description "A database for one team" --keywords database,sql'],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'draft',
    summary: 'create a draft branch in your clone, like the slash-commands',
    usage: [
      'portico draft init PATH [--description TEXT] [--workspace NAME] [--repo DIR] [--push REMOTE]',
      'portico draft clone REPO.git[/PATH][@REF] [PATH] [--workspace NAME] [--repo DIR] [--push REMOTE]',
      'portico draft copy|rollback PATH@REVISION [--workspace NAME] [--repo DIR] [--push REMOTE]',
      'portico draft edit PATH [--workspace NAME] [--repo DIR] [--push REMOTE]',
    ],
    description: [
      'The branch is drafts/PATH/NAME, on top of the registered branch; the work tree is not changed.',
      'NAME defaults to the next revision. PATH is relative to the registered directory.',
      'Guardrails check a rollback, like every draft, once its branch has a pull request.',
    ],
    options: [
      { name: 'workspace', value: 'NAME', help: 'the last part of the branch' },
      { name: 'description', value: 'TEXT', help: 'one sentence about a new package' },
      { name: 'repo', value: 'DIR', help: 'the clone (default: the current directory)' },
      { name: 'push', value: 'REMOTE', help: 'also push the branch to this remote, with your git' },
      JSON_OPTION,
    ],
    examples: [
      'portico draft init apps/web --push origin',
      'portico draft clone https://github.com/acme/blueprints.git/database@v3 apps/db',
      'portico draft rollback apps/web@v7',
    ],
    positionals: { least: 2, most: 3 },
    load: async () => (await import('./draft.ts')).draft,
  },
  {
    name: 'get',
    alias: 'clone',
    summary: 'copy a package from a git repository and record its upstream',
    usage: [
      'portico get REPO.git[/PATH][@REF] [DIR] [--strategy STRATEGY] [--for-deployment]',
      'portico get functions [--type mutator|validator] [--image IMAGE]',
      'portico get',
      'portico get repos|packages|revisions|drafts|upstreams|downstreams|outdated|variants [WORD…] [--in DIR] [--output FORMAT]',
    ],
    description: [
      'DIR defaults to the last part of PATH. If DIR is not empty, the package becomes a new directory in it.',
      'REF is a tag, branch or commit; for package app and REF v3, the tag app/v3 is tried first. REF defaults to the default branch.',
      'The second form lists the built-in functions; to name a repository called functions, write ./functions.',
      'Without arguments, it lists the packages of the clone, or those below the current directory of it.',
      'The last form lists the content of git repositories on this machine, each on its registered branch: rows that contain every WORD.',
    ],
    options: [
      STRATEGY,
      { name: 'for-deployment', help: "write the copy's name into its package-context.yaml" },
      { name: 'type', value: 'TYPE', choices: ['mutator', 'validator'], help: 'only functions of this type' },
      {
        name: 'image',
        short: 'i',
        value: 'IMAGE',
        help: 'the function and version that this image resolves to',
      },
      IN_OPTION,
      {
        name: 'output',
        short: 'o',
        value: 'FORMAT',
        choices: ['table', 'json', 'mermaid'],
        help: 'output format of lists',
      },
      JSON_OPTION,
    ],
    examples: [
      'portico get https://github.com/acme/blueprints.git/database@v3',
      'portico get ../blueprints.git/database@database/v3 ./orders-database',
      'portico get functions --type validator',
      'portico get outdated --in ~/clones',
      'portico get revisions acme/blueprints:web stable --in ~/clones',
    ],
    positionals: { least: 0, most: 10 },
    load: async () => (await import('./get.ts')).get,
  },
  {
    name: 'graph',
    summary: 'show the upstreams of packages as a Mermaid graph, or as data',
    usage: ['portico graph [WORD…] [--in DIR] [--json]'],
    description: [
      'Dotted arrows point to packages that are behind their upstream. Only packages that match every WORD are drawn.',
    ],
    options: [IN_OPTION, JSON_OPTION],
    examples: ['portico graph --in ~/clones > lineage.mmd', 'portico graph web --json'],
    positionals: { least: 0, most: 10 },
    load: async () => (await import('./get-index.ts')).printGraph,
  },
  ...PACKAGE_VERBS,
  {
    name: 'completion',
    summary: 'print a script that completes verbs and options in your shell',
    usage: ['portico completion bash|zsh|fish'],
    options: [JSON_OPTION],
    examples: ['source <(portico completion bash)', 'portico completion fish | source'],
    positionals: { least: 1, most: 1 },
    load: async () => (await import('./completion.ts')).completion(VERBS),
  },
  {
    name: 'version',
    summary: 'print the version',
    usage: ['portico version [--json]'],
    options: [JSON_OPTION],
    examples: ['portico version --json'],
    positionals: { least: 0, most: 0 },
    load: async () => (await import('./version.ts')).version,
  },
  ...CHANNEL_CHANGE_VERBS,
  PLAN_VERB,
  CATALOG_VERB,
  CRD_SAFETY_VERB,
  PREVIEW_VERB,
  BUNDLE_VERB,
  PUSH_VERB,
  PULL_VERB,
  MIGRATE_VERB,
  POLICY_VERB,
  SOURCES_VERB,
  APP_VERB,
  SERVE_VERB,
  WHY_VERB,
  RUN_VERB,
  TRIAL_VERB,
  DEV_VERB,
  DEMO_VERB,
];
