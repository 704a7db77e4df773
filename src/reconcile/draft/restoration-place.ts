/** What restorations are about, and what the work on them is done with. */
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryWork } from '../ports.ts';
import type { RevisionRefs } from '../repository/package-revisions.ts';
import type { Registered } from '../repository/registered.ts';

/** A package at its newest revision. */
export interface Standing {
  readonly path: string;
  readonly directory: RepositoryDirectory;
  readonly revision: string;
  readonly commit: string;
}

export interface RestorationPlace extends RepositoryWork {
  readonly found: Registered;
  readonly refs: RevisionRefs;
}
