/**
 * Issues in which somebody asks to retire a revision. A label finds them, so that nobody has to read all issues; what they
 * ask for is read from the sealed records there. Whoever takes the label away, or puts it elsewhere, decides nothing.
 */
import type { Retirement } from '../../command/command-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { dashboardJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryRef, Ports, RepositoryWork } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { openRetirements, type RetirementsOf } from './retirement-records.ts';

export const RETIREMENT_LABEL = 'portico/retirement';

/** The dashboard names so many issues with wishes, the newest. */
const MAX_NAMED = 20;
/** Issues whose comments one look reads. What it does not come to is read by the next, so that no number of labels on other issues hides a wish. */
const MAX_READ = 50;
/** So many issues are remembered. */
const MAX_REMEMBERED = 20_000;
/** What was changed within so many milliseconds may have changed again without another time. */
const FRESH_MS = 60_000;
/** After so many seconds the next look goes on. */
const NEXT_LOOK = 60;

interface Read {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly hasWish: boolean;
  /** When the issue was changed last; absent where it may have changed since without another time. */
  readonly updatedAt?: string;
}

/** What was read of issues with the label, by repository and number. */
const createReadIssues = (): Map<string, Read> => new Map();

/** One wish that nobody has decided, in an open issue. */
export interface PendingRetirement extends Pick<Retirement, 'package' | 'revision' | 'login'> {
  readonly issue: number;
  /** As people wrote it. */
  readonly title: string;
}

/**
 * Those of the newest issues; one with more comments than are read is left out and logged, and holds nothing up. Anybody who may triage
 * can put the label on any issue: those that ask for nothing are passed over until they change.
 */
export async function pendingRetirements({
  ports,
  access,
  facts,
  config,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals' | 'log' | 'catalog' | 'memories' | 'enqueue' | 'now'>;
  readonly access: Pick<RepositoryAccess, 'forge' | 'git'>;
  readonly facts: RepositoryRef;
  readonly config: Pick<RepositoryConfig, 'directory'>;
  readonly signal?: AbortSignal | undefined;
}): Promise<PendingRetirement[]> {
  const issues = await access.forge.listIssues({ state: 'open', labels: [RETIREMENT_LABEL] }, signal);
  const found: PendingRetirement[] = [];
  const memory = ports.memories.of(createReadIssues);
  const keyOf = ({ number }: { readonly number: number }): string => `${facts.id}#${number}`;
  const unread = issues.filter((one) => {
    const before = memory.get(keyOf(one));
    return before?.hasWish !== false || before.updatedAt !== one.updatedAt;
  });
  let holders = 0;
  for (const one of inOrder(unread, (issue) => memory.get(keyOf(issue))).slice(0, MAX_READ)) {
    if (holders === MAX_NAMED) break;
    const { number, title, updatedAt } = one;
    const at = ports.now().getTime();
    let wishes: readonly Retirement[] = [];
    try {
      wishes = await openIn({ ports, access, facts, config, issue: number, signal });
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== 'FORGE_TOO_MANY') throw error;
      ports.log.warn(
        { err: error, repository: `${facts.owner}/${facts.name}`, pull: number },
        'an issue has too many comments',
      );
    }
    for (const { package: path, revision, login } of wishes) {
      found.push({ package: path, revision, login, issue: number, title });
    }
    const hasWish = wishes.length > 0;
    if (hasWish) holders += 1;
    const isSettled = at - Date.parse(updatedAt) >= FRESH_MS;
    keepNewest(memory, keyOf(one), { at, hasWish, ...(isSettled && { updatedAt }) }, MAX_REMEMBERED);
  }
  if (unread.length > MAX_READ && holders < MAX_NAMED) await ports.enqueue(dashboardJob(facts, NEXT_LOOK));
  return found.toSorted((a, b) => b.issue - a.issue);
}

/** Those with a wish first, then what was never read, then what was read longest ago; the newest of each first. */
function inOrder<Issue extends { readonly number: number }>(
  issues: readonly Issue[],
  readOf: (issue: Issue) => Read | undefined,
): Issue[] {
  const rank = (issue: Issue): number => {
    const read = readOf(issue);
    return read === undefined ? 0 : read.hasWish ? -1 : read.at;
  };
  return issues.toSorted((a, b) => rank(a) - rank(b) || b.number - a.number);
}

/** Puts the label on the issue, or takes it away, as something is asked for there or not; then the dashboard follows. */
export async function markRetirements(
  { ports, access, signal }: RepositoryWork,
  facts: Pick<RepositoryFacts, 'id'>,
  config: Pick<RepositoryConfig, 'directory'>,
  number: number,
): Promise<void> {
  const { forge } = access;
  const [issue, open] = await Promise.all([
    forge.getIssue(number, signal),
    openIn({ ports, access, facts, config, issue: number, signal }),
  ]);
  const isMarked = issue?.labels.includes(RETIREMENT_LABEL) ?? false;
  if (open.length > 0 && !isMarked) await forge.addLabels(number, [RETIREMENT_LABEL], signal);
  if (open.length === 0 && isMarked) await forge.removeLabel(number, RETIREMENT_LABEL, signal);
  await ports.enqueue(dashboardNews(ports, access.ref));
}

/** No comment has this number: what is decided stays so. */
const NO_COMMENT = -1;

async function openIn(issue: Omit<RetirementsOf, 'comment'>): Promise<Retirement[]> {
  return openRetirements({ ...issue, comment: NO_COMMENT });
}
