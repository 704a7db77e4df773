/** What operator-controller asks of a registry+v1 bundle before it makes objects of it, in its words and order. */
import { byText, quoted } from '../fbc/go-text.ts';
import { kindOf, nameOf, type Problem } from './manifest.ts';
import type { RegistryBundle } from './registry-bundle.ts';
import { subdomainProblems } from './subdomain.ts';
import { scopeOf } from './supported-kinds.ts';
import { webhookProblems } from './validate-webhooks.ts';

/** Everything that is wrong; empty for a bundle that can be converted. */
export function registryProblems(bundle: RegistryBundle): readonly Problem[] {
  return [...structureProblems(bundle), ...webhookProblems(bundle), ...unsupported(bundle)].map(
    (message) => ({
      message,
    }),
  );
}

/** All of it but what concerns webhooks and kinds. */
export function structureProblems({ packageName, csv, crds }: RegistryBundle): readonly string[] {
  const deployments = csv.deployments.map(({ name }) => name);
  const crdNames = crds.map(nameOf);
  const present = new Set(crdNames);
  const missing = csv.ownedCrds.map(({ name }) => name).filter((name) => !present.has(name));
  return [
    ...repeated(deployments).map(
      (name) => `cluster service version contains duplicate strategy deployment spec '${name}'`,
    ),
    ...distinct(deployments).flatMap((name) => {
      const problems = subdomainProblems(name);
      if (problems.length === 0) return [];
      return [`invalid cluster service version strategy deployment name '${name}': ${problems.join(', ')}`];
    }),
    ...repeated(crdNames).map((name) => `bundle contains duplicate custom resource definition '${name}'`),
    ...distinct(missing).map(
      (name) =>
        `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
    ),
    ...(packageName === '' ? ['package name is empty'] : []),
  ];
}

function unsupported({ others }: RegistryBundle): readonly string[] {
  return others
    .filter((object) => scopeOf(kindOf(object)) === undefined)
    .map((object) => `unsupported resource ${quoted(nameOf(object))} with kind ${quoted(kindOf(object))}`);
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort(byText);
}

function repeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice].sort(byText);
}
