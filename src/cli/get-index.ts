import { relative } from 'node:path';

import type { Catalog } from '../catalog/catalog.ts';
import { EXIT, usageError } from './exit-code.ts';
import { foldersHere, indexFolders, repositoryAbove } from './local/local-index.ts';
import { answer, graph, graphData, SUBJECTS, type Subject } from './local/local-queries.ts';
import { visible } from './terminal.ts';
import { columns } from './text-table.ts';
import type { Call } from './verb.ts';

/** The subject that a word names; undefined for anything else. */
export function subjectOf(word: string): Subject | undefined {
  return SUBJECTS.find((subject) => subject === word);
}

const NO_GRAPH: readonly Subject[] = ['repos', 'revisions', 'drafts', 'variants'];

/** `portico get packages [WORD…]`: what repositories on this machine hold, as a table, JSON or a Mermaid graph. */
export async function getIndex(call: Call, subject: Subject): Promise<number> {
  const { terminal } = call;
  const filters = call.positionals.slice(1);
  const catalog = await indexed(call);
  const format = terminal.json ? 'json' : (call.text('output') ?? 'table');
  if (format === 'mermaid') {
    if (NO_GRAPH.includes(subject)) {
      throw usageError(
        `portico graph cannot draw ${subject}`,
        'It draws packages, upstreams, downstreams or outdated.',
      );
    }
    terminal.print(graph(catalog, filters, subject === 'outdated'));
    return EXIT.ok;
  }
  return printRows(call, subject, answer(catalog, subject, filters));
}

function printRows(call: Call, subject: Subject, rows: ReturnType<typeof answer>): number {
  const { terminal } = call;
  if (terminal.json || call.text('output') === 'json') {
    terminal.print(JSON.stringify({ [subject]: rows }, null, 2));
  } else for (const line of lines(rows)) terminal.print(line);
  return EXIT.ok;
}

/**
 * `portico get` alone: the packages of the repository around the current directory, as its registered branch has them; in a
 * directory of it those below, and the package around it.
 */
export async function getHere(call: Call): Promise<number> {
  const here = call.path('.');
  const top = repositoryAbove(here);
  if (call.list('in').length > 0) return getIndex(call, 'packages');
  if (top === undefined) {
    throw usageError(
      'an argument is missing, and this is not a git repository',
      'Write portico get REPO.git/PATH@REF to copy a package; in a clone, portico get without arguments lists its packages. See: portico get --help',
    );
  }
  const catalog = await indexFolders([top], call.signal);
  const place = relative(top, here) || '.';
  for (const one of catalog.all()) {
    const packages = one.packages.filter(({ directory }) => meets(directory, place));
    catalog.put({ ...one, packages });
  }
  return printRows(call, 'packages', answer(catalog, 'packages'));
}

/** One of two directories is the other, or lies in it. */
function meets(a: string, b: string): boolean {
  return a === '.' || b === '.' || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** `portico graph [WORD…]`: which package is made from which, as a Mermaid graph or as data. */
export async function printGraph(call: Call): Promise<number> {
  const catalog = await indexed(call);
  if (call.terminal.json) call.terminal.document(graphData(catalog, call.positionals));
  else call.terminal.print(graph(catalog, call.positionals));
  return EXIT.ok;
}

async function indexed(call: Call): Promise<Catalog> {
  const { progress } = call.terminal;
  const catalog = await indexFolders(foldersOf(call), call.signal, (folder) => progress(`reading ${folder}`));
  progress('');
  return catalog;
}

function foldersOf(call: Call): readonly string[] {
  const typed = call.list('in');
  return typed.length === 0 ? foldersHere(call.path('.')) : typed.map((folder) => call.path(folder));
}

/** Columns about an upstream say so: a package has revisions of its own, with the same names. */
const UPSTREAM_COLUMNS: Readonly<Record<string, string>> = { at: 'upstream at', newest: 'upstream newest' };

function lines(rows: readonly Readonly<Record<string, string | number | boolean>>[]): string[] {
  const [first] = rows;
  if (first === undefined) return ['Nothing found.'];
  const header = Object.keys(first).map((key) =>
    ('upstream' in first ? (UPSTREAM_COLUMNS[key] ?? key) : key).toUpperCase(),
  );
  const cells = rows.map((row) => Object.values(row).map((value) => visible(String(value)) || '-'));
  return columns([header, ...cells]);
}
