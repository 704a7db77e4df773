import type { FunctionOutput, FunctionRuntime, FunctionSpec } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { createCelPool, sharedCelPool, type CelLimits } from './cel-pool.ts';
import { runExec } from './exec.ts';
import { parseImage } from './image.ts';
import { lookUp } from './registry.ts';
import type { Lookup } from './registry.ts';

export interface RuntimeOptions {
  /** Let `exec:` entries start programs. Only for a person's own terminal, never for a server. */
  readonly allowExec?: boolean;
  /** Where exec programs run; the process' own directory when absent. */
  readonly workingDirectory?: string;
  /** Environment of exec programs; the process' own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one exec function may take (default 5 minutes, as kpt's). */
  readonly timeout?: number;
  /** Bytes of output that one exec function may print (default 32 MiB). */
  readonly outputLimit?: number;
  /** Limits of policies; all runtimes without share their processes. */
  readonly cel?: CelLimits;
}

/** The runtime that knows the built-in functions, and programs where `allowExec` says so; anything else is refused. */
export function createRuntime(options: RuntimeOptions = {}): FunctionRuntime {
  const pool = options.cel && createCelPool(options.cel);
  return {
    judge: (policy, review, signal) => (pool ?? sharedCelPool()).judge(policy, review, signal),
    async run(spec, input, signal) {
      signal?.throwIfAborted();
      if (spec.exec !== undefined) {
        return options.allowExec === true
          ? runExec(spec.exec, input, options, signal)
          : refuseExec(spec.exec);
      }
      const lookup = lookUp(spec.image ?? spec.name ?? '', spec.tag);
      if (lookup.found !== 'builtin') return refuseImage(spec, lookup);
      return runBuiltin(lookup, input, patchOf(spec));
    },
  };
}

async function runBuiltin(
  { name, version, run }: Lookup & { readonly found: 'builtin' },
  input: { readonly items: readonly KrmObject[]; readonly functionConfig?: KrmObject },
  patch: number | undefined,
): Promise<FunctionOutput> {
  try {
    const {
      items,
      results,
      exitCode = 0,
      stderr,
    } = await run({
      ...input,
      items: [...input.items],
      version,
      ...(patch === undefined ? {} : { patch }),
    });
    return {
      exitCode,
      results,
      ...(items === undefined || exitCode !== 0 ? {} : { items }),
      ...(stderr === undefined ? {} : { stderr }),
    };
  } catch (error) {
    // What a package holds must not take the process down: a function that trips over it has failed.
    const message = `${name} failed on an unexpected value: ${error instanceof Error ? error.message : String(error)}`;
    return { exitCode: 1, results: [{ message, severity: 'error' }], stderr: message };
  }
}

/** The patch release that an image pins. */
function patchOf(spec: FunctionSpec): number | undefined {
  const tag = spec.tag ?? parseImage(spec.image ?? '').tag ?? '';
  const patch = /^v?\d+\.\d+\.(\d+)$/.exec(tag)?.[1];
  return patch === undefined ? undefined : Number(patch);
}

const WAYS =
  'There are three ways: use a function and version that is built in (docs/functions.md lists them); ' +
  'run Portico where its image may be started as a container, which this version cannot do yet; ' +
  'or render on your own machine with kpt and push the outcome.';

const EXEC_WAYS =
  'There are three ways: use a built-in function instead of the program (docs/functions.md lists them); ' +
  'pack the program as an image, for a Portico that may start containers; ' +
  'or render on your own machine with portico render --allow-exec and push the outcome.';

function refuseImage(spec: FunctionSpec, lookup: Exclude<Lookup, { found: 'builtin' }>): FunctionOutput {
  const image = spec.image ?? spec.name ?? '';
  const asked = spec.tag === undefined ? image : `${image} (tag ${spec.tag})`;
  if (lookup.found === 'version') {
    const message = `${asked} cannot run here: of ${lookup.name}, ${lookup.known.join(' and ')} is built in.`;
    return refuse('FUNCTION_VERSION_UNKNOWN', message, WAYS);
  }
  return refuse(
    'FUNCTION_UNKNOWN',
    `${asked} cannot run here: it is not built in, and containers cannot be started here.`,
    WAYS,
  );
}

function refuseExec(program: string): FunctionOutput {
  const message = `The program ${JSON.stringify(program.slice(0, 200))} cannot run here: exec is not allowed.`;
  return refuse('EXEC_NOT_ALLOWED', message, EXEC_WAYS);
}

function refuse(code: string, message: string, hint: string): FunctionOutput {
  return { exitCode: 1, results: [], refused: { code, message, hint } };
}
