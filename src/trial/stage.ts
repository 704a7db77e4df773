import type { LoopSeen } from './loop-seen.ts';
import type { TrialRepository } from './repository.ts';
import type { Answer, Rest } from './rest.ts';

/** Rights that a row needs to set the scene and that app.yml does not ask for. */
export type ExtraRight = 'administration' | 'workflows';

/** Where rows are played: the App, and two repositories that hold nothing else. */
export interface TrialStage {
  readonly app: { readonly id: number; readonly slug: string };
  readonly organization: string;
  readonly installationId: number;
  readonly apiUrl: string;
  /** Before `/<owner>/<repo>.git`. */
  readonly gitUrl: string;
  /** Speaks as the App itself. */
  readonly asApp: Rest;
  /** Speaks with the rights of app.yml in the two repositories. */
  readonly rest: Rest;
  readonly blueprints: TrialRepository;
  readonly deployments: TrialRepository;
  readonly signal: AbortSignal;
  /** What every answer was until now. */
  readonly answers: readonly Pick<Answer, 'status' | 'headers'>[];
  readonly limitsMet: () => number;
  readonly startedAt: Date;
  /** A way with one right more, or null where the App does not have it: then the row is not seen. */
  readonly with: (right: ExtraRight) => Promise<Extra | null>;
  /** A token of its own with the rights of app.yml. */
  readonly freshToken: (repositoryIds?: readonly number[]) => Promise<Answer>;
  readonly restWith: (token: string) => Rest;
  readonly graphql: (document: string, variables: Readonly<Record<string, unknown>>) => Promise<Answer>;
  readonly wait: (ms: number) => Promise<void>;
  /** A name that no other row has. */
  readonly name: (what: string) => string;
  /** Whether Portico can read a webhook. */
  readonly readsPayload: (event: string, payload: unknown) => boolean;
  /** The whole life of a package, played once by Portico itself. */
  readonly loop: () => Promise<LoopSeen>;
}

export interface Extra {
  readonly rest: Rest;
  /** The first repository, pushed to with that right. */
  readonly blueprints: TrialRepository;
}
