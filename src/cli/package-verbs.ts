/** The verbs that work on one package, as kpt has them, in the table of verbs. */
import { JSON_OPTION } from './json-option.ts';
import type { Option, Verb } from './verb.ts';

const STRATEGIES = ['resource-merge', 'fast-forward', 'force-delete-replace', 'copy-merge'];

/** Of the verbs that merge. */
export const STRATEGY: Option = {
  name: 'strategy',
  value: 'STRATEGY',
  choices: STRATEGIES,
  help: 'how to merge upstream and local changes',
};

const IMAGE_PREFIX: Option = {
  name: 'image-prefix',
  value: 'PREFIX',
  help: "registry of images that name none (default: KPT_IMAGE_PREFIX, else kpt's catalog)",
};

const RENDER_OPTIONS: readonly Option[] = [
  IMAGE_PREFIX,
  { name: 'config', value: 'FILE', help: "the repository's portico.yaml, whose guardrails run too" },
  { name: 'allow-exec', help: 'let pipelines run programs on this machine' },
];

const OUTPUT_OPTION: Option = {
  name: 'output',
  short: 'o',
  value: 'stdout|unwrap|DIR',
  help: 'write a ResourceList or plain documents to stdout, or the whole package to a new directory',
};

const RESULTS_OPTIONS: readonly Option[] = [
  { name: 'results', value: 'FILE', help: "write kpt's FunctionResultList here, also on failure" },
  { name: 'results-dir', value: 'DIR', help: 'write it to results.yaml in this directory, as kpt does' },
];

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

export const PACKAGE_VERBS: readonly Verb[] = [
  {
    name: 'update',
    summary: 'update a package from its upstream and keep local changes',
    usage: [
      'portico update [DIR[@REF]] [--strategy STRATEGY] [--on-conflict SIDE] [--force]',
      'portico update DIR --resolve ID=SIDE…',
      'portico update --base DIR --upstream DIR --local DIR --output DIR [--strategy STRATEGY] [--on-conflict SIDE]',
    ],
    description: [
      'The first form finds both upstream revisions in the Kptfile of the package, fetches them with git and',
      'writes in place. The form with four directories merges them and writes the result to --output.',
      'REF defaults to the ref in the Kptfile: a branch may have new commits, a revision never changes.',
      'If both sides changed the same field, upstream is taken and the conflict is listed; the exit code is 2.',
      'To settle conflicts before or after the result is written, use --resolve with their ids. The record that this needs is',
      'portico/update-* in the git directory or, outside git, in ~/.local/state (XDG_STATE_HOME); an edit settles a conflict, too.',
      'Uncommitted changes are not overwritten. Outside git, the package as it was is copied and the copy is named.',
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
        help: 'settle one conflict, by its listed id: upstream, local or, where both sides only added, both',
      },
      { name: 'force', help: 'overwrite uncommitted changes; a copy of the package is kept and named' },
      JSON_OPTION,
    ],
    examples: [
      'portico update ./orders-database@v4',
      'portico update ./orders-database@v4 --on-conflict fail',
      'portico update ./orders-database --resolve 0a1b2c3d4e5f=local',
      'portico update --base v3 --upstream v4 --local mine --output merged --json',
    ],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./update.ts')).update,
  },
  {
    name: 'render',
    summary: 'run the pipelines of a package and its subpackages',
    usage: [
      'portico render [DIR] [--output stdout|unwrap|DIR] [--results FILE] [--config FILE] [--allow-exec]',
    ],
    description: [
      'Writes in place unless --output says otherwise. Nothing is written when a function fails.',
      'DIR defaults to the current directory.',
    ],
    options: [OUTPUT_OPTION, ...RESULTS_OPTIONS, ...RENDER_OPTIONS, JSON_OPTION],
    examples: [
      'portico render ./database',
      'portico render ./database --output unwrap | kubectl apply -f -',
      'portico render ./database --output ./rendered --results results.yaml',
    ],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./render.ts')).render,
  },
  {
    name: 'eval',
    summary: 'run one function on a package, or on a ResourceList from stdin',
    usage: [
      'portico eval [DIR|-] --image IMAGE [--output stdout|unwrap|DIR] [--fn-config FILE] [-- key=value…]',
      'portico eval [DIR] --image IMAGE --save --type mutator|validator [-- key=value…]',
    ],
    description: [
      'With -, the ResourceList is read from stdin and the result is written to stdout, or as files to a new directory.',
      'With --save, the function also becomes an entry of the pipeline, in place of the one with the same image.',
    ],
    options: [
      {
        name: 'image',
        short: 'i',
        value: 'IMAGE',
        help: 'such as set-labels:v0.2, or a module such as fn.wasm',
      },
      {
        name: 'tag',
        value: 'TAG',
        help: 'the version, such as v0.2.1 or ~0.2; wins over the one in --image',
      },
      IMAGE_PREFIX,
      { name: 'exec', value: 'COMMAND', help: 'run a program on this machine as the function' },
      { name: 'fn-config', value: 'FILE', help: 'file with the functionConfig' },
      { name: 'config', value: 'FILE', help: "the repository's portico.yaml, whose functions may run" },
      OUTPUT_OPTION,
      ...RESULTS_OPTIONS,
      { name: 'save', short: 's', help: 'save the function to the Kptfile; needs --image and --type' },
      {
        name: 'type',
        short: 't',
        value: 'TYPE',
        choices: ['mutator', 'validator'],
        help: 'the list of the pipeline that --save adds to',
      },
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
      'portico eval ./database -i set-labels:v0.2 --save --type mutator -- team=orders',
      'portico eval - -i set-labels:v0.2 -- team=orders < resources.yaml',
      'portico render ./database -o stdout | portico eval - -i set-labels:v0.2 -o ./labelled -- team=orders',
    ],
    positionals: { least: 0, most: 1 },
    rest: true,
    load: async () => (await import('./eval.ts')).evaluate,
  },
  {
    name: 'check',
    summary: 'check that packages are valid and rendered, without writing anything',
    usage: [
      'portico check [DIR] [--config FILE] [--allow-exec]',
      'portico check [REPOSITORY] [--changed-since REF] [--allow-exec]',
    ],
    description: [
      'Runs the pipelines and guardrails. Fails when a function fails, a validator finds errors, or the',
      'package differs from the rendered package. DIR defaults to the current directory.',
      "At the top of a repository, checks all packages by the repository's own .github/portico.yaml.",
    ],
    options: [
      ...RENDER_OPTIONS,
      {
        name: 'changed-since',
        value: 'REF',
        help: 'of a repository, only packages that differ from where this revision and HEAD meet',
      },
      JSON_OPTION,
    ],
    examples: [
      'portico check ./database --config .github/portico.yaml',
      'portico check --changed-since origin/main',
    ],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'diff',
    summary: 'show the differences between two packages, by resource and field',
    usage: [
      'portico diff A B [--output text|markdown]',
      'portico diff [PATH@]FROM..[TO] [--output text|markdown]',
      'portico diff [DIR[@VERSION]] [--diff-type TYPE] [--diff-tool COMMAND]',
    ],
    description: [
      'The first form compares two packages, the older first: directories, or PATH@REVISION in a clone.',
      'The second compares two revisions, tags, branches or commits of a package in a clone; without TO, the',
      'first one with the files of the work tree. PATH defaults to the current directory.',
      'The third compares a package with its upstream: local (what was changed here), remote (what is new',
      'upstream), combined (the package against the new upstream), or 3way (local, then remote).',
    ],
    options: [
      {
        name: 'output',
        short: 'o',
        value: 'FORMAT',
        choices: ['text', 'markdown'],
        help: 'text is in colours on a terminal (default: text)',
      },
      {
        name: 'diff-type',
        value: 'TYPE',
        choices: ['local', 'remote', 'combined', '3way'],
        help: 'what to compare with the upstream (default: local)',
      },
      { name: 'diff-tool', value: 'COMMAND', help: 'compare the directories with this program instead' },
      { name: 'diff-tool-opts', value: 'OPTIONS', dashed: true, help: 'options for that program' },
      {
        name: 'limit',
        value: 'CHARACTERS',
        help: 'truncate the differences at this length and say so (default: no limit)',
      },
      JSON_OPTION,
    ],
    examples: [
      'portico diff ./database-v3 ./database-v4',
      'portico diff web@v1..v3',
      'portico diff main..',
      'portico diff ./web@v4 --diff-type remote',
    ],
    positionals: { least: 0, most: 2 },
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
  {
    name: 'cat',
    summary: 'print the documents of a package and its subpackages, or of one file',
    usage: ['portico cat [DIR|FILE]'],
    options: [JSON_OPTION],
    examples: ['portico cat ./database', 'portico cat ./database/service.yaml'],
    positionals: { least: 0, most: 1 },
    load: async () => (await import('./cat.ts')).cat,
  },
];
