import { indexFolders } from '../local-index.ts';
import { answer, graph, SUBJECTS, type Subject } from '../local-queries.ts';
import { EXIT, usageError } from './exit-code.ts';
import { visible } from './terminal.ts';
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
  const catalog = await indexFolders(foldersOf(call), call.signal);
  const format = terminal.json ? 'json' : (call.text('output') ?? 'table');
  if (format === 'mermaid') {
    if (NO_GRAPH.includes(subject)) {
      throw usageError(
        `there is no graph of ${subject}`,
        'Ask for packages, upstreams, downstreams or outdated.',
      );
    }
    terminal.print(graph(catalog, filters, subject === 'outdated'));
    return EXIT.ok;
  }
  const rows = answer(catalog, subject, filters);
  if (format === 'json') terminal.print(JSON.stringify({ [subject]: rows }, null, 2));
  else for (const line of lines(rows)) terminal.print(line);
  return EXIT.ok;
}

/** `portico graph [WORD…]`: which package is made from which, as a Mermaid graph. */
export async function printGraph(call: Call): Promise<number> {
  const catalog = await indexFolders(foldersOf(call), call.signal);
  call.terminal.print(graph(catalog, call.positionals));
  return EXIT.ok;
}

function foldersOf(call: Call): string[] {
  const typed = call.list('in');
  return (typed.length === 0 ? ['.'] : typed).map((folder) => call.path(folder));
}

function lines(rows: readonly Readonly<Record<string, string | number | boolean>>[]): string[] {
  const [first] = rows;
  if (first === undefined) return ['Nothing found.'];
  const header = Object.keys(first).map((key) => key.toUpperCase());
  const cells = rows.map((row) => Object.values(row).map((value) => visible(String(value)) || '-'));
  const widths = header.map((name, at) =>
    Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)),
  );
  return [header, ...cells].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
