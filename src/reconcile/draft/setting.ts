import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { type RevisionRefs } from '../repository/package-revisions.ts';
import type { CommandRequest } from '../step-outcome.ts';
import { type Asker } from './upstream.ts';

/** Everything that a draft is made from. */
export interface DraftSetting {
  readonly world: Ports;
  readonly access: RepositoryAccess;
  readonly asked: CommandRequest;
  readonly asker: Asker;
  /** Head of the registered branch. */
  readonly base: string;
  readonly directory: RepositoryDirectory;
  readonly refs: RevisionRefs;
}
