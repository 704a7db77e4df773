/** What is not in the index is nowhere, once every repository was looked at; right after a start that is not so yet. */
import { PorticoError } from '../../error.ts';
import type { RepositoryRef, Ports } from '../ports.ts';
import { whyRefused } from '../text/why-refused.ts';
import { tellUnreadableRepository } from './tell-unreadable.ts';

/** @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later */
export function needWholeIndex({ catalog }: Pick<Ports, 'catalog'>): void {
  if (!catalog.isComplete()) throw incomplete();
}

/** The same, where it is enough to know how each repository was last, as another process or an earlier one found it. */
export function needKnownIndex({ catalog }: Pick<Ports, 'catalog'>): void {
  if (!catalog.isWhole()) throw incomplete();
}

function incomplete(): PorticoError {
  return new PorticoError('INDEX_INCOMPLETE', 'not every repository has been indexed since the start', {
    blame: 'forge',
  });
}

/** About two minutes of tries. */
const FAILURES = 8;

type Look = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * A look at a repository; one that fails again and again counts as looked at, so that not all others wait for it. Where
 * the content is why, that is so at once, and its newest commit says it.
 */
export function patientLook({ catalog, open }: Pick<Ports, 'catalog' | 'open'>, look: Look): Look {
  const failures = new Map<number, number>();
  return async (repository, signal) => {
    try {
      await look(repository, signal);
      failures.delete(repository.id);
    } catch (error) {
      signal?.throwIfAborted();
      const why = whyRefused(error);
      if (why !== null) {
        catalog.confirm(repository.id);
        await tellUnreadableRepository(await open(repository, signal), why, signal);
        throw error;
      }
      const count = (failures.get(repository.id) ?? 0) + 1;
      failures.set(repository.id, count);
      if (count >= FAILURES) catalog.confirm(repository.id);
      throw error;
    }
  };
}
