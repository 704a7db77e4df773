/** Pure: why nothing happens to a package, a pull request, a repository or a webhook, in words. */

/** What a person asks about. */
export type WhySubject =
  | { readonly delivery: string }
  | { readonly repository: string; readonly number?: number; readonly package?: string };

export interface WhyJob {
  readonly kind: string;
  readonly key: string;
  readonly repository?: string;
  readonly number?: number;
  readonly package?: string;
  /** `unqueued`: its webhook is stored, and its jobs are not queued yet. */
  readonly state: 'unqueued' | 'running' | 'ready' | 'waiting' | 'done' | 'given-up';
  /** When it began, was stored, will start, or ended; absent for `unqueued`. */
  readonly at?: string;
  readonly attempt: number;
  /** Of the error for which it runs again, or was given up. */
  readonly code?: string;
  /** Why there was nothing to do. */
  readonly reason?: string;
}

/** What the last check of a downstream package decided. */
export interface WhyPackage {
  readonly repository: string;
  readonly package: string;
  readonly reason: string;
  readonly message: string;
  readonly from?: string;
  readonly to?: string;
  readonly pull?: number;
}

export interface WhyNeed {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly who: string;
}

export interface Why {
  /** As it was asked. */
  readonly about: string;
  readonly delivery?: {
    readonly event: string;
    readonly state: string;
    readonly receivedAt: string;
    readonly attempt: number;
    readonly code?: string;
  };
  readonly jobs: readonly WhyJob[];
  readonly packages: readonly WhyPackage[];
  /** Packages and jobs that are left out, so that the answer stays short. */
  readonly leftOut: number;
  readonly pull?: {
    readonly number: number;
    readonly state: 'draft' | 'open' | 'merged' | 'closed' | 'unknown';
    /** What it waits for. */
    readonly needs: readonly WhyNeed[];
    /** Seconds after which its needs can be asked for; absent where they were. */
    readonly askAgain?: number;
  };
}

const DELIVERY = /^[0-9a-f-]{8,64}$/i;
const PLACE = /^([\w.-]{1,100}\/[\w.-]{1,100})(?:#([1-9][0-9]{0,9})|:([^\s:][^\s]{0,800}))?$/;

/** Reads `DELIVERY`, `OWNER/REPOSITORY`, `OWNER/REPOSITORY#NUMBER` or `OWNER/REPOSITORY:PACKAGE`; undefined for anything else. */
export function parseWhySubject(text: string): WhySubject | undefined {
  if (DELIVERY.test(text)) return { delivery: text.toLowerCase() };
  const [, repository, number, path] = PLACE.exec(text) ?? [];
  if (repository === undefined) return undefined;
  return {
    repository,
    ...(number !== undefined && { number: Number(number) }),
    ...(path !== undefined && { package: path }),
  };
}

const NOTHING: Readonly<Record<string, string>> = {
  archived: 'the repository is archived',
  'not-registered': 'the repository is not registered with Portico',
  'no-branch': 'the registered branch does not exist',
  absent: 'the pull request, issue, comment or commit no longer exists',
  'other-branch': 'it is about another branch than the registered one',
  'not-asked-for': 'the configuration does not ask for it',
  'no-command': 'the comment has no command, or a bot wrote it',
  answered: 'the comment was answered before',
};

const DELIVERED: Readonly<Record<string, string>> = {
  stored: 'is stored; its jobs are not queued yet',
  claimed: 'is stored; its jobs are being queued',
  completed: 'was received, and its jobs were queued',
  failed: 'was received, but its jobs could not be queued',
};

/** One line for each fact, the most telling first. `mark` makes a name recognizable, such as with backticks. */
export function whyLines(why: Why, mark: (name: string) => string): readonly string[] {
  const { delivery, pull } = why;
  const lines = [
    ...(delivery === undefined ? [] : [deliveryLine(why.about, delivery, mark)]),
    ...(pull === undefined ? [] : pullLines(pull)),
    ...why.packages.map((one) => packageLine(one, mark)),
    ...why.jobs.map((job) => jobLine(job, mark)),
    ...(why.leftOut === 0 ? [] : [`${why.leftOut} more are not shown.`]),
  ];
  if (why.jobs.length + why.leftOut === 0 && delivery?.state === 'completed')
    return [...lines, 'Its jobs are done, or joined those of a later webhook.'];
  return lines.length === 0 ? ['No job is queued or failed, and no update waits.'] : lines;
}

function deliveryLine(
  id: string,
  { event, state, receivedAt, attempt, code }: NonNullable<Why['delivery']>,
  mark: (name: string) => string,
): string {
  const why =
    code === undefined ? '' : `: ${mark(code)} after ${attempt} attempts. Redeliver it on GitHub to retry`;
  return `Webhook ${mark(id)} (${mark(event)}, ${receivedAt}) ${DELIVERED[state] ?? state}${why}.`;
}

function pullLines({ number, state, needs, askAgain }: NonNullable<Why['pull']>): readonly string[] {
  if (state === 'unknown') return [`#${number} is not a pull request, or is not Portico's business.`];
  if (askAgain !== undefined) return [`#${number}: too many questions; ask again in ${askAgain} s.`];
  const first = `#${number} is ${state === 'draft' ? 'a draft' : state}${needs.length === 0 ? '.' : ' and waits:'}`;
  return [
    first,
    ...needs.map(({ message, hint, who }) => {
      const may = who === '' ? '' : ` Who can: ${who}.`;
      return `${message}.${hint === '' ? '' : ` ${hint}`}${may}`;
    }),
  ];
}

function packageLine(
  { package: path, reason, message, pull }: WhyPackage,
  mark: (name: string) => string,
): string {
  const where = pull === undefined ? '' : ` Pull request: #${pull}.`;
  return `${mark(path)}: ${mark(reason)}.${message === '' ? '' : ` ${message}`}${where}`;
}

function jobLine(job: WhyJob, mark: (name: string) => string): string {
  const { kind, state, at = '', attempt, code, reason } = job;
  const subject = [
    job.repository ?? '',
    job.number === undefined ? '' : `#${job.number}`,
    job.package ? `:${job.package}` : '',
  ];
  const about = subject.join('');
  return `Job ${mark(kind)}${about === '' ? '' : ` of ${mark(about)}`} ${words()}.`;

  function words(): string {
    const again = code === undefined ? '' : `, attempt ${attempt}, after ${mark(code)}`;
    switch (state) {
      case 'unqueued':
        return 'is not queued yet';
      case 'running':
        return `runs since ${at}${again}`;
      case 'ready':
        return `has waited for a free worker since ${at}${again}`;
      case 'waiting':
        return `waits until ${at}${again}`;
      case 'done':
        return reason === undefined
          ? `was done at ${at}`
          : `had nothing to do at ${at}: ${NOTHING[reason] ?? reason}`;
      case 'given-up':
        return `failed at ${at} with ${mark(code ?? 'UNKNOWN')} after ${attempt} attempts; the log of the server has key ${mark(job.key)}`;
    }
  }
}
