/** What an entry of `functions` may say: a function that is not built in, and what stands for it. */
import { z } from 'zod';

import { pathProblem } from '../package/limits.ts';
import { custom, text } from './checked-text.ts';
import type { AllowedFunction } from './function-config.ts';

const DIGEST = /^[A-Za-z0-9][\w.\-/:]{0,254}@sha256:[0-9a-f]{64}$/;

const image = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.\-/:@]{0,254}$/,
    'must be an image as written in Kptfiles, such as example.com/fn/label:v1',
  )
  .meta({ description: 'Function image, as written in Kptfiles.' });

const wasm = text(pathProblem).meta({
  description: 'WebAssembly module (WASI preview 1) in this repository, from its root.',
});

const allowedFunction = z
  .strictObject({
    image,
    wasm: wasm.optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the sha256 of the module: 64 lower-case hexadecimal digits')
      .optional()
      .meta({ description: 'Digest of the module; another one does not run.' }),
    container: z
      .string()
      .regex(DIGEST, 'must be an image with its digest, such as example.com/fn/label@sha256:…')
      .optional()
      .meta({
        description: 'Container image with its digest. Runs where the installation allows containers.',
      }),
    timeoutSeconds: z.int().min(1).max(600).optional().meta({ description: 'For one run.', default: 60 }),
    memoryMi: z
      .int()
      .min(16)
      .max(4096)
      .optional()
      .meta({ description: 'MiB for one run; 256 for a module, 512 for a container.' }),
  })
  .check((ctx) => {
    const { image, wasm, sha256, container } = ctx.value;
    const [, digest] = image.split('@');
    if (digest !== undefined && container?.endsWith(`@${digest}`) !== true) {
      const message = 'has a digest, which only container with the same digest can provide; use a tag';
      ctx.issues.push(custom(ctx.value, message, ['image']));
    }
    if ((wasm === undefined) === (container === undefined)) {
      ctx.issues.push(custom(ctx.value, 'needs either wasm or container'));
    }
    if ((wasm === undefined) !== (sha256 === undefined)) {
      const message = wasm === undefined ? 'belongs to wasm only' : 'is missing; wasm needs it';
      ctx.issues.push(custom(ctx.value, message, ['sha256']));
    }
  });

export const allowedFunctions = z
  .array(allowedFunction)
  .max(100)
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [at, entry] of ctx.value.entries()) {
      if (seen.has(entry.image)) {
        const message = `must be unique, but ${entry.image} is listed twice`;
        ctx.issues.push(custom(entry, message, [at, 'image']));
      }
      seen.add(entry.image);
    }
  })
  .meta({ description: 'Functions that may run here in addition to the built-in ones.' });

/** The checked entries as the configuration has them. */
export function toAllowedFunctions(written: z.infer<typeof allowedFunctions>): AllowedFunction[] {
  return written.map(({ image, wasm, sha256, container, timeoutSeconds, memoryMi }) => ({
    image,
    ...(wasm !== undefined && sha256 !== undefined && { wasm: { file: wasm, sha256 } }),
    ...(container !== undefined && { container }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(memoryMi !== undefined && { memoryMi }),
  }));
}
