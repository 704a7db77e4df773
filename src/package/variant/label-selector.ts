import type { LabelSelector, SelectorRequirement } from './variant-types.ts';

/**
 * Kubernetes' label selector: all of it must hold, an empty one holds for everything, `NotIn` and `DoesNotExist` hold
 * where the key is absent.
 */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(selector.matchLabels).every(([key, value]) => valueOf(labels, key) === value) &&
    selector.matchExpressions.every((requirement) => holds(requirement, valueOf(labels, requirement.key)))
  );
}

function holds({ operator, values }: SelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

function valueOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

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
