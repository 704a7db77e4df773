import { createRuntime } from '../../../src/function/runtime.ts';
import { editInPlace } from '../../../src/package/render/edit-documents.ts';
import { copyValue } from '../../../src/package/render/field-notes.ts';
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';

/** What a function makes of the resources in a text, and the text with its changes; '' where it failed. */
export async function runBuiltin(
  image: string,
  config: string | Readonly<Record<string, string>> | undefined,
  text: string,
): Promise<{ readonly output: FunctionOutput; readonly text: string; readonly messages: readonly string[] }> {
  const source = readResources('in.yaml', text);
  const functionConfig =
    config === undefined
      ? undefined
      : typeof config === 'string'
        ? readResources('config.yaml', config).documents[0]?.value
        : { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { ...config } };
  const items = source.documents.map(({ value }) => copyValue(value));
  const output = await createRuntime().run(
    { image },
    { items, ...(functionConfig === undefined ? {} : { functionConfig }) },
  );
  const after = output.items as KrmObject[] | undefined;
  const same = after?.length === source.documents.length;
  return {
    output,
    text: same ? editInPlace(source, after) : '',
    messages: output.results.map(({ message }) => message),
  };
}

/** A resource's head. */
export function head(apiVersion: string, kind: string, name = 'a', rest = ''): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${rest}`;
}
