/**
 * A catalog of which several processes keep a copy: what changes here is written down as entries for the others, and
 * their entries are taken over. Pure: who carries the entries is somebody else's business.
 */
import { createCatalog, type Catalog, type CatalogRepository } from './catalog.ts';
import type { KeptIssue, RolloutStanding, Standing } from './last-looks.ts';

/** A key always has the same kind of value; null: it is gone. */
export type IndexEntry =
  | {
      readonly key: string;
      readonly kind: 'repository';
      readonly id: number;
      readonly value: CatalogRepository | null;
    }
  | {
      readonly key: string;
      readonly kind: 'standing';
      readonly id: number;
      readonly path: string;
      readonly value: Standing | null;
    }
  | {
      readonly key: string;
      readonly kind: 'rollout';
      readonly id: number;
      readonly name: string;
      readonly value: RolloutStanding | null;
    }
  | { readonly key: string; readonly kind: 'looked-at'; readonly id: number; readonly value: true }
  | { readonly key: string; readonly kind: 'reported'; readonly id: number; readonly value: string }
  | {
      readonly key: string;
      readonly kind: 'issue';
      readonly id: number;
      readonly title: string;
      readonly value: KeptIssue | null;
    }
  | { readonly key: string; readonly kind: 'expected'; readonly value: readonly number[] | null };

export interface SharedCatalog {
  readonly catalog: Catalog;
  /** Entries of what changed here and was not taken yet, oldest first; one for each key. */
  pending(): readonly IndexEntry[];
  /** They are stored: what did not change since then is pending no more. */
  stored(entries: readonly IndexEntry[]): void;
  /**
   * Takes over what another process wrote. `seen`: since this process began; what is older only says what there was.
   * What is pending here for the same key is newer, and stays.
   */
  take(entry: IndexEntry, seen: boolean): void;
  /** Another process wrote again what is known here. */
  confirm(key: string): void;
}

export function createSharedCatalog(): SharedCatalog {
  const inner = createCatalog();
  const changed = new Map<string, IndexEntry>();
  const titles = new Map<number, Set<string>>();
  const keep = (id: number, title: string, issue: KeptIssue | undefined): void => {
    inner.keep(id, title, issue);
    titles.set(id, (titles.get(id) ?? new Set()).add(title));
  };
  const record = (entry: IndexEntry): void => {
    // Anew at the end: entries are stored in the order of what happened.
    changed.delete(entry.key);
    changed.set(entry.key, entry);
  };

  const catalog: Catalog = {
    ...inner,
    put(repository) {
      inner.put(repository);
      const { id } = repository.ref;
      record({ key: repositoryKey(id), kind: 'repository', id, value: repository });
    },
    confirm(id) {
      inner.confirm(id);
      record({ key: lookedAtKey(id), kind: 'looked-at', id, value: true });
    },
    remove(id) {
      const paths = [...inner.standings(id).keys()];
      const rollouts = [...inner.rollouts(id).keys()];
      inner.remove(id);
      record({ key: repositoryKey(id), kind: 'repository', id, value: null });
      for (const path of paths) {
        record({ key: standingKey(id, path), kind: 'standing', id, path, value: null });
      }
      for (const name of rollouts) {
        record({ key: rolloutKey(id, name), kind: 'rollout', id, name, value: null });
      }
      for (const title of titles.get(id) ?? []) {
        record({ key: issueKey(id, title), kind: 'issue', id, title, value: null });
      }
    },
    tell(id, path, standing) {
      const isNews = inner.tell(id, path, standing);
      if (isNews) record({ key: standingKey(id, path), kind: 'standing', id, path, value: standing });
      return isNews;
    },
    tellRollout(id, name, standing) {
      const before = JSON.stringify(inner.rollouts(id).get(name));
      inner.tellRollout(id, name, standing);
      if (before === JSON.stringify(standing)) return;
      record({ key: rolloutKey(id, name), kind: 'rollout', id, name, value: standing ?? null });
    },
    tellReported(id, mark) {
      const value = inner.tellReported(id, mark);
      record({ key: reportedKey(id), kind: 'reported', id, value });
      return value;
    },
    keep(id, title, issue) {
      keep(id, title, issue);
      record({ key: issueKey(id, title), kind: 'issue', id, title, value: issue ?? null });
    },
    expect(ids) {
      const list = [...ids];
      inner.expect(list);
      record({ key: EXPECTED, kind: 'expected', value: list });
    },
  };

  return {
    catalog,
    pending: () => [...changed.values()],
    stored(entries) {
      for (const entry of entries) if (changed.get(entry.key) === entry) changed.delete(entry.key);
    },
    take(entry, seen) {
      if (changed.has(entry.key)) return;
      switch (entry.kind) {
        case 'repository':
          if (entry.value !== null) inner.load(entry.value);
          else inner.unload(entry.id);
          if (seen) inner.confirm(entry.id);
          break;
        case 'standing':
          if (entry.value !== null) inner.tell(entry.id, entry.path, entry.value);
          else inner.untell(entry.id, entry.path);
          break;
        case 'rollout':
          inner.tellRollout(entry.id, entry.name, entry.value ?? undefined);
          break;
        case 'looked-at':
          if (seen) inner.confirm(entry.id);
          break;
        case 'reported':
          inner.tellReported(entry.id, entry.value);
          break;
        case 'issue':
          keep(entry.id, entry.title, entry.value ?? undefined);
          break;
        case 'expected':
          if (seen && entry.value !== null) inner.expect(entry.value);
          break;
      }
    },
    confirm(key) {
      const id = Number(/^(?:repository|looked-at)\/(\d+)$/.exec(key)?.[1] ?? Number.NaN);
      if (!Number.isNaN(id)) inner.confirm(id);
    },
  };
}

const EXPECTED = 'expected';

function repositoryKey(id: number): string {
  return `repository/${id}`;
}

function lookedAtKey(id: number): string {
  return `looked-at/${id}`;
}

function issueKey(id: number, title: string): string {
  return `issue/${id}/${title}`;
}

function rolloutKey(id: number, name: string): string {
  return `rollout/${id}/${name}`;
}

function reportedKey(id: number): string {
  return `reported/${id}`;
}

function standingKey(id: number, path: string): string {
  return `standing/${id}/${path}`;
}
