/** How Flux and Argo CD notice a push: they look at the branch every now and then, one look at a time. */
import { runLater } from '../background.ts';
import type { ForgeContext } from '../context.ts';
import { drawDelay, type DelayName } from '../realism/chances.ts';
import type { RepositoryRecord } from '../records.ts';

/** What is left to say when what was seen has been carried out. */
type Report = () => Promise<void>;

interface Follower {
  /** What `look` remembers from one time to the next: a name, and what it has dealt with. */
  readonly seen: Map<string, string>;
  isComing: boolean;
  isBusy: boolean;
  /** Something was pushed while it was busy. */
  isLate: boolean;
}

const followers = new WeakMap<ForgeContext, Map<string, Follower>>();

/** A tool that follows branches: it looks, and says later what became of what it saw. */
interface Tool {
  readonly name: 'Flux' | 'Argo CD';
  readonly lag: DelayName;
  look(
    context: ForgeContext,
    repository: RepositoryRecord,
    seen: Map<string, string>,
  ): Promise<readonly Report[]>;
}

/** The tool looks a while after a push. What is pushed until then is seen together, and only the newest of it is told of. */
export function follow(context: ForgeContext, repository: RepositoryRecord, tool: Tool): void {
  if (context.knobs.realism[tool.lag] === null) return;
  const follower = followerOf(context, `${tool.name}:${repository.id}`);
  if (follower.isComing) return;
  follower.isComing = true;
  runLater(context, drawDelay(context, tool.lag), tool.name, async () => {
    follower.isComing = false;
    if (follower.isBusy) follower.isLate = true;
    else await lookNow(context, repository, tool, follower);
  });
}

async function lookNow(
  context: ForgeContext,
  repository: RepositoryRecord,
  tool: Tool,
  follower: Follower,
): Promise<void> {
  follower.isBusy = true;
  const end = (): void => {
    follower.isBusy = false;
    if (follower.isLate) follow(context, repository, tool);
    follower.isLate = false;
  };
  try {
    const reports = await tool.look(context, repository, follower.seen);
    if (reports.length === 0) return end();
    runLater(context, drawDelay(context, tool.lag), tool.name, async () => {
      try {
        for (const report of reports) await report();
      } finally {
        end();
      }
    });
  } catch (error) {
    end();
    throw error;
  }
}

function followerOf(context: ForgeContext, key: string): Follower {
  const all = followers.get(context) ?? new Map<string, Follower>();
  followers.set(context, all);
  const one = all.get(key) ?? {
    seen: new Map<string, string>(),
    isComing: false,
    isBusy: false,
    isLate: false,
  };
  all.set(key, one);
  return one;
}
