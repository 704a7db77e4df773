import type { FunctionSpec } from './render/function-runtime.ts';

export interface GitLocation {
  readonly repo: string;
  readonly directory: string;
  readonly ref: string;
}

export interface Upstream {
  readonly type: string;
  readonly git?: GitLocation;
  readonly updateStrategy?: string;
}

export interface UpstreamLock {
  readonly type: string;
  readonly git?: GitLocation & { readonly commit: string };
}

export interface Pipeline {
  readonly mutators: readonly FunctionSpec[];
  readonly validators: readonly FunctionSpec[];
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Kptfile {
  readonly apiVersion: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly upstream?: Upstream;
  readonly upstreamLock?: UpstreamLock;
  readonly info: {
    readonly description?: string;
    readonly site?: string;
    readonly keywords?: readonly string[];
    readonly readinessGates: readonly { readonly conditionType: string }[];
  };
  readonly pipeline: Pipeline;
  readonly conditions: readonly Condition[];
}

/** Something about a Kptfile that somebody should look at. `error` means that kpt would refuse the file. */
export interface KptfileProblem {
  readonly severity: 'error' | 'warning';
  /** Field path, '' for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly line?: number;
}
