import { compareTimes } from './moment.ts';

/**
 * Pure: when rejections were carried out whose records are gone. Portico makes a proposal a draft again for a rejection alone, right
 * after it has recorded that; whoever may write can delete the record, and nobody what the forge says of the draft.
 *
 * @param drafted when Portico made it a draft again (ISO 8601)
 * @param rejections when the rejections were given of which there are records
 */
export function lostRejections(drafted: readonly string[], rejections: readonly string[]): readonly string[] {
  const sorted = drafted.toSorted((a, b) => compareTimes(a, b) ?? 0);
  return sorted.filter((at, index) => {
    const before = sorted[index - 1];
    // A time that cannot be read belongs to none.
    const isFor = (given: string): boolean =>
      (compareTimes(given, at) ?? 1) <= 0 &&
      (before === undefined || (compareTimes(given, before) ?? -1) > 0);
    return !rejections.some((given) => isFor(given));
  });
}
