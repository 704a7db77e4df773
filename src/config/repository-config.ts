import type { Policy } from '../cel/policy.ts';
import type { ResourceNames } from '../package/render/exempt.ts';
import type { Selector } from '../package/render/function-runtime.ts';
import type { DeployTool } from '../package/tool-files/deploy-tools.ts';
import type { MappedAddress } from '../package/upstream-map.ts';
import type { RepositoryDirectory } from '../revision/package-path.ts';
import type { UpstreamCredential } from './allowed-upstream.ts';
import type { AllowedFunction } from './function-config.ts';
import type { OciConfig } from './oci-schema.ts';
import type { Role } from './role.ts';

export interface RepositoryConfig {
  /** The registered branch. */
  readonly branch: string;
  /** Packages live below; `.` is the root, never a leading or trailing slash. */
  readonly directory: RepositoryDirectory;
  readonly deployment: boolean;
  /** The tools that apply packages to clusters; absent: any of them. */
  readonly deploy?: readonly DeployTool[];
  readonly versioning: 'sequence' | 'semver';
  /** `owner/name` on the same forge. */
  readonly defaultUpstream?: { readonly repo: string };
  readonly guardrails: {
    readonly mutators: readonly GuardrailConfig[];
    readonly validators: readonly GuardrailConfig[];
  };
  /** What guardrails find and may be so for a time, see exemption-document.ts. */
  readonly exemptions?: readonly Exemption[];
  /** Functions that may run beside the built-in ones. */
  readonly functions: readonly AllowedFunction[];
  /** Command name → who may use it; a command that is missing keeps its default. An empty list is nobody. */
  readonly access: ReadonlyMap<string, readonly Grant[]>;
  readonly publish: {
    readonly release: boolean;
    readonly requireApprovals: number;
    readonly allowSelfApproval: boolean;
    /** One of these must approve what lets a package do more than before; absent: no approval is needed. */
    readonly requireApprovalBy?: readonly Grant[];
    /** One of these must approve what weakens the configuration; absent: the role admin, empty: no approval is needed. */
    readonly weakeningApprovalBy?: readonly Grant[];
    readonly directPushes: 'publish' | 'flag';
    /** How proposals are merged by command; absent: as the repository allows, a merge commit first. */
    readonly mergeMethod?: 'merge' | 'squash' | 'rebase';
    /** False: owners named in CODEOWNERS do not have to approve. */
    readonly codeOwners?: boolean;
    /** Approvals of the same change elsewhere: from where they count here (`owner/name`), and where those given here may count (`owner/*`, too). */
    readonly approvals?: { readonly from: readonly string[]; readonly to: readonly string[] };
  };
  /** Where else what is published is kept. */
  readonly oci?: OciConfig;
  readonly updates: UpdatePolicy;
  /** What says how something that is published fares where it runs; absent fields: see `reconcile/rollout/failure.ts`. */
  readonly health?: { readonly statuses?: readonly string[]; readonly deployments?: readonly string[] };
  /** Addresses outside of the installation that packages may come from, see allowed-upstream.ts. */
  readonly upstreams: {
    readonly allow: readonly string[];
    /** What some of them are read with. */
    readonly credentials?: readonly UpstreamCredential[];
    /** Where addresses that locks name are now, see upstream-map.ts. */
    readonly map?: readonly MappedAddress[];
  };
  readonly sharing?: Sharing;
  /** Repositories whose variants and rollouts are obeyed here beside this one's own: `owner/name` or `owner/*`. */
  readonly controlledBy?: readonly string[];
  readonly inventory?: { readonly directory: RepositoryDirectory };
  /** False: no dashboard issue. */
  readonly dashboard?: false;
  readonly organization?: {
    /** An issue about all repositories of the owner is kept in this one. */
    readonly dashboard?: boolean;
    /** Whether such an issue may name this one; absent: where everybody who reads that can read this repository. */
    readonly listed?: boolean;
  };
}

/** Content flows where it otherwise must not if both sides agree; entries are `owner/name` or `owner/*`. */
export interface Sharing {
  readonly to: readonly string[];
  readonly from: readonly string[];
  /** It agrees with every repository of its owner that says so too and is as private or more private. */
  readonly within?: true;
}

type GuardrailMode = 'enforce' | 'warn' | 'dryrun';

/** Exactly one of `image`, `cel`, `policy`, `policyPath`, `rego` and `admission`. */
export interface GuardrailConfig {
  readonly name: string;
  readonly mode: GuardrailMode;
  readonly image?: string;
  readonly configMap?: Readonly<Record<string, string>>;
  readonly configPath?: string;
  /** A CEL expression over `object`: true, or the list of what is wrong, of every resource. */
  readonly cel?: string;
  /** What to say where the expression is false. */
  readonly message?: string;
  readonly messageExpression?: string;
  /** Field path at which to say it. */
  readonly field?: string;
  /** Name of a ready-made policy. */
  readonly policy?: string;
  /** File with a ValidatingAdmissionPolicy or, of a mutator, a MutatingAdmissionPolicy, from the top of the repository. */
  readonly policyPath?: string;
  /** Where definitions of custom resources are, for `image: kubeconform`. */
  readonly crds?: readonly CrdSource[];
  /** Compiled policy, from the top of the repository, and its digest. */
  readonly rego?: string;
  readonly sha256?: string;
  readonly entrypoint?: string;
  /** What `params` is in expressions. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** From documents beside the configuration, see admission-policy.ts. */
  readonly admission?: AdmissionRule;
  /** Globs over package paths; absent means every package. */
  readonly paths?: readonly string[];
  /** Labels that the Kptfile of the package has, now or in the base. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly selectors?: readonly Selector[];
  readonly exclude?: readonly Selector[];
}

/** A reviewed exception to guardrails. */
export interface Exemption {
  readonly name: string;
  /** Where it is written. */
  readonly file: string;
  readonly guardrails: readonly string[];
  /** Globs over package paths. */
  readonly packages: readonly string[];
  readonly resources?: readonly ResourceNames[];
  /** The last day on which it counts, `YYYY-MM-DD`. */
  readonly until: string;
  /** `@login` or `@organization/team`. */
  readonly owner: string;
  readonly why: string;
}

/** At least one of `repo` and `path`. */
export interface CrdSource {
  /** `owner/name`; absent: this repository, at the commit that the guardrails are read from. */
  readonly repo?: string;
  /** File or folder from the top; absent: the whole repository. */
  readonly path?: string;
  /** Revision (of the package at `path`), tag, branch or commit; absent: the default branch. */
  readonly ref?: string;
}

/** An admission policy as it is bound. */
export interface AdmissionRule {
  readonly file: string;
  readonly policy: Policy;
  /** One judgement for each; null where it takes none. */
  readonly params: readonly unknown[];
}

export type Grant =
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'team'; readonly team: string }
  | { readonly kind: 'person'; readonly login: string }
  /** Whoever opened the pull request. */
  | { readonly kind: 'author' };

export interface UpdatePolicy {
  readonly follow:
    | { readonly kind: 'none' }
    | { readonly kind: 'latest' }
    | { readonly kind: 'channel'; readonly channel: string }
    | { readonly kind: 'range'; readonly range: string }
    | { readonly kind: 'pin'; readonly revision: string };
  /** In a channel with a file: `SelfCertified` goes to the head, whether an edge leads there or not. Absent: only where one does. */
  readonly policy?: 'SelfCertified';
  /** `ignore`: whoever is at a revision that was withdrawn stays there until the head is higher. Absent: the way to the head is proposed. */
  readonly onWithdrawn?: 'ignore';
  /** Five cron fields; absent means at any time. */
  readonly schedule?: string;
  /** Of the schedule; UTC where absent. */
  readonly timeZone?: string;
  /** Seconds that a revision must have been published before it is brought. */
  readonly minimumAge?: number;
  /** In a channel with a file: seconds that a package stays where it was brought before the next step comes. */
  readonly soak?: number;
  /** The largest step that may merge itself once all guardrails are green. */
  readonly automerge: 'none' | 'patch' | 'minor' | 'all';
  /** Repositories, `owner/name` or `owner/*`, for whose variant documents that counts, too. Absent: for those of this one alone. */
  readonly automergeFrom?: readonly string[];
  /** What may merge itself comes without a pull request, where nothing asks for one. */
  readonly direct?: true;
  /** Open update pull requests in this repository at most. */
  readonly maxOpen: number;
  /** Updated together; a package belongs to the first that it fits. */
  readonly groups?: readonly UpdateGroup[];
  /** Globs over package paths: whose updates come first, in this order. */
  readonly priority?: readonly string[];
  /** Of update pull requests. Absent: `portico`, where the repository has that label. */
  readonly labels?: readonly string[];
}

/** `packages` are globs over package paths. */
export interface UpdateGroup {
  readonly name: string;
  readonly packages: readonly string[];
}
