/** Policies of other engines below `.github/portico/`: they look as if they were enforced here, and are not. */
import type { ConfigProblem } from './config-problem.ts';
import type { ConfigSource } from './repository-document.ts';
import { readYamlDocuments } from './yaml-place.ts';

/** API groups whose documents judge or change others, with the kinds that are read here. */
const GROUPS: readonly { readonly group: RegExp; readonly read: readonly string[] }[] = [
  {
    group: /^admissionregistration\.k8s\.io$/,
    read: [
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ],
  },
  { group: /^(?:[a-z0-9-]+\.)*kyverno\.io$/, read: [] },
  { group: /^(?:constraints|templates|mutations|expansion)\.gatekeeper\.sh$/, read: [] },
];

/** What is said of each, on its line. Objects of an inventory may be of any kind. */
export function foreignPolicies({ file, bytes }: ConfigSource): readonly ConfigProblem[] {
  if (file.includes('/inventory/')) return [];
  const text = new TextDecoder().decode(bytes);
  if (!/kyverno\.io|gatekeeper\.sh|admissionregistration\.k8s\.io/.test(text)) return [];
  return readYamlDocuments(file, bytes).documents.flatMap((yaml): ConfigProblem[] => {
    const { apiVersion, kind } = (yaml.data ?? {}) as { apiVersion?: unknown; kind?: unknown };
    if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
    const [group = ''] = apiVersion.split('/');
    const known = GROUPS.find((one) => one.group.test(group));
    if (known === undefined || known.read.includes(kind)) return [];
    return [
      {
        code: 'not-evaluated',
        file,
        path: 'kind',
        ...yaml.placeOf(['kind']),
        message: `${kind} (${group}) is not evaluated by Portico, so nothing enforces it here`,
        hint: 'Write it as a ValidatingAdmissionPolicy or as a guardrail in spec.guardrails, or move the file out of .github/portico.',
      },
    ];
  });
}
