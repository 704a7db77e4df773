import type { SelectorRequirement } from './variant-types.ts';

/** What is wrong with a requirement, as the end of a sentence; undefined where nothing is. */
export function selectorProblem({ key, operator, values }: SelectorRequirement): string | undefined {
  if (key === '') return 'needs a key';
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0 ? `needs values for the operator ${operator}` : undefined;
    case 'Exists':
    case 'DoesNotExist':
      return values.length > 0 ? `may not have values with the operator ${operator}` : undefined;
    default:
      return 'needs the operator In, NotIn, Exists or DoesNotExist';
  }
}
