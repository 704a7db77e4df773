import { dirname } from 'node:path';

import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import type { RenderResult } from '../package/render/render-types.ts';
import { renderPackage } from '../package/render/render.ts';
import { readFolder } from './folder.ts';
import { runtimeOf } from './functions.ts';
import { demandsOf } from './guardrails.ts';
import { outputOf, placeOfOutput, writeOutput } from './output.ts';
import { renderDocument, renderExit, reportRender, writeResults } from './render-report.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico render [DIR]`: runs the pipelines and writes what comes out, in place or to `--output`. */
export async function render(call: Call): Promise<number> {
  const { terminal } = call;
  const directory = call.path(call.positionals[0] ?? '.');
  const output = outputOf(call);
  const files = readPackage(directory, call);
  const result = await renderFiles(files, directory, call);
  await writeResults(call, result);
  reportRender(result, terminal, placeIn(call, directory));
  if (result.ok || (await savesOnFailure(files))) {
    await writeOutput(call, output, { directory, before: files, after: result.files });
  }
  if (terminal.json) terminal.document(renderDocument(result));
  else if (result.ok && output.to !== 'stdout') {
    const place = placeOfOutput(call, output, directory);
    for (const path of result.changed) terminal.print(`changed ${place(path)}`);
    if (result.changed.length === 0) terminal.say('Nothing changed.');
  }
  return renderExit(result);
}

/** kpt's annotation by which a package is written as far as it got. */
async function savesOnFailure(files: PackageFiles): Promise<boolean> {
  const { readKptfile } = await import('../package/kptfile.ts');
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return false;
  try {
    const { annotations } = readKptfile(kptfile.bytes).kptfile;
    return annotations['kpt.dev/save-on-render-failure']?.toLowerCase() === 'true';
  } catch {
    return false;
  }
}

/** Reads a directory that has to be a package. Throws `KPTFILE_MISSING`. */
export function readPackage(directory: string, call: Call): PackageFiles {
  const files = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  if (files.has('Kptfile')) return files;
  const below = [...files.keys()].find((path) => path.endsWith('/Kptfile'));
  throw new PorticoError('KPTFILE_MISSING', `there is no Kptfile in ${directory}`, {
    blame: 'user',
    hint:
      below === undefined
        ? 'Name the directory of a package, or create one with portico init.'
        : `Name one of the packages in it, such as ${placeIn(call, directory)(dirname(below))}. At the top of a repository, portico check checks all packages.`,
  });
}

/** Renders with what `--config` and `--allow-exec` ask for; shows progress. */
export async function renderFiles(files: PackageFiles, directory: string, call: Call): Promise<RenderResult> {
  const { guardrails, foreign, path, deploy } = await demandsOf(call, directory);
  return renderPackage({
    files,
    runtime: await runtimeOf(call, { allowExec: call.has('allow-exec'), foreign }),
    guardrails,
    context: { path, repository: '', ...(deploy && { deploy }) },
    signal: call.signal,
    onStep: (step) => call.terminal.progress(`${step.package}: ${step.function}`),
  });
}
