/**
 * What rendering needs of a function runtime (src/function provides it). A function is named as a Kptfile names it.
 */

import type { Remark } from '../../cel/judge.ts';
import type { Mutated } from '../../cel/mutate.ts';
import type { Policy } from '../../cel/policy.ts';
import type { Review } from '../../cel/review.ts';
import type { Refusal } from '../../error.ts';
import type { KrmObject } from './krm-object.ts';
import type { WorkBudget } from './work-budget.ts';

export interface FunctionSpec {
  readonly name?: string;
  readonly image?: string;
  readonly exec?: string;
  readonly tag?: string;
  readonly configMap?: Readonly<Record<string, string>>;
  readonly configPath?: string;
  readonly configRef?: ConfigRef;
  readonly selectors?: readonly Selector[];
  readonly exclude?: readonly Selector[];
}

/** The one resource of the package that is the functionConfig; what is absent matches all. */
export interface ConfigRef {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface Selector {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Severity = 'error' | 'warning' | 'info';

/** One result item, as in kpt's FunctionResult. */
export interface ResultItem {
  readonly message: string;
  readonly severity?: Severity;
  readonly resourceRef?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  /** The resource itself where `resourceRef` names the list around it. Never written to a FunctionResultList. */
  readonly subject?: ResultItem['resourceRef'];
  readonly field?: {
    readonly path: string;
    readonly currentValue?: unknown;
    readonly proposedValue?: unknown;
  };
  readonly file?: { readonly path: string; readonly index?: number };
  readonly tags?: Readonly<Record<string, string>>;
  /** Where exactly, for functions whose results say only the file. Never written to a FunctionResultList. */
  readonly place?: {
    readonly path: string;
    readonly index: number;
    /** Where to look when that is below `field.path`. */
    readonly field?: string;
    /** 1-based; where it is known without a field. */
    readonly line?: number;
  };
}

/** What a function answers. `items` undefined on failure; a failing function changes nothing. */
export interface FunctionOutput {
  readonly exitCode: number;
  readonly items?: readonly KrmObject[];
  readonly results: readonly ResultItem[];
  readonly stderr?: string;
  /** It ran with all that its user may do, for want of a sandbox: a sentence with the remedy. */
  readonly unconfined?: string;
  /** Why it could not be run at all (unknown function, runtime not allowed, time-out): a sentence with the remedy. */
  readonly refused?: Refusal;
}

/** What a policy says and, where it changes resources, what it makes of them; or why it could not be judged. */
export type Judgement =
  | { readonly remarks: readonly Remark[]; readonly objects?: Mutated['objects'] }
  | { readonly refused: NonNullable<FunctionOutput['refused']> };

/** A function that looks at one item at a time, with its configuration. */
export interface ItemFunction {
  /** The program and its version. */
  readonly key: string;
  /** Changes the item; gives what there is to tell of it, or undefined where the item has to be seen with the others. */
  readonly apply: (item: KrmObject) => unknown;
  /** The results for all items, from what was told of each, in their order. */
  readonly finish: (answers: readonly unknown[]) => readonly ResultItem[];
}

/** What a foreign function printed and how it ended; or its outcome, where nothing it printed is to be read. */
export type PrintedOutput =
  | { readonly printed: { readonly exitCode: number; readonly stdout: string; readonly stderr: string } }
  | { readonly output: Omit<FunctionOutput, 'items'> };

export interface FunctionRuntime {
  /** The function for one item at a time, where it is of that kind: then unchanged files need not be rendered again. */
  readonly each?: (
    spec: FunctionSpec,
    functionConfig: KrmObject | undefined,
    budget: WorkBudget,
  ) => ItemFunction | undefined;
  run(
    spec: FunctionSpec,
    input: {
      readonly items: readonly KrmObject[];
      readonly functionConfig?: KrmObject;
      /** CustomResourceDefinitions from elsewhere. Only built-in functions see them; nobody changes them. */
      readonly definitions?: readonly KrmObject[];
      /** Counts the work of all functions of a render; absent: this one has a budget of its own. */
      readonly budget?: WorkBudget;
    },
    signal?: AbortSignal,
  ): Promise<FunctionOutput>;
  /**
   * The part of `run` that starts a process: a foreign function is given the text of its ResourceList, and what it prints
   * is not read. Whoever prints and reads such texts elsewhere asks for this part alone.
   */
  readonly print?: (spec: FunctionSpec, list: string, signal?: AbortSignal) => Promise<PrintedOutput>;
  /** The same runtime with foreign functions beside its own; absent where it can run none. */
  readonly withForeign?: (foreign: ForeignFunctions) => FunctionRuntime;
  /** Judges a compiled policy of Rego within limits of time and memory; absent where none may run. */
  readonly judgeRego?: (module: RegoModule, review: Review, signal?: AbortSignal) => Promise<Judgement>;
  /** Judges a policy of CEL within limits of time and memory; absent where policies cannot be judged. */
  readonly judge?: (policy: Policy, review: Review, signal?: AbortSignal) => Promise<Judgement>;
}

/** A Rego policy that OPA has compiled to WebAssembly. */
export interface RegoModule {
  /** Name of the file, for messages. */
  readonly file: string;
  /** Lower-case hex; the bytes are held against it before they run. */
  readonly sha256: string;
  /** Null where the file is not there. */
  readonly bytes: Uint8Array | null;
  /** The rule that decides, such as `k8s/deny`; absent: those named deny, violation, warn or allow, or the only one. */
  readonly entrypoint?: string;
}

/** What a repository allows beside the built-in functions, read from its base branch. */
export interface ForeignFunctions {
  readonly allowed: readonly ForeignFunction[];
  /** True where guardrails are compiled policies: they are somebody's programs too. */
  readonly policies?: boolean;
  /** Why none of them may run here, a sentence; they are then refused with it. */
  readonly denied?: string;
}

/** One allowed function. */
export interface ForeignFunction {
  /** As Kptfiles name it, such as `docker.io/nephio/nad-fn:v1`. */
  readonly image: string;
  readonly code:
    | {
        readonly kind: 'wasm';
        /** Name of the file, for messages. */
        readonly file: string;
        /** Lower-case hex; the bytes are held against it before they run. */
        readonly sha256: string;
        /** Null where the file is not there. */
        readonly bytes: Uint8Array | null;
      }
    /** `reference` has a digest. */
    | { readonly kind: 'container'; readonly reference: string };
  /** Seconds that one run may take. */
  readonly timeoutSeconds?: number;
  /** MiB of memory that one run may hold. */
  readonly memoryMi?: number;
}
