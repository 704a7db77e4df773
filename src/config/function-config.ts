/** From the functions that a configuration allows to those that a runtime runs. */
import type { ForeignFunction, ForeignFunctions } from '../package/render/function-runtime.ts';

/** A function that is not built in; either `wasm` or `container`. */
export interface AllowedFunction {
  /** As Kptfiles name it. */
  readonly image: string;
  /** A module in the repository, named from its root. */
  readonly wasm?: { readonly file: string; readonly sha256: string };
  /** An image with its digest. */
  readonly container?: string;
  readonly timeoutSeconds?: number;
  readonly memoryMi?: number;
}

/** Reads the modules with `read`, which gives null for a file that is not there. */
export async function loadAllowedFunctions(
  functions: readonly AllowedFunction[],
  read: (file: string) => Promise<Uint8Array | null>,
): Promise<ForeignFunctions> {
  const allowed: ForeignFunction[] = [];
  for (const { wasm, container, ...rest } of functions) {
    if (wasm !== undefined)
      allowed.push({ ...rest, code: { kind: 'wasm', ...wasm, bytes: await read(wasm.file) } });
    else if (container !== undefined)
      allowed.push({ ...rest, code: { kind: 'container', reference: container } });
  }
  return { allowed };
}
