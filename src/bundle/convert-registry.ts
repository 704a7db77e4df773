/** registry+v1 → plain objects, as operator-controller makes them: nothing of OLM is needed where they are applied. */

import type { CertificateProvider } from './certificates.ts';
import type { Conversion } from './conversion.ts';
import { dependencyNotes } from './dependencies.ts';
import type { DeploymentConfig } from './deployment-config.ts';
import { deploymentsOf } from './deployments.ts';
import { kindOf, mapAt, nameOf, namespaceOf, type Manifest } from './manifest.ts';
import { withoutTwins } from './object-order.ts';
import { rolesOf, serviceAccounts } from './permissions.ts';
import type { RegistryBundle } from './registry-bundle.ts';
import { scopeOf } from './supported-kinds.ts';
import { defaultTargets, targetsProblem } from './target-namespaces.ts';
import { structureProblems } from './validate-registry.ts';
import { webhookProblems } from './validate-webhooks.ts';
import { webhookObjects, withConversions } from './webhooks.ts';

export interface ConvertOptions {
  /** Default: the namespace that the bundle suggests. */
  readonly installNamespace?: string;
  /** Namespaces to watch, `''` for all of them; what the bundle supports unless given. */
  readonly targetNamespaces?: readonly string[];
  readonly certificateProvider?: CertificateProvider;
  readonly deploymentConfig?: DeploymentConfig;
}

/** The namespace that a bundle goes to by default: the one that it suggests, or one named for its package. */
export function suggestedNamespace({ csv, packageName }: RegistryBundle): string {
  const namespace = csv.annotations['operatorframework.io/suggested-namespace'] ?? '';
  return namespace === '' ? `${packageName}-system` : namespace;
}

/** Converts a bundle, or says everything that keeps it from being converted. */
export function convertRegistry(bundle: RegistryBundle, options: ConvertOptions): Conversion {
  const { csv, others } = bundle;
  const { installNamespace = suggestedNamespace(bundle) } = options;
  const given = options.targetNamespaces ?? [];
  const targets = given.length > 0 ? [...new Set(given)] : defaultTargets(csv, installNamespace);

  const refused = refusals(bundle, installNamespace, targets);
  if (refused.length > 0) return { refused };

  const made = { ...options, installNamespace, targets };
  // A bundle may bring the account itself, with labels or secrets of its own; the other has nothing but its name.
  const brought = new Set(others.filter((object) => kindOf(object) === 'ServiceAccount').map(nameOf));
  const { objects, twins } = withoutTwins([
    ...serviceAccounts(csv, installNamespace).filter((account) => !brought.has(nameOf(account))),
    ...rolesOf(csv, installNamespace, targets),
    ...withConversions(bundle.crds, csv, made),
    ...others.map((object) => inNamespace(object, installNamespace)),
    ...deploymentsOf(csv, made),
    ...webhookObjects(csv, made),
  ]);
  if (twins.length > 0) {
    return { refused: twins.map((twin) => `two different objects would be ${twin}`) };
  }
  return { objects, notes: notesOn(bundle, made) };
}

function refusals(
  bundle: RegistryBundle,
  installNamespace: string,
  targets: readonly string[],
): readonly string[] {
  const { csv, others } = bundle;
  const problems: string[] = [...structureProblems(bundle)];
  const targetProblem = targetsProblem(csv, installNamespace, targets);
  if (targetProblem !== undefined) problems.push(targetProblem);
  // Upstream's spelling, by which people look for it.
  if (csv.ownedApiServices.length > 0) problems.push('apiServiceDefintions are not supported');
  const webhooks = webhookProblems(bundle);
  if (webhooks.length > 0)
    problems.push(`webhookDefinitions are not supported as they are: ${webhooks.join('; ')}`);
  for (const object of others) {
    if (scopeOf(kindOf(object)) !== undefined) continue;
    problems.push(`bundle contains unsupported resource: Name: ${nameOf(object)}, Kind: ${kindOf(object)}`);
  }
  return problems;
}

function inNamespace(object: Manifest, namespace: string): Manifest {
  if (scopeOf(kindOf(object)) !== 'namespace') return object;
  return { ...object, metadata: { ...mapAt(object, 'metadata'), namespace } };
}

function notesOn(
  { csv, others }: RegistryBundle,
  options: ConvertOptions & { readonly installNamespace: string },
): readonly string[] {
  const { installNamespace, certificateProvider } = options;
  const moved = others.filter(
    (object) =>
      scopeOf(kindOf(object)) === 'namespace' &&
      namespaceOf(object) !== '' &&
      namespaceOf(object) !== installNamespace,
  );
  const uncertified = csv.webhooks.length > 0 && certificateProvider === undefined;
  return [
    ...moved.map(
      (object) =>
        `${kindOf(object)} ${nameOf(object)} goes to namespace ${installNamespace} instead of ${namespaceOf(object)}`,
    ),
    ...(uncertified
      ? ['webhooks have no certificate: name a provider, or see to the Secret and the caBundle yourself']
      : []),
    ...dependencyNotes(csv),
  ];
}
