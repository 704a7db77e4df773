import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import { repositoryJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { workOut } from './variant-expansion.ts';
import { forgetPlan } from './variant-plan.ts';
import { readingOf, setsOf, setWork } from './variant-reading.ts';

const worked = new WeakMap<Catalog, number>();

/** How long a job waits for sets to be worked out; what takes longer is looked at when it is known. */
const PATIENCE_MS = 500;

/**
 * Has the variants of all sets worked out that are not known yet. To be called before a plan is asked for and after the
 * index changed; nothing is done where it did not.
 */
export async function prepareVariants(
  ports: Pick<Ports, 'catalog' | 'content' | 'enqueue' | 'log'>,
): Promise<void> {
  const { catalog, content } = ports;
  const version = catalog.version();
  if (worked.get(catalog) === version) return;
  const works = catalog.all().flatMap((control) => {
    const sets = setsOf(control);
    if (sets.length === 0) return [];
    const reading = readingOf(catalog, control);
    return sets.map((set) => setWork(control, set, reading));
  });
  const late = (control: CatalogRepository): void => {
    forgetPlan(catalog);
    ports.enqueue(repositoryJob(control.ref)).catch((err: unknown) => {
      ports.log.warn({ err }, 'a slow set of variants could not be expanded');
    });
  };
  const isNews = await workOut(catalog, works, (work) => content.expand(work), {
    patienceMs: PATIENCE_MS,
    late,
  });
  if (isNews) forgetPlan(catalog);
  worked.set(catalog, version);
}
