/** One command for many: what is asked for, and which packages it means. */
import { matchesGlob } from '../config/glob.ts';
import type { Bump } from '../revision/numbering.ts';

export const BULK_ACTIONS = ['update', 'rollback', 'propose', 'approve', 'publish', 'close'] as const;

export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Update pull requests in other repositories, named by what they have to do with the repository of the command. */
export type FleetScope =
  /** Those that bring this revision of a package of the repository. */
  | { readonly of: 'revision'; readonly package: string; readonly revision: string }
  /** Those that bring what a rollout of the repository is about; of one wave where it is named. */
  | { readonly of: 'rollout'; readonly rollout: string; readonly wave?: string }
  /** Those of variants whose documents stand in the repository. */
  | { readonly of: 'variants' };

export interface BulkRequest {
  readonly action: BulkAction;
  /**
   * A glob over package paths, of a fleet over `owner/name` of repositories; or a label selector such as
   * `team=web,tier!=test`.
   */
  readonly match: string;
  readonly upstream?: string;
  readonly to?: string;
  /** Which part of the version a publication increases, where the repository has SemVer versions. */
  readonly bump?: Bump;
  /** Absent: the command is about the repository that it stands in. */
  readonly fleet?: FleetScope;
}

const LABEL = /^([A-Za-z0-9][A-Za-z0-9./_-]{0,250})(?:(!=|==?)([A-Za-z0-9._-]{0,63}))?$/;

/** Why a label selector is refused, or undefined. */
export function selectorProblem(selector: string): string | undefined {
  const wrong = selector.split(',').find((part) => !LABEL.test(part.trim()));
  return wrong === undefined
    ? undefined
    : 'is not a label selector; write key=value, key!=value or key, separated by commas';
}

/** True where packages are chosen by the labels of their Kptfiles, and not by a path or a name. */
export function isByLabels({ match }: Pick<BulkRequest, 'match'>): boolean {
  return match.includes('=');
}

/** Whether a package is meant, by its path or by the labels of its Kptfile. */
export function isMeant(
  { match }: Pick<BulkRequest, 'match'>,
  found: { readonly path: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  if (!isByLabels({ match })) return matchesGlob(found.path, [match]);
  return match.split(',').every((part) => {
    const [, key = '', operator, value] = LABEL.exec(part.trim()) ?? [];
    const has = Object.hasOwn(found.labels, key) ? found.labels[key] : undefined;
    if (operator === undefined) return has !== undefined;
    return operator === '!=' ? has !== value : has === value;
  });
}
