import { groupOf } from '../../package/plain-values.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { apiVersionOf, kindOf } from './krm.ts';

/**
 * The items that functions of 2021 were given: kpt kept Kptfiles and the configurations of functions to itself then,
 * and so those functions were never meant for them.
 */
export function withoutMetaResources(items: readonly KrmObject[]): KrmObject[] {
  return items.filter((item) => {
    const group = groupOf(apiVersionOf(item));
    return !(group === 'kpt.dev' && kindOf(item) === 'Kptfile') && group !== 'fn.kpt.dev';
  });
}
