import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import type { FunctionRuntime } from '../../../src/package/render/function-runtime.ts';
import type { Guardrail, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';

/** A package from its files' texts. */
export function packageOf(texts: Readonly<Record<string, string>>): PackageFiles {
  const entries = Object.entries(texts).map(([path, text]): [string, PackageFile] => [
    path,
    { mode: '100644', bytes: new TextEncoder().encode(text) },
  ]);
  return new Map(entries);
}

export function textsOf(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, { bytes }]) => [
      path,
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    ]),
  );
}

/** A Kptfile with this pipeline, given as the lines below `pipeline:`. */
export function kptfile(
  name: string,
  pipeline = '',
  annotations: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries(annotations).map(([key, value]) => `    ${key}: "${value}"\n`);
  const noted = lines.length === 0 ? '' : `  annotations:\n${lines.join('')}`;
  const head = `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n${noted}`;
  return pipeline === '' ? head : `${head}pipeline:\n${pipeline}`;
}

export function render(
  texts: Readonly<Record<string, string>>,
  options: { readonly runtime?: FunctionRuntime; readonly guardrails?: readonly Guardrail[] } = {},
): Promise<RenderResult> {
  const { runtime = createRuntime(), guardrails = [] } = options;
  return renderPackage({ files: packageOf(texts), runtime, guardrails });
}
