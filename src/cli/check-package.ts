/** One package, checked without writing anything. */
import { basename } from 'node:path';

import { readKptfile } from '../package/kptfile.ts';
import type { PackageFiles } from '../package/package.ts';
import type { RenderResult } from '../package/render/render-types.ts';
import { counted } from '../text/counted.ts';
import { EXIT } from './exit-code.ts';
import { renderDocument, renderExit, reportRender } from './render-report.ts';
import { readPackage, renderFiles } from './render.ts';
import { placeIn, type Call } from './verb.ts';

/** What was found of one package; told on stderr already. */
export interface Checked {
  readonly ok: boolean;
  readonly exit: number;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Checks the package in a directory, which the person would write as `typed`. Throws `KPTFILE_MISSING`. */
export async function checkPackage(call: Call, directory: string, typed: string): Promise<Checked> {
  const { terminal } = call;
  const files = readPackage(directory, call);
  const result = await renderFiles(files, directory, call);
  const place = placeIn(call, directory);
  reportRender(result, terminal, place);

  const problems = kptfileProblems(files).filter((problem) => !isTold(problem, result));
  for (const { file, line, severity, message } of problems) {
    const colour = severity === 'error' ? 'red' : 'yellow';
    const where = line === undefined ? place(file) : `${place(file)}:${line}`;
    terminal.say(`${where}: ${terminal.style(colour, `${severity}:`, 'stderr')} ${message}`);
  }

  const rendered = result.changed.length === 0;
  if (result.ok && !rendered) {
    const { length } = result.changed;
    const what = `${counted(length, 'file')} ${length === 1 ? 'differs from the rendered package' : 'differ from the rendered package'}`;
    terminal.say(`${what}: ${result.changed.map(place).join(', ')}`);
    terminal.say(`Run: portico render ${typed}`);
  }
  const valid = problems.every(({ severity }) => severity !== 'error');
  const ok = result.ok && rendered && valid;
  const exit = renderExit(result);
  return {
    ok,
    exit: exit === EXIT.ok && !ok ? EXIT.failed : exit,
    document: { ...renderDocument(result), ok, problems },
  };
}

interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Path of the field in the Kptfile; '' for the file as a whole. */
  readonly field: string;
}

/** Rendering stopped at this very place, or at this file as a whole, and said why. */
function isTold({ file, line, field }: Problem, { problem }: RenderResult): boolean {
  return problem !== undefined && problem.file === file && (field === '' || problem.line === line);
}

function kptfileProblems(files: PackageFiles): Problem[] {
  return [...files]
    .filter(([path]) => basename(path) === 'Kptfile')
    .flatMap(([file, { bytes }]) => problemsOf(file, bytes));
}

function problemsOf(file: string, bytes: Uint8Array): Problem[] {
  try {
    return readKptfile(bytes).problems.map(({ severity, message, line, path }) => ({
      file,
      ...(line === undefined ? {} : { line }),
      severity,
      message: path === '' ? message : `${path}: ${message}`,
      field: path,
    }));
  } catch {
    // Rendering has told of a Kptfile that is no YAML.
    return [];
  }
}
