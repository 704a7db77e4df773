import { createHash } from 'node:crypto';

import type { ResourceRef } from '../package.ts';
import { canon, toValue } from '../yaml/compare.ts';
import type { YamlNode } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { YamlPath } from '../yaml/path.ts';
import type { Conflict, Side } from './conflict.ts';
import { ownedMessage, type LocalOwns } from './local-owns.ts';
import type { MergeNote } from './merge-types.ts';

/** Collects what a merge has to tell, and knows which side conflicts take. */
export interface Report {
  readonly conflicts: Conflict[];
  readonly notes: MergeNote[];
  /** Ids of the decisions that a conflict asked for. */
  readonly used: Set<string>;
  /** Tells of a conflict between fields and answers the side that is taken. */
  readonly field: (
    at: { readonly file: string; readonly resource: ResourceRef | null; readonly path: YamlPath },
    values: {
      readonly base: YamlNode | undefined;
      readonly upstream: YamlNode | undefined;
      readonly local: YamlNode | undefined;
    },
  ) => Side;
  /** Tells of a conflict about a whole resource or file, where local stays unless somebody decided otherwise. */
  readonly whole: (
    file: string,
    resource: ResourceRef | null,
    values: { readonly base: unknown; readonly upstream: unknown; readonly local: unknown },
  ) => Side;
  readonly note: (code: string, file: string, message: string) => void;
}

/** Starts a report. Conflicts that `decisions` settles are not told again; what `owns` settles is a note. */
export function createReport(
  onConflict: Side,
  decisions: ReadonlyMap<string, Side> = new Map(),
  owns: LocalOwns['owns'] = () => false,
): Report {
  const conflicts: Conflict[] = [];
  const notes: MergeNote[] = [];
  const reported = new Set<string>();
  const used = new Set<string>();
  const tell = (
    conflict: Omit<Conflict, 'id' | 'taken'>,
    values: readonly string[],
    preferred: Side,
  ): Side => {
    const { file, resource, path } = conflict;
    const id = createHash('sha256')
      .update(JSON.stringify([file, resource, path, ...values]))
      .digest('hex')
      .slice(0, 12);
    const decided = decisions.get(id);
    if (decided !== undefined) {
      used.add(id);
      return decided;
    }
    if (owns(conflict)) {
      if (!reported.has(id))
        notes.push({ code: 'LOCAL_OWNS', file: conflict.file, message: ownedMessage(conflict) });
      reported.add(id);
      return 'local';
    }
    if (!reported.has(id)) conflicts.push({ id, ...conflict, taken: preferred });
    reported.add(id);
    return preferred;
  };
  return {
    conflicts,
    notes,
    used,
    note: (code, file, message) => {
      notes.push({ code, file, message });
    },
    field: ({ file, resource, path }, { base, upstream, local }) => {
      const [o, u, d] = [base, upstream, local].map((node) =>
        node === undefined ? undefined : toValue(node),
      );
      const values = [base, upstream, local].map((node) => (node === undefined ? '' : canon(node)));
      return tell(
        { file, resource, path: formatPath(path), base: o, upstream: u, local: d },
        values,
        onConflict,
      );
    },
    whole: (file, resource, { base, upstream, local }) => {
      const values = [base, upstream, local].map((value) => stable(value));
      return tell({ file, resource, path: '', base, upstream, local }, values, 'local');
    },
  };
}

function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
  );
}
