import { PorticoError } from '../error.ts';

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

export interface Selector {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PipelineFunction {
  readonly image?: string;
  readonly exec?: string;
  readonly tag?: string;
  readonly name?: string;
  readonly configPath?: string;
  readonly configMap?: Readonly<Record<string, string>>;
  readonly selectors?: readonly Selector[];
  readonly exclude?: readonly Selector[];
}

export interface Pipeline {
  readonly mutators: readonly PipelineFunction[];
  readonly validators: readonly PipelineFunction[];
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

/**
 * Reads a Kptfile. What cannot be used is left out and named in `problems`; fields that kpt does not know are
 * tolerated and named. Throws `KPTFILE_INVALID` only when the bytes are not one YAML map.
 */
export function readKptfile(_bytes: Uint8Array): { kptfile: Kptfile; problems: readonly KptfileProblem[] } {
  throw new PorticoError('NOT_YET', 'readKptfile');
}

/** Sets or, with null, removes `upstream` and `upstreamLock`; a part that is not given stays. */
export function withUpstream(
  _bytes: Uint8Array,
  _change: { readonly upstream?: Upstream | null; readonly upstreamLock?: UpstreamLock | null },
): Uint8Array {
  throw new PorticoError('NOT_YET', 'withUpstream');
}

/** Sets `metadata.name`. */
export function withName(_bytes: Uint8Array, _name: string): Uint8Array {
  throw new PorticoError('NOT_YET', 'withName');
}

/** Sets the condition of that type in `status.conditions`, in place or at the end; nothing changes when it is equal. */
export function withCondition(_bytes: Uint8Array, _condition: Condition): Uint8Array {
  throw new PorticoError('NOT_YET', 'withCondition');
}
