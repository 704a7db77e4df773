import { existsSync, readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { posix } from 'node:path';

import { describe, expect, test } from 'vitest';

/**
 * The rooms of `reconcile`, from the bottom to the top: each may import those before it, and the contracts at the top of
 * the folder ('.'), which import none of them. Types count as much as values.
 */
const ROOMS = [
  'forge',
  'text',
  'seal',
  'repository',
  'render',
  'check',
  'downstream',
  'rollout',
  'review',
  'merge',
  'publication',
  'update',
  'draft',
  'promotion',
  'proposal',
  'command',
  'dashboard',
  'sweep',
].map((room) => `reconcile/${room}`);

/** What the reconcilers need of git, of work on content, of sources and of registries: types that whoever implements them imports too. */
const PORTS = 'reconcile/ports';

const PURE = ['text', 'command', 'revision', 'package', 'config', 'catalog', 'channels'];

/**
 * Which folder may import which. '.' holds the entries of the program. `node:` and `npm:` mean any of them,
 * a longer name only that one. Pure folders name the few packages that do no I/O.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  '.': [
    'package.json',
    'cli',
    'command',
    'bot',
    'webhook',
    'telemetry',
    'config',
    'intake',
    'isolation',
    'queue',
    'function',
    'package',
    'text',
    'node:',
    'npm:probot',
  ],
  error: ['package.json'],
  // It starts the command line, and reads what that says.
  action: ['.', 'text', 'node:', 'npm:zod'],
  text: [],
  bot: [
    '.',
    'api',
    'webhook',
    'replica',
    'telemetry',
    'config',
    'intake',
    'queue',
    'reconcile',
    PORTS,
    ...ROOMS,
    'revision',
    'package',
    'function',
    'git',
    'forge',
    'catalog',
    'processes',
    'isolation',
    'network',
    'oci',
    'fetching',
    'processors',
    'sources',
    'node:',
    'npm:zod',
  ],
  webhook: ['api', 'command', 'intake', 'queue', 'reconcile', 'reconcile/draft', 'node:', 'npm:zod'],
  api: [
    'text',
    'catalog',
    'command',
    'revision',
    'reconcile',
    ...ROOMS,
    'node:crypto',
    'node:http',
    'npm:zod',
  ],
  replica: ['catalog', 'queue', 'node:'],
  telemetry: ['text', 'node:', 'npm:'],
  // Of registries it takes how their names are read.
  sources: ['text', 'config', 'oci', 'package', 'revision', 'npm:zod', 'npm:yaml', 'npm:semver'],
  fetching: [
    PORTS,
    'archive',
    'config',
    'git',
    'network',
    'oci',
    'package',
    'revision',
    'sources',
    'text',
    'node:',
    'npm:zod',
    'npm:yaml',
  ],
  // `spec.access` speaks of commands by their names, and commands of the configuration; no file of one imports another in a ring.
  config: [
    'package.json',
    'text',
    'cel',
    'command',
    'package',
    'revision',
    'npm:zod',
    'npm:yaml',
    'npm:croner',
    'npm:semver',
  ],
  intake: ['node:', 'npm:'],
  queue: ['node:', 'npm:'],
  reconcile: [...PURE, 'reconcile/forge', PORTS, 'npm:zod'],
  [PORTS]: PURE,
  ...Object.fromEntries(
    ROOMS.map((room, at) => [room, [...PURE, 'reconcile', PORTS, ...ROOMS.slice(0, at)]]),
  ),
  command: ['npm:commonmark', 'channels', 'text', 'revision', 'package', 'config'],
  revision: ['text', 'node:crypto'],
  cel: ['text', 'npm:@bufbuild/cel', 'npm:@bufbuild/protobuf', 'npm:re2js', 'npm:yaml'],
  package: ['text', 'cel', 'npm:minimatch', 'npm:yaml', 'node:crypto'],
  function: ['text', 'cel', 'package', 'processes', 'node:', 'npm:'],
  processes: ['node:'],
  isolation: [
    'archive',
    'text',
    'channels',
    'package',
    'config',
    'cel',
    'fetching',
    'function',
    'preview',
    'processes',
    'processors',
    'sources',
    PORTS,
    'node:',
  ],
  git: ['text', 'package', 'revision', 'processes', PORTS, 'node:', 'npm:'],
  // It implements the ports of the reconcilers.
  forge: ['text', 'reconcile/forge', 'node:', 'npm:'],
  catalog: ['text', 'channels', 'package', 'revision', 'node:crypto'],
  fbc: ['package', 'text'],
  channels: ['fbc', 'package', 'revision', 'npm:zod'],
  archive: ['text', 'package', 'node:zlib'],
  network: ['config', 'node:'],
  oci: ['network', 'archive', 'package', 'text', 'npm:zod', 'node:'],
  bundle: ['package', 'fbc', 'npm:zod', 'node:crypto'],
  preview: ['package', 'text', 'node:util'],
  processors: [
    'archive',
    'config',
    'text',
    'package',
    'revision',
    'fbc',
    'bundle',
    'function',
    'node:',
    'npm:zod',
  ],
  demo: ['cli', 'config', 'package', 'function', 'git', 'text', 'node:', 'npm:'],
  trial: ['text', 'forge', 'git', PORTS, 'node:', 'npm:zod'],
  registration: ['forge', 'node:', 'npm:zod', 'npm:yaml'],
  'cli/local': ['config', 'revision', 'git', 'catalog', 'command', ...ROOMS, 'node:'],
  // Tests of policies speak of policies.
  cli: [
    'cel',
    '.',
    PORTS,
    'cli/local',
    'command',
    'webhook',
    'telemetry',
    'trial',
    'registration',
    'text',
    'config',
    'package',
    'fbc',
    'channels',
    'catalog',
    'archive',
    'network',
    'oci',
    'bundle',
    'processes',
    'processors',
    'preview',
    'fetching',
    'sources',
    'revision',
    'function',
    'git',
    'demo',
    'node:',
    'npm:',
  ],
};

/** Statements at the start of a line, and `import(…)` anywhere; words in strings and comments are neither. */
const SPECIFIER = /^(?:import|export)\b[^'";]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

function folderOf(file: string): string {
  if (/^src\/reconcile\/[a-z]+-port\.ts$/.test(file)) return PORTS;
  const parts = file.split('/');
  const room = parts.slice(1, 3).join('/');
  if (room in MAY_IMPORT) return room;
  if (parts.length > 2) return parts[1] ?? '.';
  return ['error.ts', 'error-code.ts', 'version.ts'].includes(parts[1] ?? '') ? 'error' : '.';
}

function targetOf(file: string, specifier: string): string {
  if (specifier.endsWith('../package.json')) return 'package.json';
  if (specifier.startsWith('.')) return folderOf(posix.join(posix.dirname(file), specifier));
  return specifier.startsWith('node:') ? specifier : `npm:${specifier}`;
}

function may(from: string, to: string): boolean {
  if (from === to || to === 'error') return true;
  return (MAY_IMPORT[from] ?? []).some(
    (allowed) =>
      to === allowed ||
      (allowed.endsWith(':') && to.startsWith(allowed)) ||
      (allowed.startsWith('npm:') && to.startsWith(`${allowed}/`)),
  );
}

function importsOf(file: string): string[] {
  const found = [...readFileSync(file, 'utf8').matchAll(SPECIFIER)];
  return found.map((match) => (match[1] ?? match[2] ?? match[3])!);
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function manifest(file: string): { readonly dependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(file, 'utf8'));
}

const files = globSync('src/**/*.ts').map((file) => file.replaceAll('\\', '/'));
const edges = files.flatMap((file) =>
  importsOf(file).map((specifier) => ({ file, from: folderOf(file), to: targetOf(file, specifier) })),
);

describe('who may import whom', () => {
  test('the scan sees imports', () => expect(edges.length).toBeGreaterThan(5));

  test.each([...new Set(files.map(folderOf))])('src/%s imports only what it may', (from) => {
    expect(Object.keys(MAY_IMPORT)).toContain(from);
    expect(edges.filter((edge) => edge.from === from && !may(edge.from, edge.to))).toEqual([]);
  });
});

/** Files that import each other because what they are about is recursive; everything else has an order. */
const RECURSIVE = [
  'src/function/starlark/compile*.ts', // statements hold functions, functions statements; assignments and comprehensions both
  'src/function/starlark/*parser.ts', // a lambda is an expression with a body
  'src/package/merge/{fields,lists,list-*}.ts', // fields hold lists, and their elements fields
  'src/package/yaml/{aliases,change,compare,edit}.ts', // a change of a collection is compared and edited in turn
  'src/package/yaml/{quick-read,read}.ts', // the quick reader hands what it does not know to the whole one, which asks it first
];

/** Groups of files that reach each other by imports, types included (Tarjan, SIAM J. Comput. 1(2), 1972). */
function importCycles(from: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    open.push(file);
    let low = number;
    for (const next of from.get(file) ?? []) {
      if (!from.has(next)) continue;
      low = Math.min(low, order.has(next) ? (lowest.get(next) ?? order.get(next)!) : visit(next));
    }
    lowest.set(file, low);
    if (low === number) {
      const group = open.splice(open.indexOf(file));
      for (const done of group) lowest.set(done, Infinity);
      if (group.length > 1) found.push(group.toSorted());
    }
    return lowest.get(file)!;
  };
  for (const file of from.keys()) if (!order.has(file)) visit(file);
  return found;
}

function importGraph(pattern: string): Map<string, string[]> {
  return new Map(
    globSync(pattern).map((file) => [
      file,
      importsOf(file).flatMap((to) => (to.startsWith('.') ? posix.join(posix.dirname(file), to) : [])),
    ]),
  );
}

describe('files that import each other', () => {
  test('are told from those that do not', () => {
    const graph = {
      a: ['b'],
      b: ['c', 'd'],
      c: ['b'],
      d: ['e', 'a2'],
      e: [],
      a2: ['a3'],
      a3: ['a2', 'e', 'gone'],
    };
    expect(importCycles(new Map(Object.entries(graph)))).toEqual([
      ['a2', 'a3'],
      ['b', 'c'],
    ]);
  });

  test.each(['src/**/*.ts', 'localforge/src/**/*.ts'])(
    '%s: only where the subject is recursive',
    (pattern) => {
      const cycles = importCycles(importGraph(pattern));
      const isRecursive = (cycle: readonly string[]): boolean =>
        RECURSIVE.some((allowed) => cycle.every((file) => posix.matchesGlob(file, allowed)));
      expect(cycles.filter((cycle) => !isRecursive(cycle))).toEqual([]);
      const unused = RECURSIVE.filter(
        (allowed) =>
          pattern.startsWith('src') &&
          !cycles.some((cycle) => cycle.every((file) => posix.matchesGlob(file, allowed))),
      );
      expect(unused).toEqual([]);
    },
  );
});

test('no value is taken for something that it may not be: `as unknown as` stands nowhere', () => {
  expect(files.filter((file) => /\bas (?:unknown|any) as\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('the description of a file is above its imports; an empty line between them keeps it there', () => {
  const all = globSync('{src,test,scripts,localforge/src,localforge/test}/**/*.ts');
  expect(all.length).toBeGreaterThan(1_500);
  const misplaced = all.filter((file) =>
    /^import [^;]+;\n(?:\n*import [^;]+;\n)*\n*\/\*\*(?:(?!\*\/)[^])*\*\/\n+import /m.test(
      readFileSync(file, 'utf8'),
    ),
  );
  expect(misplaced).toEqual([]);
});

/** Folders in which a directory of a repository is a `RepositoryDirectory`; git, configuration and arguments are the edge. */
const INSIDE = 'src/{reconcile,command,catalog,channels,bot}/**/*.ts';

describe('the top of a repository', () => {
  const OTHERWISE =
    /\b\w*[dD]irectory\b(?: (?:===|!==) (?:''|'\.'))|(?:===|!==) '\.' \? ''|(?:===|!==) '' \? '\.'|\?\? '\.'/;

  test.each([
    "directory === '' ? 'Kptfile' : file",
    "found.directory !== '.'",
    "path === '' ? '.' : path",
    "config?.directory ?? '.'",
  ])('another spelling is seen: %s', (line) => expect(line).toMatch(OTHERWISE));

  test('has one spelling', () => {
    const found = globSync(INSIDE).flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) => (OTHERWISE.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('the local forge', () => {
  test('imports what its own package.json names, and nothing of the bot', () => {
    const own = Object.keys(manifest('localforge/package.json').dependencies);
    const found = globSync('localforge/src/**/*.ts').flatMap((file) =>
      importsOf(file).map((specifier) => ({
        file,
        to: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : packageOf(specifier),
      })),
    );
    expect(found.length).toBeGreaterThan(100);
    const strange = found.filter(
      ({ to }) => !to.startsWith('localforge/src/') && !to.startsWith('node:') && !own.includes(to),
    );
    expect(strange).toEqual([]);
  });

  test('is known to `dev` and the demo alone: everything else runs on what an installation brings', () => {
    const brought = Object.keys(manifest('package.json').dependencies);
    const strange = edges.flatMap(({ file, to }) =>
      to.startsWith('npm:') && !brought.includes(packageOf(to.slice('npm:'.length)))
        ? [`${file}: ${to}`]
        : [],
    );
    expect(strange.toSorted()).toEqual([
      'src/cli/dev.ts: npm:@portico/localforge/config',
      'src/cli/local-portico.ts: npm:@portico/localforge',
      'src/cli/local-portico.ts: npm:@portico/localforge/error',
      'src/demo/cast.ts: npm:@portico/localforge/config',
      'src/demo/seed.ts: npm:simple-git',
      // A type alone; whoever loads the file has it.
      'src/probot-host.ts: npm:probot',
    ]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');

  test('has a line for each folder of src', () => {
    const folders = globSync('src/*/').map(
      (folder) => `\`${folder.replaceAll('\\', '/').replace(/\/?$/, '/')}\``,
    );
    expect(folders.length).toBeGreaterThan(15);
    expect(folders.filter((folder) => !page.includes(`| ${folder}`))).toEqual([]);
  });

  test('has the rooms of reconcile in their order', () => {
    const [, table = ''] = page.split('### The rooms of `reconcile`');
    const rooms = [...table.split('###')[0]!.matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, room]) => `reconcile/${room}`,
    );
    expect(rooms).toEqual(ROOMS);
  });

  test.each(['Two walks', 'Where things are'])('names files that are there: %s', (heading) => {
    const [, section = ''] = page.split(`### ${heading}`);
    const files = [...section.split('###')[0]!.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => `src/${file}`);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});

test('no file holds the marks of a merge that somebody left unfinished', () => {
  const files = globSync([
    '*.{md,json,yml}',
    '.github/**/*.{md,yml}',
    '{docs,deploy,workflows,localforge}/**/*.{md,json,yaml,yml}',
    '{src,test,scripts}/**/*.ts',
  ]).filter((file) => !file.includes('node_modules'));
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((file) => /^(?:<{7}|>{7}) /m.test(readFileSync(file, 'utf8')))).toEqual([]);
});
