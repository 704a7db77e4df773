/**
 * Issues in which somebody asks to retire a revision. A label finds them, so that nobody has to read all issues; what they
 * ask for is read from the sealed records there. Whoever takes the label away, or puts it elsewhere, decides nothing.
 */
import type { Retirement } from '../../command/command-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { RepositoryFacts } from '../forge-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { openRetirements } from './retirement.ts';

export const RETIREMENT_LABEL = 'portico/retirement';

/** Issues that are read: the dashboard names the newest. */
const MOST = 20;

/** One wish that nobody has decided, in an open issue. */
export interface PendingRetirement extends Pick<Retirement, 'package' | 'revision' | 'login'> {
  readonly issue: number;
  /** As people wrote it. */
  readonly title: string;
}

/** Those of the newest issues; one with more comments than are read is left out and logged, and holds nothing up. */
export async function pendingRetirements(
  ports: Pick<Ports, 'app' | 'seals' | 'log'>,
  access: Pick<RepositoryAccess, 'forge' | 'git'>,
  facts: Pick<RepositoryFacts, 'id'>,
  config: Pick<RepositoryConfig, 'directory'>,
  signal?: AbortSignal,
): Promise<PendingRetirement[]> {
  const issues = await access.forge.listIssues({ state: 'open', labels: [RETIREMENT_LABEL] }, signal);
  const found: PendingRetirement[] = [];
  for (const { number, title } of issues.toSorted((a, b) => b.number - a.number).slice(0, MOST)) {
    try {
      for (const wish of await openIn(ports, access, facts, config, number, signal)) {
        const { package: path, revision, login } = wish;
        found.push({ package: path, revision, login, issue: number, title });
      }
    } catch (error) {
      if (!(error instanceof PorticoError) || error.code !== 'FORGE_TOO_MANY') throw error;
      ports.log.warn({ err: error, pull: number }, 'an issue has too many comments');
    }
  }
  return found;
}

/** Puts the label on the issue, or takes it away, as something is asked for there or not; then the dashboard follows. */
export async function markRetirements(
  ports: Ports,
  access: RepositoryAccess,
  facts: Pick<RepositoryFacts, 'id'>,
  config: Pick<RepositoryConfig, 'directory'>,
  number: number,
  signal?: AbortSignal,
): Promise<void> {
  const { forge } = access;
  const [issue, open] = await Promise.all([
    forge.getIssue(number, signal),
    openIn(ports, access, facts, config, number, signal),
  ]);
  const isMarked = issue?.labels.includes(RETIREMENT_LABEL) ?? false;
  if (open.length > 0 && !isMarked) await forge.addLabels(number, [RETIREMENT_LABEL], signal);
  if (open.length === 0 && isMarked) await forge.removeLabel(number, RETIREMENT_LABEL, signal);
  await ports.enqueue(dashboardNews(ports, access.ref));
}

/** No comment has this number: what is decided stays so. */
const NO_COMMENT = -1;

async function openIn(
  ports: Pick<Ports, 'app' | 'seals'>,
  access: Pick<RepositoryAccess, 'forge' | 'git'>,
  facts: Pick<RepositoryFacts, 'id'>,
  config: Pick<RepositoryConfig, 'directory'>,
  issue: number,
  signal: AbortSignal | undefined,
): Promise<Retirement[]> {
  return openRetirements(ports, access, facts, config, { issue, comment: NO_COMMENT }, signal);
}
