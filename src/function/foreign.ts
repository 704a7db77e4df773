/** Functions that are not built in: which of those that a repository allows an entry means, and running it. */
import type { ErrorCode } from '../error-code.ts';
import type {
  ForeignFunction,
  ForeignFunctions,
  FunctionSpec,
  PrintedOutput,
} from '../package/render/function-runtime.ts';
import { fewAtATime } from '../processes/few-at-a-time.ts';
import { runContainer } from './container/run-container.ts';
import type { ContainerSettings } from './container/settings.ts';
import { parseImage } from './image.ts';
import { refused } from './sandbox/answer.ts';
import { CONTAINER_LIMITS, limitsFor, RENDER_MS, WASM_LIMITS } from './sandbox/limits.ts';
import type { Limits } from './sandbox/limits.ts';
import { runWasm } from './wasm/run-wasm.ts';

/** Where kpt looks for short names. */
const SHORT_PREFIX = 'ghcr.io/kptdev/krm-functions-catalog';

/** How many of them run at the same time in this process. */
const MAX_CONCURRENT = 4;

export interface ForeignOptions {
  readonly containers?: ContainerSettings;
  /** In the place of the usual limits. */
  readonly limits?: Partial<Limits>;
}

/** The allowed function that an entry of a pipeline names, by tag or by digest. */
export function findAllowed(spec: FunctionSpec, { allowed }: ForeignFunctions): ForeignFunction | undefined {
  const asked = fullName(spec.image ?? '', spec.tag);
  if (asked === undefined) return undefined;
  return allowed.find(({ image, code }) => {
    if (fullName(image) === asked) return true;
    return (
      code.kind === 'container' && asked.includes('@') && withoutTag(code.reference) === withoutTag(asked)
    );
  });
}

/** Runs one on the text of a ResourceList. */
export type ForeignRunner = (
  found: ForeignFunction,
  list: string,
  signal?: AbortSignal,
) => Promise<PrintedOutput>;

/** Runs allowed functions; one instance for each render, whose time is counted together. */
export function createForeignRunner(options: ForeignOptions): ForeignRunner {
  let used = 0;
  return async ({ image, code, ...asked }, list, signal) => {
    const standard = code.kind === 'wasm' ? WASM_LIMITS : CONTAINER_LIMITS;
    const own = { ...limitsFor(standard, asked), ...options.limits };
    const left = RENDER_MS - used;
    if (left <= 0) {
      const output = refused({
        code: 'FUNCTION_TIME_BUDGET',
        message: `${image} was not run: the functions of this render have taken ${RENDER_MS / 60_000} minutes together.`,
        hint: 'Make the functions faster, or divide the package.',
      });
      return { output };
    }
    const limits = { ...own, timeoutMs: Math.min(own.timeoutMs, left) };
    if (code.kind === 'container' && options.containers === undefined) {
      return { output: refused(containersOff(image)) };
    }
    return oneOfFew(async () => {
      const begun = performance.now();
      try {
        if (code.kind === 'wasm') return await runWasm(code, list, limits, signal);
        const settings = options.containers;
        if (settings === undefined) return { output: refused(containersOff(image)) };
        const run = { reference: code.reference, stdin: list, limits, signal };
        if (settings.kind !== 'kubernetes') return await runContainer({ ...run, settings });
        const { runJob } = await import('./cluster/run-job.ts');
        return await runJob({ ...run, settings });
      } finally {
        used += performance.now() - begun;
      }
    });
  };
}

function containersOff(image: string): { code: ErrorCode; message: string; hint: string } {
  return {
    code: 'CONTAINERS_OFF',
    message: `${image} cannot run here: the repository allows it as a container, and containers are off here.`,
    hint:
      'You have three options: ask the operator of Portico to set PORTICO_CONTAINERS (docs/functions.md); provide the function as ' +
      'a WebAssembly module; or render on your own machine with kpt and push the outcome.',
  };
}

function fullName(image: string, tag?: string): string | undefined {
  const parsed = parseImage(image);
  if (parsed.name === '') return undefined;
  const prefix = parsed.prefix === '' ? SHORT_PREFIX : parsed.prefix;
  if (parsed.digest !== undefined) return `${prefix}/${parsed.name}@${parsed.digest}`;
  return `${prefix}/${parsed.name}:${tag ?? parsed.tag ?? 'latest'}`;
}

function withoutTag(reference: string): string {
  const { prefix, name, digest } = parseImage(reference);
  return `${prefix}/${name}@${digest ?? ''}`;
}

/** Waits for a free place; a render that is aborted meanwhile finds out when its turn comes. */
export const oneOfFew = fewAtATime(MAX_CONCURRENT);
