/**
 * What the reconcilers need of the world: git, the forge, the queue, a clock. `main.ts` hands in what fits; nothing
 * here knows who implements it.
 */

import type { Catalog } from '../catalog/catalog.ts';
import type { FunctionRuntime } from '../package/render/function-runtime.ts';
import type { Keyring } from '../revision/keyring.ts';
import type { Content } from './content-port.ts';
import type { Forge } from './forge/forge.ts';
import type { Git, Person } from './git-port.ts';
import type { Job, Notice } from './job.ts';
import type { Memories } from './memories.ts';
import type { Registries } from './registry-port.ts';
import type { PackageSources } from './source-port.ts';
import type { Traces } from './trace-port.ts';

/** A repository as the forge names it; everything is keyed by the numeric id, names may change. */
export interface RepositoryRef {
  readonly installationId: number;
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

export interface RepositoryAccess {
  readonly ref: RepositoryRef;
  readonly git: Git;
  readonly forge: Forge;
  readonly demands: BranchDemands;
}

/** What the rules of a branch demand, as they were at most ten minutes ago; with `anew`, now. */
export type BranchDemands = (
  branch: string,
  options?: { readonly anew?: boolean },
  signal?: AbortSignal,
) => Promise<{
  /** By rulesets and by the branch's own protection; null where the forge does not tell one of them. */
  readonly requiredChecks: ReadonlySet<string> | null;
  /** False also where the forge does not tell. */
  readonly requiresSignatures: boolean;
  /** Whether a rule keeps every push out; null where the forge does not tell, as of what the branch's own protection demands. */
  readonly refusesPushes: boolean | null;
}>;

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** `guid` is the same for every attempt, `id` is of the latest. */
export interface FailedDelivery {
  readonly id: number;
  readonly guid: string;
}

/** A repository that nobody tells about. */
export interface OutsideGit extends Git {
  /** Asks for its refs, without fetching. Patterns are full refs, `*` allowed. */
  remoteRefs(
    patterns?: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, { readonly oid: string }>>;
}

/** A credential of the host that Portico runs on: its name, and the account of the repository that asks with it. */
export interface NamedCredential {
  readonly name: string;
  readonly owner: string;
}

/** What an address of a gate says; `why` repeats nothing that it answered. */
export type UrlAnswer = { readonly holds: true } | { readonly holds: false; readonly why: string };

export interface Ports {
  /** The index of all registered repositories. */
  readonly catalog: Catalog;
  /** Gives what was found here to the other processes, then takes over what they gave before: of two that do so, one at least sees the other's. */
  exchange(): Promise<void>;
  readonly memories: Memories;
  open(ref: RepositoryRef, signal?: AbortSignal): Promise<RepositoryAccess>;
  /**
   * A repository outside of every installation, by its https address, read as anyone may or with a credential of the host. Throws INVALID_URL,
   * SOURCE_CREDENTIALS where the credential may not be used, ADDRESS_REFUSED where it leads into an internal network, HOST_UNREACHABLE, and what git says of an address that cannot be read (`GIT_…`); GIT_MOVED, with
   * `{ movedTo }` as its cause, where it is at another now, which whoever asks has to judge.
   */
  openAddress(url: string, signal?: AbortSignal, credential?: NamedCredential): Promise<OutsideGit>;
  /** Stops the work on a pull request that is being done, here or in another process; false where there is none. */
  cancel(ref: RepositoryRef, number: number): Promise<boolean>;
  /** Every repository of every installation. */
  repositories(signal?: AbortSignal): Promise<readonly RepositoryRef[]>;
  /** The id of the repository that has this name, or had it and no other took it; null where Portico is not in it. */
  repositoryAt(owner: string, name: string, signal?: AbortSignal): Promise<number | null>;
  /** Throws away what is kept here of every other repository: Portico was taken out of it, or it is gone. */
  pruneMirrors(present: ReadonlySet<number>): Promise<void>;
  /** Webhooks since then that never arrived, oldest first. */
  failedDeliveries(since: Date, signal?: AbortSignal): Promise<readonly FailedDelivery[]>;
  /** Asks the forge to send one again. */
  redeliver(id: number, signal?: AbortSignal): Promise<void>;
  /** Seconds until the forge's limits let content be created in an installation; 0: at once. */
  secondsUntilContentAllowed(installationId: number): Promise<number>;
  /** How long dashboards, and the progress of publications, wait for more news; undefined: as is usual. */
  readonly dashboardSeconds?: number;
  /** How often everything is looked at, where the limits of the forge allow it; undefined: as is usual. */
  readonly sweepMinutes?: number;
  /** How long CI is given to begin on an update that may merge itself; undefined: as is usual. */
  readonly settleSeconds?: number;
  /** Work with the same key is done one after the other, whichever process does it. */
  runExclusive<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Several are stored at once. */
  enqueue(job: Job | readonly Job[]): Promise<void>;
  readonly traces: Traces;
  /** Asks an address of a rollout's gate whether it holds; never throws for what it answers. */
  askUrl(url: string, owner: string, signal?: AbortSignal): Promise<UrlAnswer>;
  /** Tells the operator's webhook; absent where there is none. Throws NOTICE_FAILED and NOTICE_REFUSED. */
  readonly notify?: (notice: Notice, signal?: AbortSignal) => Promise<void>;
  /** Where published packages are kept beside git; absent: nowhere. */
  readonly registries?: Registries;
  /** Content that packages take from elsewhere; absent: nothing is fetched. */
  readonly sources?: PackageSources;
  /** Does what has to be done with foreign content. */
  readonly content: Content;
  /** Starts the functions that the base branch allows, where the work on content needs them. */
  readonly runtime: FunctionRuntime;
  /** Runs built-in functions alone, which have no way out: for configuration that nobody has approved. */
  readonly builtins: FunctionRuntime;
  /** Identity of the set of function implementations, part of every digest. */
  readonly runtimeVersion: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly botLogin: string;
    /** Who makes its commits and tags. */
    readonly committer: Person;
  };
  /** Seals with keys that only this installation of Portico knows. */
  readonly seals: Keyring;
  now(): Date;
  /** What was found before that moment, in milliseconds since 1970, may be older than what is being worked on; undefined where nothing is known of it. */
  askedAt(): number | undefined;
  readonly log: Log;
  /** What is counted for whoever runs it; `name` is one of the commands, or `unknown`. */
  readonly metrics?: {
    rendered(outcome: string, seconds: number): void;
    command(name: string, outcome: string): void;
    /** A comment with commands was answered so long after its webhook came. */
    commented(seconds: number): void;
    /** An update came by a pull request that was opened, or to the branch without one. */
    updateBrought(by: 'pull-request' | 'direct'): void;
  };
}

/**
 * What is done in one repository is done with: what there is of the world, the opened repository, and when to stop. `Needed` and `Of`
 * name what of both is used, where that is not all.
 */
export interface RepositoryWork<
  Needed extends keyof Ports = keyof Ports,
  Of extends keyof RepositoryAccess = keyof RepositoryAccess,
> {
  readonly ports: Pick<Ports, Needed>;
  readonly access: Pick<RepositoryAccess, Of>;
  readonly signal: AbortSignal | undefined;
}
