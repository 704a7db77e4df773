import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { PorticoError } from '../error.ts';
import type { ContainerSettings } from '../function/container/settings.ts';
import { createRuntime } from '../function/runtime.ts';
import type { ForeignFunctions, FunctionRuntime } from '../package/render/function-runtime.ts';
import type { Call } from './verb.ts';

/** The runtime of a verb: programs where asked for, containers where the environment names how. */
export async function runtimeOf(
  call: Call,
  { allowExec, foreign }: { readonly allowExec: boolean; readonly foreign: ForeignFunctions },
): Promise<FunctionRuntime> {
  const containers = await containersHere();
  const prefix = imagePrefixOf(call);
  const runtime = createRuntime({
    allowExec,
    ...(prefix === '' ? {} : { imagePrefix: prefix }),
    workingDirectory: call.path('.'),
    ...(containers === undefined ? {} : { containers }),
  });
  return runtime.withForeign?.(foreign) ?? runtime;
}

/** The registry of images that name none, as the user or kpt's variable says it; '' for kpt's catalog. */
export function imagePrefixOf(call: Call): string {
  return call.text('image-prefix') ?? process.env['KPT_IMAGE_PREFIX'] ?? '';
}

/** `--image fn.wasm`: a module that the user names is one that he allows. Throws `WASM_MISSING`. */
export async function moduleOf(call: Call, image: string): Promise<ForeignFunctions['allowed'][number]> {
  const bytes = await readFile(call.path(image)).catch((cause: unknown) => {
    throw new PorticoError('WASM_MISSING', `${image} cannot be read`, {
      blame: 'user',
      cause,
      hint: 'Name a WebAssembly module, or an image such as set-labels:v0.2.',
    });
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { image, code: { kind: 'wasm', file: image, sha256, bytes } };
}

async function containersHere(): Promise<ContainerSettings | undefined> {
  if ((process.env['PORTICO_CONTAINERS'] ?? '') === '') return undefined;
  const { containerSettings } = await import('../function/container/settings.ts');
  return containerSettings(process.env);
}
