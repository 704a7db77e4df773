/** `portico eval --save`: the function that was run becomes an entry of the package's pipeline. */
import { relative } from 'node:path';

import { PorticoError } from '../error.ts';
import { readKptfile } from '../package/kptfile.ts';
import type { PackageFiles } from '../package/package.ts';
import type { FunctionSpec } from '../package/render/function-runtime.ts';
import { editYaml, type YamlValue } from '../package/yaml/edit.ts';
import { usageError } from './exit-code.ts';
import type { Call } from './verb.ts';

/** What is to be saved, and where. */
export interface Saved {
  readonly list: 'mutators' | 'validators';
  /** The functionConfig, relative to the package; undefined where arguments are given. */
  readonly configPath: string | undefined;
}

/** What `--save` asks for; undefined without it. Throws `CLI_USAGE`, before anything runs. */
export function savedOf(call: Call, directory: string): Saved | undefined {
  if (!call.has('save')) return undefined;
  const type = call.text('type');
  if (call.text('image') === undefined)
    throw usageError('--save needs --image', 'Programs of this machine are named in the Kptfile by hand.');
  if (type === undefined)
    throw usageError('--save needs --type', 'Write --type mutator or --type validator.');
  if (call.positionals[0] === '-')
    throw usageError('--save needs a package, and stdin is none', 'Name its directory.');
  const typed = call.text('fn-config');
  const configPath = typed === undefined ? undefined : relative(directory, call.path(typed));
  if (configPath?.startsWith('..') === true)
    throw usageError('--save needs the file of --fn-config in the package', 'Move it there first.');
  if (call.text('image')?.endsWith('.wasm') === true)
    throw usageError(
      '--save cannot save a module',
      "Allow it in the repository's spec.functions, and name the image that it stands for.",
    );
  return { list: type === 'validator' ? 'validators' : 'mutators', configPath };
}

/**
 * The package with the function in its pipeline: in place of the entry of the same image, else at the end, as kpt does.
 * Everything else of the Kptfile stays as it is written. Throws `KPTFILE_MISSING`.
 */
export function withFunction(
  files: PackageFiles,
  spec: FunctionSpec,
  { list, configPath }: Saved,
): { readonly files: PackageFiles; readonly did: 'added' | 'updated' } {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) {
    throw new PorticoError('KPTFILE_MISSING', 'there is no Kptfile to save the function to', {
      blame: 'user',
      hint: 'Create it with portico init, or leave out --save.',
    });
  }
  const entries = readKptfile(kptfile.bytes).kptfile.pipeline[list];
  const at = entries.findIndex(
    ({ image }) => image !== undefined && fullImage(image) === fullImage(spec.image ?? ''),
  );
  const value: YamlValue = {
    image: fullImage(spec.image ?? ''),
    ...(spec.tag !== undefined && { tag: spec.tag }),
    ...(configPath !== undefined && { configPath }),
    ...(configPath === undefined && hasKeys(spec.configMap) && { configMap: { ...spec.configMap } }),
    ...(spec.selectors !== undefined && { selectors: spec.selectors.map((one) => ({ ...one })) }),
    ...(spec.exclude !== undefined && { exclude: spec.exclude.map((one) => ({ ...one })) }),
  };
  const path = at === -1 ? ['pipeline', list] : ['pipeline', list, at];
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kptfile.bytes);
  const edit =
    at === -1 && entries.length > 0
      ? ({ op: 'insert', document: 0, path, value } as const)
      : ({ op: 'set', document: 0, path, value: at === -1 ? [value] : value } as const);
  const bytes = new TextEncoder().encode(editYaml(text, [edit]));
  return {
    files: new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }]]),
    did: at === -1 ? 'added' : 'updated',
  };
}

/** kpt writes its short names as images of its catalog, at the catalog's newest address. */
function fullImage(image: string): string {
  return image.includes('/') ? image : `ghcr.io/kptdev/krm-functions-catalog/${image}`;
}

function hasKeys(map: Readonly<Record<string, string>> | undefined): boolean {
  return map !== undefined && Object.keys(map).length > 0;
}
