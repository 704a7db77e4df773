/** One command for many: what is asked for, and which packages it means. */
import { matchesGlob } from '../config/glob.ts';

export const BULK_ACTIONS = ['update', 'rollback', 'propose', 'approve', 'close'] as const;

export type BulkAction = (typeof BULK_ACTIONS)[number];

export interface BulkRequest {
  readonly action: BulkAction;
  /** A glob over package paths, or a label selector such as `team=web,tier!=test`. */
  readonly match: string;
  readonly upstream?: string;
  readonly to?: string;
}

const LABEL = /^([A-Za-z0-9][A-Za-z0-9./_-]{0,250})(?:(!=|==?)([A-Za-z0-9._-]{0,63}))?$/;

/** Why a label selector is refused, or undefined. */
export function selectorProblem(selector: string): string | undefined {
  const wrong = selector.split(',').find((part) => !LABEL.test(part.trim()));
  return wrong === undefined
    ? undefined
    : 'is not a label selector; write key=value, key!=value or key, separated by commas';
}

/** Whether a package is meant, by its path or by the labels of its Kptfile. */
export function isMeant(
  { match }: Pick<BulkRequest, 'match'>,
  found: { readonly path: string; readonly labels: Readonly<Record<string, string>> },
): boolean {
  if (!match.includes('=')) return matchesGlob(found.path, [match]);
  return match.split(',').every((part) => {
    const [, key = '', operator, value] = LABEL.exec(part.trim()) ?? [];
    const has = Object.hasOwn(found.labels, key) ? found.labels[key] : undefined;
    if (operator === undefined) return has !== undefined;
    return operator === '!=' ? has !== value : has === value;
  });
}
