/** Pure: what each kind of job carries. The queue stores it, so what an older version stored has to be readable here. */

import { z } from 'zod';

import { repositoryDirectory } from '../revision/package-path.ts';

const repository = z.object({
  installationId: z.number(),
  id: z.number(),
  owner: z.string(),
  name: z.string(),
});

/** Somebody asked for checks once more: for one by its name, else for all. A plain look does not take its place. */
const again = z.object({ check: z.string().exactOptional() });

/** The button of a check was pressed. `byId`: the forge's number of that account. */
const pressed = z.object({ check: z.string(), by: z.string(), byId: z.number().optional() });

const proposal = z.object({
  repository,
  /** Of the pull request. */
  number: z.number(),
  /** Somebody asked for its checks once more, or for one of them. */
  again: again.exactOptional(),
  /** When it was asked for, in milliseconds since 1970. */
  at: z.number().exactOptional(),
  /** Asked for by a sweep: mostly nothing is new, and reads that are answered as unchanged cost nothing. */
  swept: z.literal(true).exactOptional(),
  /** Set where it waits in the lane of strangers. */
  author: z.string().exactOptional(),
  /** Its author's proposals took long lately: it is to be done where long ones wait. */
  waits: z.boolean().exactOptional(),
});

/** A comment or a review with a text. */
const comment = z.object({
  repository,
  /** Of the pull request or issue. */
  number: z.number(),
  source: z.object({
    /**
     * `form`: the issue itself, written by one of our forms. `opening`: the text of an issue or a pull request that is none.
     * The id of both is the number below zero. `line`: a comment on lines of a change, which is of a review.
     */
    kind: z.enum(['comment', 'review', 'form', 'opening', 'line']),
    id: z.number(),
  }),
  /** What a form, an opening text or a comment on lines held when it was sent: it may be edited since, also by others. */
  form: z
    .object({
      author: z.string(),
      authorId: z.number().optional(),
      authorIsBot: z.boolean(),
      body: z.string(),
      createdAt: z.string(),
      /** Found where no webhook told of it, and by then it was not its author's words, or not written for this place. */
      edited: z.literal(true).exactOptional(),
    })
    .exactOptional(),
  /** The head of the pull request when the webhook came. */
  headSeen: z.string().exactOptional(),
  /** Login of the author, if the event names one. Only decides whose turn it is. */
  author: z.string().optional(),
  /** It ends what is under way there, so it does not wait for that. */
  aside: z.literal(true).exactOptional(),
});

const fix = pressed.extend({
  repository,
  /** Of the pull request. */
  number: z.number(),
  /** The commit that the check speaks of. */
  headSha: z.string(),
});

/** A commit of which the forge names no proposal. */
const commit = z.object({
  repository,
  sha: z.string(),
  /** Where it was pushed to, as far as the forge says. */
  branch: z.string().nullable(),
});

const commitWish = named(
  'wish',
  [commit.extend({ wish: z.literal('checks'), again }), commit.extend({ wish: z.literal('fix'), pressed })],
  (data) => ('pressed' in data ? 'fix' : 'checks'),
);

const mergeGroup = z.object({
  repository,
  /** What the queue is about to merge, and the branch that it is on meanwhile. */
  headSha: z.string(),
  headRef: z.string(),
  /** What it is built on, `refs/heads/main`. */
  baseSha: z.string(),
  baseRef: z.string(),
});

/** One downstream package. */
const downstreamPackage = z.object({
  repository,
  /** Package path below the registered directory. */
  package: z.string(),
  /** A revision that somebody asked for. */
  to: z.string().exactOptional(),
  /** Issue or pull request where somebody asked for it. */
  askedIn: z.number().exactOptional(),
  /** The repository of that, where it is another one. */
  askedFrom: repository.exactOptional(),
  /** Who asked for it. */
  askedBy: z.string().exactOptional(),
  /** The forge's number of that account. */
  askedById: z.number().optional(),
  /** A variant that kept the package, or was about to make it, and does not any more. */
  gone: z.string().exactOptional(),
});

/** Several packages of a repository: they share a fetch and a push. */
const downstreamPackages = z.object({
  repository,
  packages: z.array(z.string()).readonly(),
  /** Priority that the configuration gives them. */
  ahead: z.number().exactOptional(),
  /** How many packages of the job went before. */
  turn: z.number().exactOptional(),
});

/** Whatever an update branch is for. */
const updateBranch = z.object({ repository, branch: z.string() });

const variant = named(
  'about',
  [
    downstreamPackage.extend({ about: z.literal('package') }),
    downstreamPackages.extend({ about: z.literal('packages') }),
    updateBranch.extend({ about: z.literal('branch') }),
  ],
  (data) => ('packages' in data ? 'packages' : 'package' in data ? 'package' : 'branch'),
);

const poll = z.object({
  address: z.string(),
  /** As whom it is read, where not as anyone may. */
  credential: z.object({ name: z.string(), owner: z.string() }).exactOptional(),
});

const restoration = z.object({
  repository,
  /** A commit of which a failure was told. */
  commit: z.string().exactOptional(),
});

const dashboard = z.object({
  repository,
  /** Who edited this issue. */
  edited: z
    .object({
      number: z.number(),
      login: z.string(),
      /** The forge's number of that account. */
      id: z.number().optional(),
      isBot: z.boolean(),
    })
    .exactOptional(),
  /** The issue about all repositories of the owner that this one keeps. */
  organization: z.literal(true).exactOptional(),
});

const rollout = z.object({
  repository,
  /** What was heard of downstreams before that moment is asked for again; milliseconds since 1970. */
  since: z.number().exactOptional(),
});

const notice = z.object({
  /** The same for the same news, by which whoever hears of it twice knows that. */
  id: z.string(),
  type: z.enum(['rollout.stopped', 'rollout.rolled-back', 'rollout.waiting', 'rollout.approval-needed']),
  /** When it was found out; ISO 8601. */
  at: z.string(),
  rollout: z.string(),
  /** Where the document stands: `owner/name`. */
  repository: z.string(),
  /** `owner/name:path` of the upstream package; absent where it is about the document. */
  package: z.string().exactOptional(),
  revision: z.string().exactOptional(),
  /** For people: what happened, in a sentence or two. */
  message: z.string(),
});

/** News for whoever runs Portico. */
export type Notice = Readonly<z.output<typeof notice>>;

/** Queues of their own, each with so many jobs at a time: see bot/lanes.ts. */
export type LaneName =
  | 'commands'
  | 'readers'
  | 'proposals'
  | 'long-proposals'
  | 'strangers'
  | 'long-strangers'
  | 'publications'
  | 'index'
  | 'variants'
  | 'registries'
  | 'dashboards';

interface JobTraits {
  readonly data: z.ZodType;
  /** Where it waits, and with whom. */
  readonly lane: LaneName;
  /** It only looks, and asks other jobs to look at the same. */
  readonly onlyReads?: true;
  /** It has nothing to do with variants, and does not wait for what sets generate. */
  readonly withoutVariants?: true;
}

/** By the kind of the job. A kind that is added here needs a handler, see bot/handlers.ts. */
const JOBS = {
  sweep: {
    /** `indexOnly`: what packages there are is read again, and nothing else is looked for. */
    data: z.object({ indexOnly: z.literal(true).exactOptional() }),
    lane: 'index',
    onlyReads: true,
    withoutVariants: true,
  },
  'sweep-repository': {
    data: z.object({ repository }),
    lane: 'index',
    onlyReads: true,
    withoutVariants: true,
  },
  rights: { data: z.object({ repository }), lane: 'proposals', onlyReads: true, withoutVariants: true },
  'organization-rights': {
    data: z.object({ installationId: z.number() }),
    lane: 'proposals',
    onlyReads: true,
    withoutVariants: true,
  },
  branch: { data: z.object({ repository, ref: z.string() }), lane: 'publications', onlyReads: true },
  repository: { data: z.object({ repository }), lane: 'index', onlyReads: true },
  registry: { data: z.object({ repository }), lane: 'registries', withoutVariants: true },
  publication: { data: z.object({ repository }), lane: 'publications' },
  proposal: { data: proposal, lane: 'proposals', withoutVariants: true },
  'long-proposal': { data: proposal, lane: 'long-proposals', withoutVariants: true },
  'stranger-proposal': { data: proposal, lane: 'strangers', withoutVariants: true },
  'long-stranger-proposal': { data: proposal, lane: 'long-strangers', withoutVariants: true },
  overdue: { data: z.object({ repository, number: z.number() }), lane: 'dashboards' },
  commit: { data: commitWish, lane: 'index', onlyReads: true, withoutVariants: true },
  fix: { data: fix, lane: 'commands' },
  'merge-group': { data: mergeGroup, lane: 'proposals', withoutVariants: true },
  comment: { data: comment, lane: 'commands' },
  'reader-comment': { data: comment, lane: 'readers' },
  variant: { data: variant, lane: 'variants' },
  'update-checks': { data: updateBranch, lane: 'proposals', withoutVariants: true },
  restoration: { data: restoration, lane: 'publications', withoutVariants: true },
  rollout: { data: rollout, lane: 'index', onlyReads: true },
  poll: { data: poll, lane: 'index' },
  notice: { data: z.object({ notice }), lane: 'registries', withoutVariants: true },
  dashboard: { data: dashboard, lane: 'dashboards' },
  downstream: {
    data: z.object({ repository, directory: z.string().transform(repositoryDirectory) }),
    lane: 'dashboards',
  },
} as const satisfies Readonly<Record<string, JobTraits>>;

/** How jobs of a kind are run. */
export function traitsOf(kind: JobKind): Omit<JobTraits, 'data'> {
  return JOBS[kind];
}

export type JobKind = keyof typeof JOBS;

export const JOB_KINDS = Object.keys(JOBS) as readonly JobKind[];

export type JobData<Kind extends JobKind = JobKind> = Readonly<z.output<(typeof JOBS)[Kind]['data']>>;

/** What a job is about, by its kind. */
type JobContent = {
  readonly [K in JobKind]: { readonly kind: K; readonly data: JobData<K> };
}[JobKind];

/**
 * The kind and the data of a job that was stored, checked; or what keeps them from being read. It says nothing of what the
 * data holds.
 */
export function readJobData(kind: string, data: unknown): JobContent | { readonly problem: string } {
  if (!Object.hasOwn(JOBS, kind)) return { problem: `nothing is known of jobs of kind ${kind}` };
  const known = kind as JobKind;
  const parsed = JOBS[known].data.safeParse(data);
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  return { kind: known, data: parsed.data } as JobContent;
}

/** A piece of work, by its kind. Of two with the same kind and key that wait, the newer stays. */
export type JobOf<Kind extends JobKind> = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly key: string;
    readonly data: JobData<K>;
    readonly startAfterSeconds?: number;
    readonly priority?: number;
  };
}[Kind];

export type Job = JobOf<JobKind>;

/** Kinds of jobs about proposals: of strangers, and those that take longer than their turn. */
export type ProposalJob = JobOf<
  'proposal' | 'long-proposal' | 'stranger-proposal' | 'long-stranger-proposal'
>;

/** Somebody asked for checks once more. */
export type RecheckRequest = Readonly<z.output<typeof again>>;

/** A comment or a review with a text. */
export type CommentTarget = JobData<'comment'>;

/** One downstream package, and who asked for what of it. */
export type PackageRequest = Readonly<z.output<typeof downstreamPackage>>;

/** Several downstream packages of one repository. */
export type PackageBatch = Readonly<z.output<typeof downstreamPackages>>;

/** The proposal, or the branch, whose checks are asked for again or a button of which was pressed. */
export type CommitRequest =
  | { readonly wish: 'checks'; readonly again: RecheckRequest }
  | { readonly wish: 'fix'; readonly pressed: Readonly<z.output<typeof pressed>> };

/** Earlier versions told these apart by the fields that they have. */
function named<
  Field extends string,
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(field: Field, options: Options, nameOf: (data: object) => string) {
  return z.preprocess(
    (data) =>
      typeof data === 'object' && data !== null && !(field in data)
        ? { [field]: nameOf(data), ...data }
        : data,
    z.discriminatedUnion(field, options),
  );
}

const subject = z
  .object({
    repository,
    number: z.number(),
    package: z.string(),
    packages: z.array(z.string()),
  })
  .partial();

export type JobSubject = z.output<typeof subject>;

/** Names what a stored job is about; nothing of a job that a newer version stored in another shape. */
export function jobSubject(data: unknown): JobSubject {
  return subject.safeParse(data).data ?? {};
}
