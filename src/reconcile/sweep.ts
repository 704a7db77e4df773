/**
 * What a lost webhook would have said is found here: every repository and every open pull request is looked at, and
 * every recent command that nobody answered. Looking at something that is as it should be writes nothing.
 */
import { parseComment } from '../command/parse.ts';
import { loadConfiguration } from './configuration.ts';
import type { RepositoryRef, World } from './ports.ts';

/** Commands are looked for so far back: as long as the forge keeps deliveries. */
const COMMENT_DAYS = 3;

export type Sweep = (signal?: AbortSignal) => Promise<void>;

/** Asks for every repository of every installation to be swept. */
export function createSweep(world: World): Sweep {
  return async (signal) => {
    const repositories = await world.repositories(signal);
    const present = new Set(repositories.map(({ id }) => id));
    for (const { ref } of world.catalog.all()) if (!present.has(ref.id)) world.catalog.remove(ref.id);
    for (const repository of repositories) {
      await world.enqueue({ kind: 'sweep-repository', key: String(repository.id), data: { repository } });
    }
  };
}

/** Asks for everything in one repository to be looked at. */
export function createRepositorySweep(
  world: World,
): (repository: RepositoryRef, signal?: AbortSignal) => Promise<void> {
  return async (repository, signal) => {
    const access = await world.open(repository, signal);
    const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
    const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
    if (configuration.state !== 'registered' || facts.archived) {
      world.catalog.remove(repository.id);
      return;
    }
    await world.enqueue({ kind: 'repository', key: String(repository.id), data: { repository } });
    await world.enqueue({ kind: 'publication', key: String(repository.id), data: { repository } });
    for (const { number } of await access.forge.listOpenPulls(signal)) {
      await world.enqueue({
        kind: 'proposal',
        key: `${repository.id}#${number}`,
        data: { repository, number },
      });
    }
    const since = new Date(world.now().getTime() - COMMENT_DAYS * 86_400_000);
    for (const comment of await access.forge.listRecentComments(since, signal)) {
      if (comment.authorIsBot || !holdsCommand(comment.body)) continue;
      await world.enqueue({
        kind: 'comment',
        key: `${repository.id}#${comment.issue}/${comment.id}`,
        data: { repository, number: comment.issue, source: { kind: 'comment', id: comment.id } },
      });
    }
  };
}

function holdsCommand(body: string): boolean {
  const parsed = parseComment(body);
  return parsed.kind === 'refuse' || parsed.commands.length > 0;
}
