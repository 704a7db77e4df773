/** kpt's names of what Portico does, too: `kpt fn render` is `portico fn render`, which is `portico render`. */
import { usageError } from './exit-code.ts';

interface Group {
  readonly names: readonly string[];
  /** What the group is about, in the help. */
  readonly about: string;
  readonly verbs: readonly string[];
}

const GROUPS: readonly Group[] = [
  { names: ['fn', 'functions'], about: 'run functions', verbs: ['render', 'eval'] },
  {
    names: ['pkg', 'package'],
    about: 'packages and their upstreams',
    verbs: ['get', 'update', 'diff', 'tree', 'cat', 'init'],
  },
];

/** kpt has these, and Portico leaves them to it: it never talks to a cluster. */
const LEFT_TO_KPT: readonly string[] = ['live', 'alpha'];

/** What to do in place of verbs of `kpt fn` that Portico does not have. */
const FN_LEFT_TO_KPT: Readonly<Record<string, string>> = {
  doc: 'Run kpt fn doc. docs/functions.md describes the built-in functions.',
  source:
    'Run kpt fn source. portico render DIR --output stdout writes a rendered package as a ResourceList.',
  sink: 'Run kpt fn sink. portico eval - --output DIR writes the files after a function.',
};

/** What kpt's options ask of a container, and why none of them is taken; without the two dashes. */
const DECLINED: Readonly<Record<string, string>> = {
  'allow-network': 'Functions have no network. Fetch what they need before: see portico sources --help.',
  network: 'Functions have no network. Fetch what they need before: see portico sources --help.',
  mount: 'Functions see resources only. Put what they need into the package, as a functionConfig.',
  env: 'Functions see no variables of this machine. Pass values as arguments: -- key=value.',
  e: 'Functions see no variables of this machine. Pass values as arguments: -- key=value.',
  'as-current-user':
    'Functions run without rights on this machine. A program that needs your rights can run with --exec.',
  'image-pull-policy':
    'Images are pulled only by you: with docker pull or podman pull, before Portico starts them by digest.',
  'allow-alpha-wasm':
    'WebAssembly needs no option: name a module with --image FILE.wasm, or allow it in portico.yaml.',
  'truncate-output': 'All warnings and errors are shown; --results FILE and --json hold everything.',
};

/** Why an option of kpt is not taken, and what to do instead; undefined for one that is none of kpt's. */
export function declinedOption(raw: string): string | undefined {
  const name = raw.replace(/^-+/, '');
  return Object.hasOwn(DECLINED, name) ? DECLINED[name] : undefined;
}

/** The names that come before a verb, for the help and for completion. */
export function groupNames(): readonly string[] {
  return GROUPS.flatMap(({ names: [first] }) => first ?? []);
}

/** The verbs of a group; none for any other word. */
export function verbsOfGroup(word: string): readonly string[] {
  return GROUPS.find(({ names }) => names.includes(word))?.verbs ?? [];
}

/** How kpt calls a verb, such as `fn render`; undefined for what kpt does not have. */
export function kptName(verb: string): string | undefined {
  const group = GROUPS.find(({ verbs }) => verbs.includes(verb));
  return group === undefined ? undefined : `${group.names[0] ?? ''} ${verb}`;
}

/** The help of the groups, one line each. */
export function groupLines(): string[] {
  return GROUPS.map(({ names, about, verbs }) => `  ${names[0] ?? ''} ${verbs.join('|')}  ${about}`);
}

/**
 * The arguments without the name of a group: `['fn', 'render', …]` is `['render', …]`. A group alone, or with `--help`, is
 * a question for help. Throws `CLI_USAGE` for a verb that the group does not have.
 */
export function withoutGroup(argv: readonly string[]): readonly string[] {
  const [first = '', second, ...others] = argv;
  if (LEFT_TO_KPT.includes(first)) {
    throw usageError(
      `portico has no verb ${first}: it never talks to a cluster`,
      'Apply packages with Flux, Argo CD, Config Sync or kpt live.',
    );
  }
  const group = GROUPS.find(({ names }) => names.includes(first));
  if (group === undefined) return argv;
  if (second === undefined || second === '--help' || second === '-h') return ['help', first];
  if (group.verbs.includes(second)) return [second, ...others];
  const left = group.verbs.includes('eval') && Object.hasOwn(FN_LEFT_TO_KPT, second);
  throw usageError(
    `portico ${first} has no ${second}`,
    (left ? FN_LEFT_TO_KPT[second] : undefined) ?? `It has: ${group.verbs.join(', ')}. See: portico --help`,
  );
}
