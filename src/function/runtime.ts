import type { ErrorCode } from '../error-code.ts';
import { PorticoError } from '../error.ts';
import { closestWord } from '../package/closest-word.ts';
import type {
  ForeignFunctions,
  FunctionOutput,
  FunctionRuntime,
  FunctionSpec,
  ItemFunction,
  PrintedOutput,
} from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { WorkBudget } from '../package/render/work-budget.ts';
import { isOrAre } from '../text/counted.ts';
import { shortenValue } from '../text/cut-text.ts';
import { withoutEnd } from '../text/ends.ts';
import type { ForeignRunner } from './foreign.ts';
import { isCatalog, parseImage } from './image.ts';
import { builtinFunctions, lookUp } from './registry.ts';
import type { Lookup } from './registry.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import type { FunctionInput } from './sandbox/answer.ts';
import { WASM_LIMITS } from './sandbox/limits.ts';

const NOTHING_ALLOWED: ForeignFunctions = { allowed: [] };

/**
 * The runtime that knows the built-in functions, and programs where `allowExec` says so. `withForeign` gives one for
 * a single render that knows what a repository allows, too. Anything else is refused, with the ways to go on.
 */
export function createRuntime(options: RuntimeOptions = {}): FunctionRuntime {
  return runtimeWith(options, NOTHING_ALLOWED);
}

function runtimeWith(options: RuntimeOptions, foreign: ForeignFunctions): FunctionRuntime {
  const runForeign = lazyRunner(options);
  const fullSpec = (spec: FunctionSpec): FunctionSpec => withPrefix(spec, options.imagePrefix, foreign);
  const print: NonNullable<FunctionRuntime['print']> = async (asked, list, signal) => {
    const spec = fullSpec(asked);
    const { findAllowed } = await import('./foreign.ts');
    const found = findAllowed(spec, foreign);
    if (found === undefined) return { output: refuseUnknown(spec) };
    if (found.code.kind === 'wasm' && (await lacksSandbox(options)))
      return { output: refuse('SANDBOX_MISSING', `${found.image} was not run: ${NO_SANDBOX}`, SANDBOX_WAYS) };
    return foreign.denied === undefined
      ? runForeign(found, list, signal)
      : { output: refuse('FUNCTION_NOT_HERE', `${found.image} was not run: ${foreign.denied}`, DENIED_WAYS) };
  };
  return {
    async run(asked, input, signal) {
      signal?.throwIfAborted();
      const spec = fullSpec(asked);
      if (spec.exec !== undefined) {
        if (options.allowExec !== true) return refuseExec(spec.exec);
        const { runExec } = await import('./exec.ts');
        return runExec(spec.exec, input, options, signal);
      }
      const lookup = lookUp(spec.image ?? spec.name ?? '', spec.tag);
      if (lookup.found === 'builtin') return runBuiltin(lookup, input, patchOf(spec));
      return runPrinted((list) => print(spec, list, signal), input);
    },
    print,
    withForeign: (allowed) => runtimeWith(options, allowed),
    each: (spec, config, budget) => readEach(fullSpec(spec), config, budget),
    async judgeRego(module, review, signal) {
      signal?.throwIfAborted();
      if (foreign.denied !== undefined) {
        const message = `${module.file} was not judged: ${foreign.denied}`;
        return { refused: { code: 'FUNCTION_NOT_HERE', message, hint: REGO_WAYS } };
      }
      if (await lacksSandbox(options)) {
        const message = `${module.file} was not judged: ${NO_SANDBOX}`;
        return { refused: { code: 'SANDBOX_MISSING', message, hint: SANDBOX_WAYS } };
      }
      const [{ judgeRego }, { oneOfFew }] = await Promise.all([
        import('./rego/judge-rego.ts'),
        import('./foreign.ts'),
      ]);
      const limits = { ...WASM_LIMITS, ...options.foreignLimits };
      return oneOfFew(() => judgeRego(module, review, limits, signal));
    },
    async judge(policy, review, signal) {
      const { sharedCelPool } = await import('./cel-pool.ts');
      return sharedCelPool().judge(policy, review, signal);
    },
  };
}

async function lacksSandbox({ needsSandbox, hasSandbox }: RuntimeOptions): Promise<boolean> {
  if (needsSandbox !== true) return false;
  if (hasSandbox !== undefined) return !(await hasSandbox());
  const { hasBubblewrap } = await import('./sandbox/bubblewrap.ts');
  return !(await hasBubblewrap());
}

/** A short name gets the prefix, unless the repository or the user allows exactly that name. */
export function withPrefix(
  spec: FunctionSpec,
  prefix: string | undefined,
  { allowed }: ForeignFunctions,
): FunctionSpec {
  const { image } = spec;
  if (prefix === undefined || prefix === '' || image === undefined || parseImage(image).prefix !== '')
    return spec;
  if (allowed.some((one) => one.image === image)) return spec;
  return { ...spec, image: `${withoutEnd(prefix, '/')}/${image}` };
}

const NO_SANDBOX = 'this server has no sandbox that denies WebAssembly the network.';

const SANDBOX_WAYS =
  'The operator of Portico must install bubblewrap where it may create namespaces, or set PORTICO_WASM_SANDBOX=optional.';

/** True for what runs without a process of its own. */
export function isBuiltin(spec: FunctionSpec): boolean {
  return spec.exec === undefined && lookUp(spec.image ?? spec.name ?? '', spec.tag).found === 'builtin';
}

/** A built-in function for one item at a time; undefined for all others, and where it would fail. */
function readEach(
  spec: FunctionSpec,
  functionConfig: KrmObject | undefined,
  budget: WorkBudget,
): ItemFunction | undefined {
  if (spec.exec !== undefined) return undefined;
  const lookup = lookUp(spec.image ?? spec.name ?? '', spec.tag);
  if (lookup.found !== 'builtin' || lookup.each === undefined) return undefined;
  const { name, version } = lookup;
  const patch = patchOf(spec);
  try {
    const found = lookup.each({
      version,
      budget,
      ...(functionConfig === undefined ? {} : { functionConfig }),
      ...(patch === undefined ? {} : { patch }),
    });
    return found && { ...found, key: `${name} ${version} ${patch ?? ''}` };
  } catch (error) {
    // Its run fails in the same way, and its failure is told there.
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}

/** A foreign function: its ResourceList is printed, and what it answers is read. */
export async function runPrinted(
  print: (list: string) => Promise<PrintedOutput>,
  input: FunctionInput,
): Promise<FunctionOutput> {
  const [{ printResourceList }, { readPrinted }] = await Promise.all([
    import('./resource-list.ts'),
    import('./sandbox/answer.ts'),
  ]);
  return readPrinted(await print(printResourceList(input)), input.items);
}

/** Most renders need none of it, and need not load it. */
function lazyRunner(options: RuntimeOptions): ForeignRunner {
  let runner: ForeignRunner | undefined;
  return async (...run) => {
    if (runner === undefined) {
      const { createForeignRunner } = await import('./foreign.ts');
      runner = createForeignRunner({
        ...(options.containers === undefined ? {} : { containers: options.containers }),
        ...(options.foreignLimits === undefined ? {} : { limits: options.foreignLimits }),
      });
    }
    return runner(...run);
  };
}

async function runBuiltin(
  { name, version, run }: Lookup & { readonly found: 'builtin' },
  input: Parameters<FunctionRuntime['run']>[1],
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
      budget: input.budget ?? new WorkBudget(),
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
    if (error instanceof PorticoError) {
      const { code, message: reason, hint = '' } = error;
      const message = `${name}: ${reason} ${hint}`.trim();
      return { exitCode: 1, results: [{ message, severity: 'error', tags: { code } }], stderr: message };
    }
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
  'Use a function and version that is built in (docs/functions.md), allow the image as WebAssembly or a container ' +
  'under spec.functions on the base branch, or render on your own machine with kpt.';

const DENIED_WAYS =
  'Use a function that is built in (docs/functions.md), propose the change from a branch of this repository, or ' +
  'render on your own machine with kpt.';

const REGO_WAYS =
  'Propose the change from a branch of this repository, or write the policy in CEL, which runs here too ' +
  '(docs/policies.md).';

const EXEC_WAYS =
  'Use a built-in function (docs/functions.md), allow the program as an image under spec.functions of the ' +
  'configuration, or render on your own machine with portico render --allow-exec.';

function refuseUnknown(spec: FunctionSpec): FunctionOutput {
  const lookup = lookUp(spec.image ?? spec.name ?? '', spec.tag);
  return lookup.found === 'builtin'
    ? refuse('FUNCTION_BUILTIN', `${lookup.name} is built in.`, 'It runs without a process of its own.')
    : refuseImage(spec, lookup);
}

function refuseImage(spec: FunctionSpec, lookup: Exclude<Lookup, { found: 'builtin' }>): FunctionOutput {
  const image = spec.image ?? spec.name ?? '';
  const asked = spec.tag === undefined ? image : `${image} (tag ${spec.tag})`;
  if (lookup.found === 'version') {
    const message = `${asked} cannot run here: of ${lookup.name}, ${lookup.known.join(' and ')} ${isOrAre(lookup.known.length)} built in.`;
    return refuse('FUNCTION_VERSION_UNKNOWN', message, WAYS);
  }
  if (lookup.found === 'digest') {
    const message = `${asked} cannot run here: the digest names exact content, and the built-in ${lookup.name} is not known to be that content.`;
    return refuse(
      'FUNCTION_VERSION_UNKNOWN',
      message,
      `To use the built-in function, remove the digest. ${WAYS}`,
    );
  }
  return refuse(
    'FUNCTION_UNKNOWN',
    `${didYouMean(image)}${asked} cannot run here: it is not built in, and the repository does not allow it.`,
    WAYS,
  );
}

/** The built-in function whose name is nearly that of an image of the catalog. */
function didYouMean(image: string): string {
  const parsed = parseImage(image);
  const known = builtinFunctions();
  const near = isCatalog(parsed) ? closestWord(parsed.name, [...known.keys()]) : undefined;
  return near === undefined ? '' : `Did you mean ${near}:${known.get(near)?.at(-1) ?? ''}? `;
}

function refuseExec(program: string): FunctionOutput {
  const message = `The program ${JSON.stringify(shortenValue(program, 200))} cannot run here: exec is not allowed.`;
  return refuse('EXEC_NOT_ALLOWED', message, EXEC_WAYS);
}

function refuse(code: ErrorCode, message: string, hint: string): FunctionOutput {
  return { exitCode: 1, results: [], refused: { code, message, hint } };
}
