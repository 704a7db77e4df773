/**
 * Where pods stand in a resource of whatever kind: known kinds have one template, others have several, deeper, or whole
 * manifests. They are told by their shape, so that no list of kinds has to be complete.
 */
import { isOperator, type MadeObject } from './operator-objects.ts';
import { groupOf, isMap, mapAt, textAt, type Fields } from './plain-values.ts';

type FieldPath = readonly (string | number)[];

/** Where the kinds of Kubernetes itself keep the spec of their pods. */
const USUAL = new Set(['spec', 'template.spec', 'spec.template.spec', 'spec.jobTemplate.spec.template.spec']);

/** True for a path that is named without saying of which pod. */
export function isUsualPodPath(path: FieldPath): boolean {
  return USUAL.has(path.join('.'));
}

/**
 * Paths of the specs of all pods: of each `kind: Pod`, also of one in a manifest that another resource carries, and of each
 * template with a list of containers. Policies of Kyverno hold patterns of pods, which are none, beside what they generate; operators are
 * judged as what is made of them.
 */
export function podSpecPaths(value: Fields): FieldPath[] {
  const isPattern = /(?:^|\.)kyverno\.io$/.test(groupOf(textAt(value, 'apiVersion')));
  if (isOperator(value)) return [];
  return podsBelow(value, []).filter((path) => !isPattern || path.includes('generate'));
}

function podsBelow(value: unknown, path: FieldPath): FieldPath[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => podsBelow(item, [...path, index]));
  if (!isMap(value)) return [];
  const isPod = value['kind'] === 'Pod';
  const isTemplate = value['kind'] === 'PodTemplate' || /template$/i.test(String(path.at(-1)));
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key];
    const isSpec = key === 'spec' && isMap(inner);
    // Kyverno has the kind beside the content that it generates.
    if (isPod && key === 'data' && isMap(inner) && isMap(inner['spec'])) return [[...here, 'spec']];
    if (isSpec && (isPod || (isTemplate && Array.isArray(inner['containers'])))) return [here];
    return podsBelow(inner, here);
  });
}

/** The pods at places where no kind of Kubernetes has them, each as the `PodTemplate` that policies know how to read. */
export function podTemplatesIn(value: Fields): MadeObject[] {
  return podSpecPaths(value)
    .filter((path) => !isUsualPodPath(path))
    .map((path) => {
      const at = path.slice(0, -1);
      return {
        value: {
          apiVersion: 'v1',
          kind: 'PodTemplate',
          metadata: mapAt(value, 'metadata'),
          template: mapAt(value, ...at),
        },
        sourceOf: ([first, ...rest]) =>
          first === 'template' ? [...at, ...rest] : [...(first === undefined ? [] : [first]), ...rest],
      };
    });
}
