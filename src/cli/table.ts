import { BUNDLE_VERB } from './bundle/bundle-verb.ts';
import { CATALOG_VERB } from './catalog/catalog-verb.ts';
import { CHANNEL_CHANGE_VERBS, PLAN_VERB } from './channels/channel-verbs.ts';
import { CRD_SAFETY_VERB } from './crd-safety-verb.ts';
import { JSON_OPTION } from './json-option.ts';
import { PREVIEW_VERB } from './preview-verb.ts';
import { PULL_VERB, PUSH_VERB } from './registry-verbs.ts';
import { DEMO_VERB, DEV_VERB, SERVE_VERB, TRIAL_VERB } from './server-verbs.ts';
import { SOURCES_VERB } from './sources/sources-verb.ts';
import type { Option, Verb } from './verb.ts';

const STRATEGIES = ['resource-merge', 'fast-forward', 'force-delete-replace', 'copy-merge'];

const STRATEGY: Option = {
  name: 'strategy',
  value: 'STRATEGY',
  choices: STRATEGIES,
  help: 'how to merge upstream and local changes',
};

const RENDER_OPTIONS: readonly Option[] = [
  { name: 'config', value: 'FILE', help: "the repository's portico.yaml, whose guardrails run too" },
  { name: 'allow-exec', help: 'let pipelines run programs on this machine' },
];

const IN_OPTION: Option = {
  name: 'in',
  value: 'DIR',
  many: true,
  help: 'a git repository, or a folder of them (default: the current directory)',
};

const SELECTION: readonly Option[] = (['match', 'exclude'] as const).flatMap((what) => {
  const verb = what === 'match' ? 'select' : 'skip';
  return [
    { name: `${what}-api-version`, value: 'APIVERSION', help: `${verb} resources with this apiVersion` },
    { name: `${what}-kind`, value: 'KIND', help: `${verb} resources of this kind` },
    { name: `${what}-name`, value: 'NAME', help: `${verb} resources with this name` },
    { name: `${what}-namespace`, value: 'NAMESPACE', help: `${verb} resources in this namespace` },
    { name: `${what}-labels`, value: 'KEY=VALUE', many: true, help: `${verb} resources with this label` },
    {
      name: `${what}-annotations`,
      value: 'KEY=VALUE',
      many: true,
      help: `${verb} resources with this annotation`,
    },
  ];
});

/** Every verb of the command line, in the order of the help. Each is loaded when it is called, and only then. */
export const VERBS: readonly Verb[] = [
  {
    name: 'init',
    summary: 'turn a directory into a package',
    usage: ['portico init DIR [--description TEXT] [--site URL] [--keywords LIST]'],
    description: ['Adds a Kptfile, a README.md and a package-context.yaml; existing files are not changed.'],
    options: [
      { name: 'description', value: 'TEXT', help: 'one sentence about the package' },
      { name: 'site', value: 'URL', help: 'where to read more about it' },
      { name: 'keywords', value: 'LIST', many: true, help: 'keywords, separated by commas' },
      JSON_OPTION,
    ],
    examples: ['portico init ./database --description "A database for one team" --keywords database,sql'],
    positionals: { least: 1, most: 1 },
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
    summary: 'show the upstreams of packages as a Mermaid graph',
    usage: ['portico graph [WORD…] [--in DIR]'],
    description: [
      'Dotted arrows point to packages that are behind their upstream. Only packages that match every WORD are drawn.',
    ],
    options: [IN_OPTION],
    examples: ['portico graph --in ~/clones > lineage.mmd'],
    positionals: { least: 0, most: 10 },
    load: async () => (await import('./get-index.ts')).printGraph,
  },
  {
    name: 'update',
    summary: 'update a package from its upstream and keep local changes',
    usage: [
      'portico update [DIR[@REF]] [--strategy STRATEGY] [--on-conflict SIDE]',
      'portico update --base DIR --upstream DIR --local DIR --output DIR [--strategy STRATEGY] [--on-conflict SIDE]',
    ],
    description: [
      'The first form finds both upstream revisions in the Kptfile of the package, fetches them with git and',
      'writes in place. The second compares directories and writes the result to --output.',
      'REF defaults to the ref in the Kptfile: a branch may have new commits, a revision never changes.',
      'If both sides changed the same field, upstream is taken and the conflict is listed; the exit code is 2.',
    ],
    options: [
      { name: 'base', value: 'DIR', help: 'the upstream revision that local was made from' },
      { name: 'upstream', value: 'DIR', help: 'the upstream revision to move to' },
      { name: 'local', value: 'DIR', help: 'the package with its local changes' },
      {
        name: 'output',
        short: 'o',
        value: 'DIR',
        help: 'directory for the result: new, empty, or the --local directory',
      },
      STRATEGY,
      {
        name: 'on-conflict',
        value: 'SIDE',
        choices: ['upstream', 'local', 'fail'],
        help: 'the side that conflicts take; fail writes nothing',
      },
      {
        name: 'resolve',
        value: 'ID=SIDE',
        many: true,
        help: 'settle one conflict, by its listed id: upstream or local',
      },
      JSON_OPTION,
    ],
    examples: [
      'portico update ./orders-database@v4',
      'portico update ./orders-database@v4 --on-conflict fail',
      'portico update ./orders-database@v4 --resolve 0a1b2c3d4e5f=local',
      'portico update --base v3 --upstream v4 --local mine --output merged --json',
    ],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./update.ts')).update,
  },
  {
    name: 'render',
    summary: 'run the pipelines of a package and its subpackages',
    usage: ['portico render DIR [--output DIR] [--results FILE] [--config FILE] [--allow-exec]'],
    description: [
      'Writes in place unless --output names a new directory. Nothing is written when a function fails.',
    ],
    options: [
      { name: 'output', short: 'o', value: 'DIR', help: 'write the whole package to this new directory' },
      { name: 'results', value: 'FILE', help: "write kpt's FunctionResultList here, also on failure" },
      ...RENDER_OPTIONS,
      JSON_OPTION,
    ],
    examples: [
      'portico render ./database',
      'portico render ./database --output ./rendered --results results.yaml',
    ],
    positionals: { least: 1, most: 1 },
    load: async () => (await import('./render.ts')).render,
  },
  {
    name: 'eval',
    summary: 'run one function on a package, or on a ResourceList from stdin',
    usage: ['portico eval DIR|- --image IMAGE [--output DIR] [--fn-config FILE] [-- key=value…]'],
    description: ['With -, the ResourceList is read from stdin and the result is written to stdout.'],
    options: [
      {
        name: 'image',
        short: 'i',
        value: 'IMAGE',
        help: 'such as set-labels:v0.2, or a module such as fn.wasm',
      },
      { name: 'exec', value: 'COMMAND', help: 'run a program on this machine as the function' },
      { name: 'fn-config', value: 'FILE', help: 'file with the functionConfig' },
      { name: 'config', value: 'FILE', help: "the repository's portico.yaml, whose functions may run" },
      { name: 'output', short: 'o', value: 'DIR', help: 'write the whole package to this new directory' },
      { name: 'results', value: 'FILE', help: "write kpt's FunctionResultList here, also on failure" },
      {
        name: 'include-meta-resources',
        short: 'm',
        help: 'accepted for compatibility: the Kptfile and function configurations are always included',
      },
      ...SELECTION,
      JSON_OPTION,
    ],
    examples: [
      'portico eval ./database --image set-namespace:v0.4 -- namespace=orders',
      'portico eval ./database -i set-labels:v0.2 --match-kind Deployment -- team=orders',
      'portico eval - -i set-labels:v0.2 -- team=orders < resources.yaml',
    ],
    positionals: { least: 0, most: 1 },
    rest: true,
    load: async () => (await import('./eval.ts')).evaluate,
  },
  {
    name: 'check',
    summary: 'check that a package is valid and rendered, without writing anything',
    usage: ['portico check DIR [--config FILE] [--allow-exec]'],
    description: [
      'Runs the pipelines and guardrails. Fails when a function fails, a validator finds errors, or the',
      'package differs from the rendered package.',
    ],
    options: [...RENDER_OPTIONS, JSON_OPTION],
    examples: ['portico check ./database --config .github/portico.yaml'],
    positionals: { least: 1, most: 1 },
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'diff',
    summary: 'show the differences between two packages, by resource and field',
    usage: ['portico diff A B'],
    description: ['A is the older package. Prints Markdown, or the differences as data with --json.'],
    options: [
      {
        name: 'limit',
        value: 'CHARACTERS',
        help: 'truncate the Markdown at this length and say so (default: no limit)',
      },
      JSON_OPTION,
    ],
    examples: ['portico diff ./database-v3 ./database-v4'],
    positionals: { least: 2, most: 2 },
    load: async () => (await import('./diff.ts')).diff,
  },
  {
    name: 'tree',
    summary: 'list a package, its subpackages and their resources',
    usage: ['portico tree [DIR]'],
    options: [JSON_OPTION],
    examples: ['portico tree ./database'],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./tree.ts')).tree,
  },
  ...CHANNEL_CHANGE_VERBS,
  PLAN_VERB,
  CATALOG_VERB,
  CRD_SAFETY_VERB,
  PREVIEW_VERB,
  BUNDLE_VERB,
  PUSH_VERB,
  PULL_VERB,
  SOURCES_VERB,
  SERVE_VERB,
  TRIAL_VERB,
  DEV_VERB,
  DEMO_VERB,
];
