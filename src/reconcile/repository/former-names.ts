/**
 * Names that repositories had before, as Kptfiles and documents still say them. The forge leads from such a name to
 * the repository until another takes it; what it says is held for a while, so that nothing is lost with the process.
 */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import { repositoryPlace } from '../../catalog/repository-place.ts';
import { PorticoError } from '../../error.ts';
import type { Ports } from '../ports.ts';

interface Answer {
  readonly address: string;
  /** Null: no repository that Portico is in. */
  readonly id: number | null;
  /** Milliseconds since 1970. */
  readonly until: number;
}

interface Memory {
  /** Place → what the forge said of it. */
  readonly answers: Map<string, Answer>;
  /** Place → what it is being asked. */
  readonly questions: Map<string, Promise<number | null>>;
}

const createMemory = (): Memory => ({ answers: new Map(), questions: new Map() });

/** An answer is good for an hour, and so many are held. */
const GOOD_MS = 3_600_000;
/** Answers that are held at a time. */
const MAX_COUNT = 10_000;
/** Names that one look asks for; the next look goes on behind them. */
export const MAX_ASKED = 100;
/** So many addresses of former names are remembered of a repository. */
const MAX_NAMES = 20;

const REFUSED: readonly string[] = ['FORGE_FORBIDDEN', 'FORGE_INVALID'];
/** What may stand in the path of a call; never `..`. */
const NAME = /^(?!\.+$)[\w.-]+$/;

/**
 * Asks the forge whose names these are, those that a repository of the index has now left out. `host` is the forge's
 * own: nothing else is asked for. Answers how many names are left for the next look: so far they lead to nobody.
 */
export async function learnNames(
  ports: Pick<Ports, 'catalog' | 'memories' | 'repositoryAt' | 'now'>,
  addresses: Iterable<string>,
  host: string,
  signal?: AbortSignal,
): Promise<number> {
  const { catalog } = ports;
  const { answers, questions } = ports.memories.of(createMemory);
  let count = 0;
  let left = 0;
  for (const [place, address] of new Map([...addresses].map((one) => [repositoryPlace(one), one]))) {
    const [at, owner = '', name = '', ...rest] = place.split('/');
    if (at !== host || rest.length > 0 || !NAME.test(owner) || !NAME.test(name)) continue;
    if (isNameOf(catalog.byUrl(address), place)) continue;
    const now = ports.now().getTime();
    if ((answers.get(place)?.until ?? 0) <= now) {
      if (count === MAX_ASKED) {
        left += 1;
        continue;
      }
      count += 1;
      const asking =
        questions.get(place) ?? askForge(ports, owner, name).finally(() => questions.delete(place));
      questions.set(place, asking);
      const id = await asking;
      signal?.throwIfAborted();
      if (answers.size >= MAX_COUNT) answers.clear();
      answers.set(place, { address, id, until: now + GOOD_MS });
    }
    apply(ports, place);
  }
  return left;
}

/** Null too where the forge does not want to say. No signal goes in: all that want to know share the question. */
async function askForge(
  ports: Pick<Ports, 'repositoryAt'>,
  owner: string,
  name: string,
): Promise<number | null> {
  try {
    return await ports.repositoryAt(owner, name);
  } catch (error) {
    if (error instanceof PorticoError && REFUSED.includes(error.code)) return null;
    throw error;
  }
}

/** The addresses of a repository's former names: those that it had in the index, and those that the forge told. */
export function formerNames(
  { catalog, memories }: Pick<Ports, 'catalog' | 'memories'>,
  id: number,
  urls: readonly string[],
): readonly string[] {
  const known = catalog.get(id);
  const now = new Set(urls.map(repositoryPlace));
  const { answers } = memories.of(createMemory);
  // What was said before it had its name is no longer so.
  for (const place of now) if (answers.get(place)?.id !== id) answers.delete(place);
  const had = [...(known?.urls ?? []), ...(known?.formerUrls ?? [])].filter((url) => {
    const answer = answers.get(repositoryPlace(url));
    return answer === undefined || answer.id === id;
  });
  const learned = [...answers.values()].flatMap(({ address, id: other }) => (other === id ? [address] : []));
  const all = new Map([...learned, ...had].map((url) => [repositoryPlace(url), url]));
  return [...all].flatMap(([place, url]) => (now.has(place) ? [] : [url])).slice(0, MAX_NAMES);
}

/** The index calls by a name whom the forge does. What was not looked at yet is called so when it is. */
function apply(ports: Pick<Ports, 'catalog' | 'memories'>, place: string): void {
  const { catalog, memories } = ports;
  const answer = memories.of(createMemory).answers.get(place);
  if (answer === undefined) return;
  const before = catalog.byUrl(answer.address);
  if (before?.ref.id === answer.id) return;
  for (const one of [before, answer.id === null ? undefined : catalog.get(answer.id)]) {
    if (one === undefined || !catalog.isSeen(one.ref.id)) continue;
    const { formerUrls: _before, ...rest } = one;
    const formerUrls = formerNames(ports, one.ref.id, one.urls);
    catalog.put({ ...rest, ...(formerUrls.length > 0 && { formerUrls }) });
  }
}

function isNameOf(repository: CatalogRepository | undefined, place: string): boolean {
  return repository?.urls.some((url) => repositoryPlace(url) === place) ?? false;
}
