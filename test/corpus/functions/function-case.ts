/** A golden case of functions: one function on a directory, or the pipeline of a package, and what comes of it. */
import { z } from 'zod';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { editInPlace } from '../../../src/package/render/edit-documents.ts';
import { evalFunction } from '../../../src/package/render/eval.ts';
import { copyValue } from '../../../src/package/render/field-notes.ts';
import type { ResultItem } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';
import type { RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { type CaseHead, tree } from '../read-cases.ts';

const selector = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

const result = z.strictObject({
  message: z.string(),
  severity: z.enum(['error', 'warning', 'info']).optional(),
  resourceRef: z.record(z.string(), z.string()).optional(),
  field: z.looseObject({ path: z.string() }).optional(),
  file: z.looseObject({ path: z.string() }).optional(),
});

export type Result = z.infer<typeof result>;

const outcome = z.strictObject({
  exitCode: z.union([z.literal(0), z.literal(1)]),
  /** Changed files alone; null: removed. */
  files: z.record(z.string(), z.string().nullable()),
  /** Absent where the tool reports none that can be compared. */
  results: z.array(result).optional(),
});

export type Outcome = z.infer<typeof outcome>;

export const input = {
  files: tree,
  /** The function's image; absent: the package is rendered by its Kptfile. */
  image: z.string().optional(),
  /** The functionConfig; `data` is short for a ConfigMap. */
  config: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
  selectors: z.array(selector).optional(),
  exclude: z.array(selector).optional(),
  /** A part of the message with which Portico fails, and the tool, unless `toolError` says what the tool's is. */
  error: z.string().min(1).optional(),
  toolError: z.string().min(1).optional(),
  /** How near the files must come to the expected ones: in bytes (the default), in data and comments, in data. */
  compare: z.enum(['bytes', 'comments', 'data']).default('bytes'),
  /** Why the function is called on the documents of the one file, without the checks of a package. */
  direct: z.string().optional(),
  /** Why the order of results is not the tool's. */
  unordered: z.string().optional(),
  /** Why a second run may change the files once more. */
  unstable: z.string().optional(),
};

export const shape = {
  ...input,
  expected: outcome,
  /** Why Portico gives something else than the tool, and what. */
  differs: z
    .strictObject({ why: z.string(), expected: outcome, error: z.string().min(1).optional() })
    .optional(),
};

export type Input = z.infer<z.ZodObject<typeof input>>;
export type FunctionCase = CaseHead & z.infer<z.ZodObject<typeof shape>>;

/** Returns the text of the functionConfig, if the case has one. */
export function configOf({ config, data }: Pick<Input, 'config' | 'data'>): string | undefined {
  if (data === undefined) return config;
  const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'function-input' } };
  return JSON.stringify({ ...head, data });
}

function filesOf(texts: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

export function textsOf(files: PackageFiles): Record<string, string> {
  return Object.fromEntries([...files].map(([path, { bytes }]) => [path, new TextDecoder().decode(bytes)]));
}

/** Runs Portico on a case, or on other files as that case says. */
export async function runCase(one: FunctionCase, files = filesOf(one.files)): Promise<RenderResult> {
  const runtime = createRuntime();
  if (one.image === undefined) return renderPackage({ files, runtime });
  const text = configOf(one);
  const functionConfig =
    text === undefined ? undefined : readResources('config.yaml', text).documents[0]?.value;
  const { image, selectors, exclude } = one;
  if (one.direct !== undefined) return callFunction(image, files, functionConfig);
  return evalFunction({
    files,
    runtime,
    spec: { image, ...(selectors && { selectors }), ...(exclude && { exclude }) },
    ...(functionConfig && { functionConfig }),
  });
}

/** Calls a function on the documents of the one file, as on a stream. */
async function callFunction(
  image: string,
  files: PackageFiles,
  functionConfig: KrmObject | undefined,
): Promise<RenderResult> {
  const [[path, file]] = [...files] as [[string, PackageFile]];
  const source = readResources(path, new TextDecoder().decode(file.bytes));
  const items = source.documents.map(({ value }) => copyValue(value));
  const output = await createRuntime().run({ image }, { items, ...(functionConfig && { functionConfig }) });
  const { exitCode, results } = output;
  const ok = exitCode === 0;
  const bytes = new TextEncoder().encode(editInPlace(source, output.items ?? []));
  return {
    ok,
    files: ok ? new Map([[path, { ...file, bytes }]]) : files,
    changed: [],
    runs: [{ package: '.', function: image, type: 'mutator', exitCode, results }],
    findings: [],
  };
}

/** Returns everything that Portico said of a run that did not succeed. */
export function messagesOf(done: RenderResult): string[] {
  return [
    ...(done.problem === undefined ? [] : [done.problem.message]),
    ...done.runs.flatMap((run) => [
      ...run.results.map(({ message }) => message),
      ...(run.refused === undefined ? [] : [run.refused.message]),
      run.stderr ?? '',
    ]),
  ];
}

/** Keeps of a result what tools and Portico both say. */
export function plainResult({ message, severity, resourceRef, field, file }: ResultItem | Result): Result {
  const ref = Object.entries(resourceRef ?? {}).filter(([, value]) => Boolean(value));
  return {
    message: message.trim(),
    ...(severity === undefined ? {} : { severity }),
    ...(ref.length === 0 ? {} : { resourceRef: Object.fromEntries(ref) }),
    ...(field?.path === undefined || field.path === '' ? {} : { field: { path: field.path } }),
    ...(file?.path === undefined || file.path === '' ? {} : { file: { path: file.path } }),
  };
}
