/** What the functions of one package may do together, so that many cheap ones are no way round the limit of one. */
import { PorticoError } from '../../error.ts';

/** Functions of a package and its subpackages together; real packages have some ten. */
export const MAX_FUNCTIONS = 500;

/**
 * Steps of all Starlark scripts of a package, as src/function/starlark counts them: about two seconds of a processor.
 * One script may take a fifth of them.
 */
export const MAX_SCRIPT_STEPS = 50_000_000;

/** Bytes that all Starlark scripts of a package may make, freed ones too: collecting them takes time as well. */
const MAX_SCRIPT_BYTES = 1024 * 1024 * 1024;

/**
 * Characters of text times instructions of a pattern, for all regular expressions and globs that run over a package: at
 * worst about three seconds of a processor. A pattern of 30 instructions over every field of 10,000 resources stays below.
 */
const MAX_MATCHING = 250_000_000;

/**
 * Characters that functions may copy from resource to resource, or put into values, in one package. A field that is
 * copied into itself doubles each time, so that what goes in says nothing about what comes out.
 */
export const MAX_COPIED = 32 * 1024 * 1024;

/** Characters of resources that functions are given, counted again for each function. */
const MAX_SEEN = 2 * 1024 * 1024 * 1024;

/** Characters of the results of one function: they become annotations, comments and lists. */
export const MAX_RESULT_CHARACTERS = 16 * 1024 * 1024;

/** Characters of one resource and of all resources of a package after a function, with 32 for each field. */
export const MAX_RESOURCE_SIZE = 16 * 1024 * 1024;
export const MAX_RESOURCES_SIZE = 192 * 1024 * 1024;

const LIMITS = {
  functions: {
    most: MAX_FUNCTIONS,
    code: 'TOO_MANY_FUNCTIONS',
    what: `The package and its subpackages run more than ${MAX_FUNCTIONS} functions.`,
    hint: 'Combine them into fewer functions, or split the package.',
  },
  scriptSteps: {
    most: MAX_SCRIPT_STEPS,
    code: 'SCRIPT_LIMIT',
    what: `The Starlark scripts of the package take more than ${MAX_SCRIPT_STEPS} steps together.`,
    hint: 'Make the scripts cheaper, or split the package.',
  },
  scriptBytes: {
    most: MAX_SCRIPT_BYTES,
    code: 'SCRIPT_LIMIT',
    what: `The Starlark scripts of the package make more than ${MAX_SCRIPT_BYTES / 1024 / 1024} MiB of values together.`,
    hint: 'Let the scripts make fewer and smaller values, or split the package.',
  },
  matching: {
    most: MAX_MATCHING,
    code: 'MATCHING_LIMIT',
    what: `The patterns of the package's functions take too long: more than ${MAX_MATCHING} steps together.`,
    hint: 'Use shorter patterns with fewer repetitions, or select fewer resources.',
  },
  copied: {
    most: MAX_COPIED,
    code: 'COPY_LIMIT',
    what: `The package's functions copy more than ${MAX_COPIED / 1024 / 1024} MiB from field to field.`,
    hint: 'A field that is copied into itself doubles each time: copy smaller values, or fewer times.',
  },
  seen: {
    most: MAX_SEEN,
    code: 'FUNCTION_INPUT_LIMIT',
    what: `The package's functions are given more than ${MAX_SEEN / 1024 / 1024} MiB of resources, counted for each function.`,
    hint: 'Select fewer resources for each function, or split the package.',
  },
} as const;

export type Work = keyof typeof LIMITS;

/** Work of each kind. */
export type Amounts = Readonly<Record<Work, number>>;

const KINDS = Object.keys(LIMITS) as Work[];

/** Counts the work of one render. Deterministic: the same package meets the same limit on every machine. */
export class WorkBudget {
  private readonly spent: Record<Work, number> = {
    functions: 0,
    scriptSteps: 0,
    scriptBytes: 0,
    matching: 0,
    copied: 0,
    seen: 0,
  };

  /** @throws PorticoError with the limit's code where there is no more of it; `where` names the place */
  spend(kind: Work, amount: number, where?: string): void {
    this.spent[kind] += amount;
    const { most, code, what, hint } = LIMITS[kind];
    if (this.spent[kind] > most)
      throw new PorticoError(code, where === undefined ? what : `${where}: ${what}`, { blame: 'user', hint });
  }

  /** How much is left. */
  left(kind: Work): number {
    return Math.max(0, LIMITS[kind].most - this.spent[kind]);
  }

  /** Whether there is so much left of everything. */
  has(amounts: Amounts): boolean {
    return KINDS.every((kind) => amounts[kind] <= this.left(kind));
  }

  add(amounts: Amounts): void {
    for (const kind of KINDS) this.spent[kind] += amounts[kind];
  }

  used(): Amounts {
    return { ...this.spent };
  }

  /** What was used since `used` gave an answer. */
  since(before: Amounts): Amounts {
    const amounts = this.used() as Record<Work, number>;
    for (const kind of KINDS) amounts[kind] -= before[kind];
    return amounts;
  }
}
