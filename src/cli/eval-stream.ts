import { addAbortSignal } from 'node:stream';

import { PorticoError } from '../error.ts';
import { isMap } from '../package/plain-values.ts';
import { ensureMap } from '../package/render/bookkeeping.ts';
import { editInPlace, printResource } from '../package/render/edit-documents.ts';
import { copyValue } from '../package/render/field-notes.ts';
import { unconfinedItem } from '../package/render/findings.ts';
import type { FunctionOutput, FunctionRuntime, FunctionSpec } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { readResources } from '../package/render/read-resources.ts';
import { isSelected } from '../package/render/select.ts';
import { EXIT } from './exit-code.ts';
import { writeNewFolder } from './folder-write.ts';
import { outputOf, placeOfOutput } from './output.ts';
import { reportRender, writeResults } from './render-report.ts';
import { filesOfStream } from './stream-files.ts';
import type { Call } from './verb.ts';

/** Bytes that stdin may hold. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Marks an item while a function that sees only some of them has it, as kpt's resource id does. */
const ID = 'internal.config.k8s.io/kpt-resource-id';

/**
 * Runs a function on what stdin holds (a ResourceList, or resources with `---` between them) and writes the outcome
 * to stdout in the same form, or to the new directory that `--output` names. Nothing is written when the function fails.
 */
export async function evaluateStream(
  call: Call,
  runtime: FunctionRuntime,
  spec: FunctionSpec,
  functionConfig: KrmObject | undefined,
): Promise<number> {
  const form = call.text('output');
  // With --json the outcome is the document, in whichever form.
  const output = form === 'stdout' || form === 'unwrap' ? undefined : outputOf(call);
  const source = readResources('stdin', await readStdin(call.signal));
  // What was read stays as it is, so that what was changed can be told.
  const documents = source.documents.map(({ value }) => copyValue(value));
  const list = documents.length === 1 && documents[0]?.['kind'] === 'ResourceList' ? documents[0] : undefined;
  const items = list === undefined ? documents : itemsOf(list);
  const config = functionConfig ?? argumentConfig(spec);

  const chosen = items.filter((item) => isSelected(item, spec));
  const partial = chosen.length < items.length;
  const answer = await runtime.run(
    spec,
    {
      items: partial ? chosen.map((item) => withId(item, String(items.indexOf(item)))) : chosen,
      ...(config === undefined ? {} : { functionConfig: config }),
    },
    call.signal,
  );
  const ok = answer.exitCode === 0 && answer.refused === undefined && answer.items !== undefined;
  const result = resultOf(spec, answer, ok);
  await writeResults(call, result);
  reportRender(result, call.terminal, (file) => file);
  if (!ok || answer.items === undefined) return EXIT.failed;

  const after = partial ? mergeBack(items, new Set(chosen), answer.items) : answer.items;
  if (output?.to === 'directory') {
    const files = filesOfStream(after);
    writeNewFolder(output.directory, files);
    const place = placeOfOutput(call, output, output.directory);
    if (call.terminal.json) call.terminal.document(resourceList(after, list, answer));
    else for (const path of files.keys()) call.terminal.print(`added ${place(path)}`);
    return EXIT.ok;
  }
  const asList = form === undefined ? list !== undefined : form === 'stdout';
  const wanted = asList ? [resourceList(after, list, answer)] : after;
  const unlike = wanted.length !== source.documents.length || asList !== (list !== undefined);
  if (call.terminal.json) call.terminal.document(resourceList(after, list, answer));
  else if (unlike) call.terminal.write(wanted.map((value) => printResource(value)).join('---\n'));
  else call.terminal.write(editInPlace(source, wanted));
  return EXIT.ok;
}

async function readStdin(signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > MAX_BYTES) {
      throw new PorticoError('PACKAGE_LIMIT', 'stdin holds more than 256 MiB', {
        blame: 'user',
        hint: 'Split the resources.',
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function itemsOf(list: KrmObject): KrmObject[] {
  const { items } = list;
  if (Array.isArray(items) && items.every(isMap)) return items;
  throw new PorticoError('RESOURCE_LIST_INVALID', 'the ResourceList on stdin has no list of items', {
    blame: 'user',
    hint: 'Give apiVersion config.kubernetes.io/v1, kind ResourceList and items.',
  });
}

function argumentConfig({ configMap }: FunctionSpec): KrmObject | undefined {
  if (configMap === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'function-input' },
    data: { ...configMap },
  };
}

/** A copy that keeps its comments, with the id set. */
function withId(item: KrmObject, id: string): KrmObject {
  const copy = copyValue(item);
  const metadata = ensureMap(copy, 'metadata');
  ensureMap(metadata, 'annotations')[ID] = id;
  return copy;
}

/** Answers take the places of what the function was given; what it did not give back is gone, what is new comes last. */
function mergeBack(
  items: readonly KrmObject[],
  given: ReadonlySet<KrmObject>,
  answer: readonly KrmObject[],
): KrmObject[] {
  const byId = new Map<string, KrmObject>();
  const added: KrmObject[] = [];
  for (const item of answer) {
    const [id, plain] = withoutId(item);
    if (id === undefined || byId.has(id)) added.push(plain);
    else byId.set(id, plain);
  }
  const kept = items.flatMap((item, at) => {
    if (!given.has(item)) return [item];
    const now = byId.get(String(at));
    return now === undefined ? [] : [now];
  });
  return [...kept, ...added];
}

/** Takes the id off, and the annotations where nothing else is in them. */
function withoutId(item: KrmObject): [string | undefined, KrmObject] {
  const metadata = item['metadata'];
  if (!isMap(metadata) || !isMap(metadata['annotations'])) return [undefined, item];
  const { annotations } = metadata;
  const id = annotations[ID];
  delete annotations[ID];
  if (Object.keys(annotations).length === 0) delete metadata['annotations'];
  return [typeof id === 'string' ? id : undefined, item];
}

function resourceList(
  items: readonly KrmObject[],
  list: KrmObject | undefined,
  output: FunctionOutput,
): KrmObject {
  return {
    apiVersion: 'config.kubernetes.io/v1',
    kind: 'ResourceList',
    ...list,
    items,
    ...(output.results.length === 0 ? {} : { results: output.results }),
  };
}

function resultOf(
  spec: FunctionSpec,
  output: FunctionOutput,
  ok: boolean,
): Parameters<typeof reportRender>[0] {
  const name = spec.image ?? spec.exec ?? '';
  const { exitCode, results, stderr, unconfined, refused } = output;
  const allResults = [...results, ...(unconfined === undefined ? [] : [unconfinedItem(unconfined)])];
  return {
    ok,
    files: new Map(),
    changed: [],
    runs: [
      {
        package: '.',
        function: name,
        type: 'mutator',
        exitCode,
        results,
        ...(stderr === undefined ? {} : { stderr }),
        ...(refused === undefined ? {} : { refused }),
      },
    ],
    findings: allResults.map((item) => ({
      severity: item.severity ?? 'info',
      message: item.message,
      function: name,
      item,
      ...(item.file === undefined ? {} : { file: item.file.path }),
    })),
  };
}
