export interface ActionsSettings {
  /** Names of the jobs, which are the names of their runs. */
  readonly jobs: readonly string[];
  /** Context of a commit status that an older CI reports beside them. */
  readonly status?: string;
  /** Milliseconds from the push until the runs appear, and from there until they end. */
  readonly beginsAfter: number;
  readonly endsAfter: number;
  readonly conclusion: 'success' | 'failure';
}

export interface FluxSettings {
  readonly tool: 'flux';
  readonly kind: 'Kustomization' | 'HelmRelease';
  readonly name: string;
  /** UID of the `Provider` that posts. */
  readonly providerUid: string;
}

export interface ArgoSettings {
  readonly tool: 'argocd';
  readonly application: string;
  /** A commit status, or a check run, as its template says. */
  readonly form: 'status' | 'check-run';
}

export type GitOpsSettings = (FluxSettings | ArgoSettings) & {
  /** Milliseconds between a push and its reconciliation; pushes within it are reconciled as one, and only the last is reported. */
  readonly after: number;
  readonly state: 'success' | 'failure';
};
