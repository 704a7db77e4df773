import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PorticoError } from '../../error.ts';
import { createCredentials } from '../../fetching/credentials.ts';
import { createSourceFetch } from '../../fetching/fetch-source.ts';
import { createRegistry } from '../../fetching/oci-registry.ts';
import { READ_HERE } from '../../fetching/read-here.ts';
import { createSourceCache } from '../../fetching/source-cache.ts';
import { parseInsideHosts } from '../../network/inside-host.ts';
import { createOutsideFetch } from '../../network/outside-fetch.ts';
import type { PackageFiles } from '../../package/package.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import { processorsSchema, type Processor } from '../../processors/processor-spec.ts';
import { runProcessors } from '../../processors/run-processors.ts';
import { readTargets } from '../../processors/target-profile.ts';
import { overlap } from '../../sources/destination.ts';
import { readSources } from '../../sources/read-sources.ts';
import type { SourcesDocument } from '../../sources/source.ts';
import { syncSources, type FetchSource, type RunProcessors, type Sync } from '../../sources/sync.ts';
import { counted } from '../../text/counted.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import { runtimeOf } from '../functions.ts';
import { demandsOf } from '../guardrails.ts';
import { placeIn, type Call } from '../verb.ts';
import { finishCutOff, isCutOff, isStaged, swap } from './swap.ts';

/**
 * `portico sources sync DIR [ID…]`: brings directories and lock of a package in step with its sources. Exit code 1 where
 * `--locked` finds a difference.
 */
export async function sync(call: Call): Promise<number> {
  const [typed = '.', ...ids] = call.positionals;
  const { terminal, signal } = call;
  const directory = call.path(typed);
  const locked = call.has('locked');
  if (ids.length > 0 && !call.has('update')) {
    throw usageError(`unexpected arguments: ${ids.join(', ')}`, 'Write ids of sources after --update.');
  }
  if (locked && call.has('update')) {
    throw usageError('--locked and --update exclude each other', 'Give one of them.');
  }
  const cutOff = isCutOff(directory);
  if (!locked && finishCutOff(directory)) terminal.warn('an interrupted sync was completed first');

  const leftOut: string[] = [];
  const warn = (message: string): void => {
    leftOut.push(message);
    terminal.warn(message);
  };
  const files = new Map([...readFolder(directory, { warn })].filter(([path]) => !isStaged(path)));
  const document = documentOf(call, directory, files);
  const update = !call.has('update') ? new Set<string>() : ids.length === 0 ? 'all' : new Set(ids);
  if (call.has('update') && document.paused !== undefined) {
    const { reason, until } = document.paused;
    terminal.warn(
      `updates are paused${until === undefined ? '' : ` until ${until}`} (${reason}); --update updates all the same`,
    );
  }
  const fetch = fetchWith(call);
  const process = await processorsOf(call, directory, document.processors);
  const result = await syncSources({ document, files, update, locked, fetch, process, signal });
  const differences = [
    ...(cutOff && locked ? ['an interrupted sync was found: run portico sources sync without --locked'] : []),
    ...result.differences,
    ...(locked ? linksIn(document, leftOut) : []),
  ];
  if (!locked) swap(directory, files, result.files);
  report(call, result, locked ? differences : []);
  return locked && differences.length > 0 ? EXIT.failed : EXIT.ok;
}

function documentOf(call: Call, directory: string, files: PackageFiles): SourcesDocument<Processor> {
  const file = files.get(SOURCES_FILE);
  if (file === undefined) {
    throw new PorticoError('SOURCES_MISSING', `there is no ${SOURCES_FILE} in ${directory}`, {
      blame: 'user',
      hint: 'Write one beside the Kptfile; see docs/sources.md.',
    });
  }
  const read = readSources({ file: SOURCES_FILE, bytes: file.bytes }, processorsSchema);
  if ('document' in read) return read.document;
  const place = placeIn(call, directory);
  const lines = read.problems.map(
    ({ file: name, line, column, message, hint }) => `${place(name)}:${line}:${column}: ${message}. ${hint}`,
  );
  throw new PorticoError('SOURCES_INVALID', `${SOURCES_FILE} cannot be used:\n${lines.join('\n')}`, {
    blame: 'user',
    hint: 'Nothing was fetched.',
  });
}

function fetchWith(call: Call): FetchSource {
  const inside = parseInsideHosts(process.env['INSIDE_HOSTS']);
  const outside = createOutsideFetch({ inside });
  const name = process.env['PORTICO_CREDENTIALS'];
  const fetch = createSourceFetch({
    fetch: outside,
    inside,
    cache: createSourceCache(),
    registry: createRegistry({ fetch: outside, inside, reader: READ_HERE }),
    reader: READ_HERE,
    credentialFor: createCredentials({
      file: name === undefined || name === '' ? undefined : { name, bytes: readFileSync(call.path(name)) },
      env: process.env,
      readText: (path) => readFileSync(call.path(path), 'utf8'),
    }),
  });
  return async (source, pinned, signal) => {
    call.terminal.progress(`fetching ${source.id}`);
    return await fetch(source, pinned, signal);
  };
}

async function processorsOf(
  call: Call,
  directory: string,
  processors: readonly Processor[],
): Promise<RunProcessors<Processor>> {
  if (processors.length === 0) return () => Promise.resolve({ tree: new Map(), steps: [] });
  const { foreign } = await demandsOf(call, directory);
  const runtime = await runtimeOf(call, { allowExec: false, foreign });
  const { targets, problems } = readTargets(targetFiles(directory));
  for (const { file, message } of problems) call.terminal.warn(`${file}: ${message}`);
  return (tree, list, signal) => {
    call.terminal.progress('running processors');
    return runProcessors(tree, list, { runtime, foreign, targets, signal });
  };
}

const TARGETS = '.github/portico/targets';

/** The target profiles of the repository that the package is in. */
function targetFiles(directory: string): ReadonlyMap<string, Uint8Array> {
  for (let at = directory; ; at = dirname(at)) {
    const folder = join(at, TARGETS);
    if (existsSync(folder)) {
      return new Map([...readFolder(folder)].map(([path, { bytes }]) => [`${TARGETS}/${path}`, bytes]));
    }
    if (existsSync(join(at, '.git')) || dirname(at) === at) return new Map();
  }
}

/** Links where content should be are no part of the package, and no content either. */
function linksIn(document: SourcesDocument<Processor>, leftOut: readonly string[]): readonly string[] {
  const filled = [
    ...document.sources.filter(({ place }) => place.kind !== 'manual').map(({ destination }) => destination),
    ...document.processors.map(({ out }) => out),
  ];
  return leftOut.filter((message) => {
    const path = message.slice(0, Math.max(0, message.indexOf(' is ')));
    return filled.some((one) => overlap(path, one));
  });
}

function report({ terminal }: Call, result: Sync, differences: readonly string[]): void {
  const { sources, processors } = result;
  for (const difference of differences) terminal.say(difference);
  for (const { processor, notes } of processors) {
    for (const note of notes) terminal.warn(`${processor}: ${note}`);
  }
  if (terminal.json) {
    terminal.document({ sources, processors, ...(differences.length > 0 && { differences }) });
    return;
  }
  if (differences.length > 0) {
    const { length } = differences;
    terminal.print(`${counted(length, 'difference')}: the package does not match the lock.`);
    return;
  }
  for (const { id, resolved, changed, was } of sources) {
    if (changed) terminal.print(`${id}: ${was === undefined ? '' : `${was} → `}${resolved ?? ''}`);
  }
  for (const { processor, out, changed } of processors) {
    if (changed.length > 0) terminal.print(`${out}: ${processor} changed ${counted(changed.length, 'file')}`);
  }
  if (!sources.some(({ changed }) => changed) && !processors.some(({ changed }) => changed.length > 0)) {
    terminal.say('Nothing changed.');
  }
}
