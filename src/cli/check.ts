import { basename } from 'node:path';

import { readKptfile } from '../package/kptfile.ts';
import { counted } from '../text/counted.ts';
import { EXIT } from './exit-code.ts';
import { renderDocument, renderExit, reportRender } from './render-report.ts';
import { readPackage, renderFiles } from './render.ts';
import { placeIn, type Call } from './verb.ts';

/**
 * `portico check DIR`: fails when the Kptfile has errors, a function fails, a validator finds errors, or when
 * rendering would change the package. Writes nothing.
 */
export async function check(call: Call): Promise<number> {
  const { terminal } = call;
  const directory = call.path(call.positionals[0] ?? '.');
  const files = readPackage(directory, call);
  const result = await renderFiles(files, directory, call);
  const place = placeIn(call, directory);
  reportRender(result, terminal, place);

  const problems = [...files.keys()]
    .filter((path) => basename(path) === 'Kptfile')
    .flatMap((file) => kptfileProblems(file, files.get(file)?.bytes ?? new Uint8Array()));
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
    terminal.say(`Run: portico render ${call.positionals[0] ?? '.'}`);
  }
  const valid = problems.every(({ severity }) => severity !== 'error');
  const ok = result.ok && rendered && valid;
  if (terminal.json) terminal.document({ ...renderDocument(result), ok, problems });
  else if (ok) terminal.print('The package is valid and rendered.');
  const exit = renderExit(result);
  return exit === EXIT.ok && !ok ? EXIT.failed : exit;
}

interface Problem {
  readonly file: string;
  readonly line?: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

function kptfileProblems(file: string, bytes: Uint8Array): Problem[] {
  try {
    return readKptfile(bytes).problems.map(({ severity, message, line, path }) => ({
      file,
      ...(line === undefined ? {} : { line }),
      severity,
      message: path === '' ? message : `${path}: ${message}`,
    }));
  } catch {
    // Rendering has told of a Kptfile that is no YAML.
    return [];
  }
}
