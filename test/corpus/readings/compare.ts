/** What Portico may make of a text, by what the real readers make of it: the same as all that read it, or a refusal. */
import { z } from 'zod';

import type { Applied } from '../../../src/package/applied/read-applied.ts';
import { listItems } from '../../../src/package/list-items.ts';

/** The objects that came before an error count: kubectl applies them. */
const reading = z.object({ objects: z.array(z.unknown()), error: z.string().optional() });

/** An answer of `scripts/oracles/readings`. */
export const answer = z.object({
  documents: reading,
  kubectl: reading,
  argo: reading,
  kustomize: reading,
});

export type Reading = z.infer<typeof reading>;
export type Answer = z.infer<typeof answer>;

/** Returns how Portico's reading differs from those of the tools. Undefined where it refuses, and where nothing differs. */
export function differenceOf(applied: Applied, answers: Answer): string | undefined {
  if ('refused' in applied) return undefined;
  const { documents, kubectl, argo, kustomize } = answers;
  const judged = applied.objects.flatMap(withItems);
  const isJudged = (object: unknown, same = isSame): boolean => judged.some((one) => same(one, object));
  const isDecoded = documents.error === undefined || kubectl.objects.length > 0;
  if (isDecoded && !isSame(applied.objects, documents.objects))
    return 'kubectl and Argo CD decode other documents';
  if (!kubectl.objects.filter(isWhole).every((one) => isJudged(one)))
    return 'kubectl applies an object that is not judged';
  if (argo.error === undefined && !argo.objects.filter(isWhole).every((one) => isJudged(one)))
    return 'Argo CD applies an object that is not judged';
  if (
    kustomize.error === undefined &&
    !kustomize.objects.filter(isWhole).every((one) => isJudged(one, isBuilt))
  )
    return 'kustomize builds an object that is not judged';
  return undefined;
}

/** An object, and all that it holds as items, in any depth. */
function withItems(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value];
  return [value, ...(listItems(value as Record<string, unknown>) ?? []).flatMap(withItems)];
}

/** The API server takes no object without kind and name. */
function isWhole(object: unknown): boolean {
  const { apiVersion, kind, metadata } = object as Record<string, unknown> & {
    metadata?: { name?: unknown; generateName?: unknown } | null;
  };
  return (
    [apiVersion, kind].every((one) => typeof one === 'string' && one !== '') &&
    (metadata?.name ?? metadata?.generateName) !== undefined
  );
}

type Comparison = (one: unknown, other: unknown) => boolean;

/** Whether two values are the same as JSON, which does not tell 1 from 1.0, nor 0 from -0. */
function isSame(one: unknown, other: unknown): boolean {
  return isSameBy(one, other, (left, right) => exact(left) === exact(right));
}

function exact(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/**
 * Whether kustomize builds the second of the first. It writes dates out, and in its output line breaks and spaces of long
 * texts change.
 */
function isBuilt(one: unknown, other: unknown): boolean {
  return isSameBy(one, other, (left, right) => {
    if (exact(left) === exact(right)) return true;
    if (typeof right !== 'string') return false;
    return typeof left === 'string' && (squeezed(left) === squeezed(right) || dayOf(left) === dayOf(right));
  });
}

function squeezed(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').trim();
}

/** The day of a date. No other text has one. */
function dayOf(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d?)-(\d\d?)(?=$|[Tt \t])/.exec(text) ?? [];
  return year === undefined ? NaN : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function isSameBy(one: unknown, other: unknown, compare: Comparison): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return compare(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSameBy(value, right.get(key), compare))
  );
}
