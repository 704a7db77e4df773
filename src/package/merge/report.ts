import { createHash } from 'node:crypto';

import type { ResourceRef } from '../package.ts';
import { canon, toValue } from '../yaml/compare.ts';
import type { YamlNode } from '../yaml/node.ts';
import { formatPath } from '../yaml/path.ts';
import type { Choice, Conflict, Side } from './conflict.ts';
import type { FieldContext } from './fields.ts';
import type { LineQuestion } from './lines.ts';
import { ownedMessage, type LocalOwns } from './local-owns.ts';
import type { MergeNote } from './merge-types.ts';

/** Collects what a merge has to tell, and knows which side conflicts take. */
export interface Report {
  readonly conflicts: Conflict[];
  readonly notes: MergeNote[];
  /** Ids of the decisions that a conflict asked for. */
  readonly used: Set<string>;
  /** What a merge of the fields of one resource asks when both sides changed one. */
  readonly fields: (file: string, resource: ResourceRef | null) => Pick<FieldContext, 'conflict' | 'stretch'>;
  /** Tells of a conflict about a whole resource or file, where local stays unless somebody decided otherwise. */
  readonly whole: (
    file: string,
    resource: ResourceRef | null,
    values: { readonly base: unknown; readonly upstream: unknown; readonly local: unknown },
  ) => Side;
  /** Tells of lines of a file that is not made of resources, where local stays unless somebody decided otherwise. */
  readonly lines: (file: string, question: LineQuestion) => Choice;
  readonly note: (code: string, file: string, message: string) => void;
}

/** Starts a report. Conflicts that `decisions` settles are not told again; what `owns` settles is a note. */
export function createReport(
  onConflict: Side,
  decisions: ReadonlyMap<string, Choice> = new Map(),
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
  ): Choice => {
    const { file, resource, path } = conflict;
    const id = createHash('sha256')
      .update(JSON.stringify([file, resource, path, ...values]))
      .digest('hex')
      .slice(0, 12);
    const decided = decisions.get(id);
    if (decided !== undefined && (decided !== 'both' || conflict.both === true)) {
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
    fields: (file, resource) => ({
      conflict: (path, { base, upstream, local }, also = []) => {
        const nodes = [base, upstream, local];
        const following = also.map((one) => ({
          path: formatPath(one.path),
          ...shownNodes(one.base, one.upstream, one.local),
        }));
        const asked = {
          file,
          resource,
          path: formatPath(path),
          ...shownNodes(base, upstream, local),
          ...(following.length > 0 && { also: following }),
        };
        return sideOf(tell(asked, nodes.map(canonOf), onConflict));
      },
      stretch: (path, { base, upstream, local, nth, both }) => {
        const values = [base, upstream, local].map(canonOf);
        const asked = { file, resource, path: formatPath(path), ...shownNodes(base, upstream, local) };
        return tell(
          { ...asked, part: true, ...(both && { both }) },
          [...values, 'part', String(nth)],
          onConflict,
        );
      },
    }),
    whole: (file, resource, { base, upstream, local }) => {
      const values = [base, upstream, local].map((value) => stable(value));
      return sideOf(tell({ file, resource, path: '', base, upstream, local }, values, 'local'));
    },
    lines: (file, { nth, both, ...values }) =>
      tell(
        { file, resource: null, path: '', ...values, part: true, ...(both && { both }) },
        [values.base, values.upstream, values.local, 'part', String(nth)],
        'local',
      ),
  };
}

/** Both is offered for stretches alone. */
function sideOf(choice: Choice): Side {
  return choice === 'local' ? 'local' : 'upstream';
}

function canonOf(node: YamlNode | undefined): string {
  return node === undefined ? '' : canon(node);
}

function shownNodes(
  ...nodes: readonly (YamlNode | undefined)[]
): Pick<Conflict, 'base' | 'upstream' | 'local'> {
  const [base, upstream, local] = nodes.map((node) => (node === undefined ? undefined : toValue(node)));
  return { base, upstream, local };
}

function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
  );
}
