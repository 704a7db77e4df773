import type { Policy } from '../../cel/policy.ts';
import type { Refusal } from '../../error.ts';
import type { PackageFiles, ResourceRef } from '../package.ts';
import type { GuardrailExemption } from './exempt.ts';
import type { FunctionRuntime, FunctionSpec, RegoModule, ResultItem, Severity } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';
import type { RenderMemory } from './memory.ts';
import type { RenderContext } from './render-context.ts';

/** A function that the repository demands of every package, run after the package's own pipeline. */
export interface Guardrail {
  readonly name: string;
  readonly type: 'mutator' | 'validator';
  readonly mode: 'enforce' | 'warn' | 'dryrun';
  readonly spec: FunctionSpec;
  /** Wins over what the spec says: a configuration that does not come from the package. */
  readonly functionConfig?: KrmObject;
  /** CustomResourceDefinitions that a function of schemas is given beside those of the package. */
  readonly definitions?: readonly KrmObject[];
  /** Judged by CEL; then the spec names no function, and says only which resources are meant. */
  readonly policy?: Policy;
  /** Judged by a compiled policy of Rego instead. */
  readonly rego?: RegoModule;
  /** What `params` is in the policy, one judgement each; none: null. */
  readonly params?: readonly unknown[];
  /** What of its findings in this package does not count. */
  readonly exemptions?: readonly GuardrailExemption[];
  /** Only packages whose Kptfile has these labels, now or in the base. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface RenderInput {
  readonly files: PackageFiles;
  readonly runtime: FunctionRuntime;
  readonly guardrails?: readonly Guardrail[];
  /** For policies: where the package lies, and how it is in the base. */
  readonly context?: RenderContext;
  /** Files that a cluster reads otherwise fail, without guardrails too: a check says what comes out. */
  readonly judged?: boolean;
  readonly signal?: AbortSignal;
  /** Shared by renders of one process: what did not change since is not looked at again. */
  readonly memory?: RenderMemory;
  /** Called before each function, for progress. */
  readonly onStep?: (step: { readonly package: string; readonly function: string }) => void;
}

/** One finding on a place in the rendered files, ready to become a check annotation. */
export interface Finding {
  readonly severity: Severity;
  readonly message: string;
  /** Short name of the function, such as `kubeconform:v0.1`. */
  readonly function: string;
  /** Set when a guardrail and not the package's own pipeline says it. */
  readonly guardrail?: string;
  readonly file?: string;
  /** 1-based, of the named field where there is one, else of the resource. */
  readonly line?: number;
  readonly column?: number;
  readonly resource?: ResourceRef;
  readonly item: ResultItem;
}

/** One run of one function, in order. */
export interface FunctionRun {
  /** Directory of the package whose pipeline ran it, '.' for the root. */
  readonly package: string;
  readonly function: string;
  /** The entry of the pipeline that asked for it. */
  readonly spec?: FunctionSpec;
  readonly type: 'mutator' | 'validator';
  readonly guardrail?: string;
  /** Of a guardrail that holds nothing up, whatever it finds. */
  readonly mode?: 'warn' | 'dryrun';
  readonly exitCode: number;
  readonly results: readonly ResultItem[];
  readonly stderr?: string;
  /** Said as a warning: it ran without a sandbox. Never written to kpt's lists. */
  readonly unconfined?: string;
  readonly refused?: Refusal;
}

export interface RenderResult {
  /** False when a mutator failed, a validator found errors, or the package cannot be read. Guardrails in mode warn or dryrun never make it false. */
  readonly ok: boolean;
  /** The rendered package; the input's where a function failed, unless the Kptfile asks to save what there is. */
  readonly files: PackageFiles;
  /** Paths that differ from the input, sorted. */
  readonly changed: readonly string[];
  readonly runs: readonly FunctionRun[];
  readonly findings: readonly Finding[];
  /** A package that cannot be rendered at all (bad Kptfile, unreadable YAML): where and what to do. */
  readonly problem?: Refusal & { readonly file?: string; readonly line?: number };
}
