import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';

import { PorticoError } from '../error.ts';
import { withPrefix } from '../function/runtime.ts';
import { evalFunction } from '../package/render/eval.ts';
import type { FunctionSpec, Selector } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { readResources } from '../package/render/read-resources.ts';
import { evaluateStream } from './eval-stream.ts';
import { usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { imagePrefixOf, moduleOf, runtimeOf } from './functions.ts';
import { demandsOf } from './guardrails.ts';
import { outputOf, placeOfOutput, writeOutput } from './output.ts';
import { renderDocument, renderExit, reportRender, writeResults } from './render-report.ts';
import { savedOf, withFunction } from './save-function.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico eval [DIR|-] --image IMAGE`: runs one function on a package, or on a ResourceList from stdin. */
export async function evaluate(call: Call): Promise<number> {
  const [where = '.'] = call.positionals;
  const spec = specOf(call);
  const save = savedOf(call, call.path(where));
  const functionConfig = await configOf(call);
  const configFile = fileInPackage(call, where);
  const { foreign } = await demandsOf(call, call.path(where === '-' ? '.' : where));
  const own = spec.image?.endsWith('.wasm') === true ? [await moduleOf(call, spec.image)] : [];
  const allowed = [...own, ...foreign.allowed];
  const runtime = await runtimeOf(call, { allowExec: spec.exec !== undefined, foreign: { allowed } });
  if (where === '-') return evaluateStream(call, runtime, spec, functionConfig);

  const { terminal } = call;
  const directory = call.path(where);
  const output = outputOf(call);
  const files = readFolder(directory, { warn: terminal.warn, place: placeIn(call, directory) });
  terminal.progress(`running ${spec.image ?? spec.exec ?? 'the function'}`);
  const result = await evalFunction({
    files,
    runtime,
    spec,
    ...(functionConfig === undefined ? {} : { functionConfig }),
    ...(configFile === undefined ? {} : { configFile }),
    includeMetaResources: true,
    signal: call.signal,
  });
  await writeResults(call, result);
  reportRender(result, terminal, placeIn(call, directory));
  const saved =
    save === undefined || !result.ok
      ? undefined
      : withFunction(result.files, withPrefix(spec, imagePrefixOf(call), { allowed }), save);
  const after = saved?.files ?? result.files;
  if (result.ok) await writeOutput(call, output, { directory, before: files, after });
  if (terminal.json) terminal.document({ ...renderDocument(result), ...(saved && { saved: saved.did }) });
  else if (result.ok && output.to !== 'stdout') {
    const place = placeOfOutput(call, output, directory);
    for (const path of result.changed) terminal.print(`changed ${place(path)}`);
    if (saved !== undefined) terminal.print(`${saved.did} the function in the Kptfile`);
  }
  return renderExit(result);
}

function specOf(call: Call): FunctionSpec {
  const image = call.text('image');
  const exec = call.text('exec');
  if ((image === undefined) === (exec === undefined)) {
    throw usageError('the function is missing', 'Give either --image IMAGE or --exec COMMAND.');
  }
  const tag = call.text('tag');
  if (tag !== undefined && image === undefined)
    throw usageError('--tag needs --image', 'Name the image of which this is the tag.');
  if (call.rest.length > 0 && call.text('fn-config') !== undefined) {
    throw usageError('--fn-config and key=value arguments exclude each other', 'Give one of them.');
  }
  const select = selectorOf(call, 'match');
  const exclude = selectorOf(call, 'exclude');
  return {
    ...(image === undefined ? {} : { image }),
    ...(tag === undefined ? {} : { tag }),
    ...(exec === undefined ? {} : { exec }),
    ...(call.text('fn-config') === undefined ? { configMap: argumentsOf(call.rest) } : {}),
    ...(select === undefined ? {} : { selectors: [select] }),
    ...(exclude === undefined ? {} : { exclude: [exclude] }),
  };
}

/** Function arguments, as a ConfigMap's data. */
function argumentsOf(rest: readonly string[]): Record<string, string> {
  return Object.fromEntries(rest.map((argument) => pairOf(argument, 'a function argument')));
}

function pairOf(typed: string, what: string): [string, string] {
  const at = typed.indexOf('=');
  if (at < 1) throw usageError(`${what} must be key=value, not ${typed}`, 'See: portico eval --help');
  return [typed.slice(0, at), typed.slice(at + 1)];
}

function selectorOf(call: Call, what: 'match' | 'exclude'): Selector | undefined {
  const texts = { apiVersion: 'api-version', kind: 'kind', name: 'name', namespace: 'namespace' };
  const maps = ['labels', 'annotations'] as const;
  const selector: Record<string, string | Record<string, string>> = {};
  for (const [field, option] of Object.entries(texts)) {
    const value = call.text(`${what}-${option}`);
    if (value !== undefined) selector[field] = value;
  }
  for (const field of maps) {
    const pairs = call.list(`${what}-${field}`).map((typed) => pairOf(typed, `--${what}-${field}`));
    if (pairs.length > 0) selector[field] = Object.fromEntries(pairs);
  }
  return Object.keys(selector).length === 0 ? undefined : selector;
}

/** The path of --fn-config in the package, if it is there: kpt does not pass a function its own configuration as input. */
function fileInPackage(call: Call, where: string): string | undefined {
  const typed = call.text('fn-config');
  if (typed === undefined || where === '-') return undefined;
  const path = relative(call.path(where), call.path(typed)).replaceAll(sep, '/');
  return path.startsWith('../') ? undefined : path;
}

async function configOf(call: Call): Promise<KrmObject | undefined> {
  const typed = call.text('fn-config');
  if (typed === undefined) return undefined;
  const text = await readFile(call.path(typed), 'utf8').catch((cause: unknown) => {
    throw new PorticoError('FUNCTION_CONFIG_INVALID', `${typed} cannot be read`, {
      blame: 'user',
      cause,
      hint: 'Name a file that holds one Kubernetes resource.',
    });
  });
  const { documents } = readResources(typed, text);
  const [only] = documents;
  if (only !== undefined && documents.length === 1) return only.value;
  throw new PorticoError('FUNCTION_CONFIG_INVALID', `${typed} holds ${documents.length} documents`, {
    blame: 'user',
    hint: 'Name a file that holds one Kubernetes resource.',
  });
}
