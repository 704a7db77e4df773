/** Webhook definitions as operator-controller judges them. */
import { byText, listed, quoted } from '../fbc/go-text.ts';
import type { Csv, Webhook } from './csv.ts';
import { mapAt, nameOf, type Manifest } from './manifest.ts';
import type { RegistryBundle } from './registry-bundle.ts';
import { subdomainProblems } from './subdomain.ts';
import { supportedModes } from './target-namespaces.ts';

const TYPES = ['ConversionWebhook', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];
const CONFIGURATIONS = new Set([
  '*',
  'mutatingwebhookconfiguration',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfiguration',
  'validatingwebhookconfigurations',
]);

/** What is wrong with the webhooks of a bundle. */
export function webhookProblems({ csv, crds }: RegistryBundle): readonly string[] {
  return [
    ...unknownTypes(csv),
    ...unsupportedConversions(csv),
    ...unknownDeployments(csv),
    ...repeatedNames(csv),
    ...badNames(csv),
    ...sharedCrds(csv),
    ...foreignCrds(csv),
    ...forbiddenRules(csv),
    ...unknownFields(csv, crds),
  ];
}

function unknownFields(csv: Csv, crds: readonly Manifest[]): readonly string[] {
  const converted = new Set(conversions(csv).flatMap(({ conversionCRDs }) => conversionCRDs));
  return crds
    .filter((crd) => converted.has(nameOf(crd)) && mapAt(crd, 'spec')['preserveUnknownFields'] === true)
    .map(
      (crd) =>
        `custom resource definition '${nameOf(crd)}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
    );
}

/** Upstream passes these by, and the operator runs without its webhook. */
function unknownTypes(csv: Csv): readonly string[] {
  return csv.webhooks
    .filter(({ type }) => !TYPES.includes(type))
    .map(({ generateName, type }) => `webhook ${quoted(generateName)} has unknown type ${quoted(type)}`);
}

function conversions(csv: Csv): readonly Webhook[] {
  return csv.webhooks.filter(({ type }) => type === 'ConversionWebhook');
}

function unsupportedConversions(csv: Csv): readonly string[] {
  const modes = supportedModes(csv);
  if (modes.length === 1 && modes[0] === 'AllNamespaces') return [];
  return conversions(csv).map(
    ({ generateName }) =>
      `bundle contains conversion webhook ${quoted(generateName)} and supports install modes ${listed(modes)} - conversion webhooks are only supported for bundles that only support AllNamespaces install mode`,
  );
}

function unknownDeployments(csv: Csv): readonly string[] {
  const known = new Set(csv.deployments.map(({ name }) => name));
  return csv.webhooks
    .filter(({ deploymentName }) => !known.has(deploymentName))
    .sort(
      (a, b) =>
        byText(a.deploymentName, b.deploymentName) ||
        byText(a.type, b.type) ||
        byText(a.generateName, b.generateName),
    )
    .map(
      ({ type, generateName, deploymentName }) =>
        `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
    );
}

function repeatedNames(csv: Csv): readonly string[] {
  const seen = new Set<string>();
  const twice = new Map<string, Webhook>();
  for (const webhook of csv.webhooks) {
    const key = `${webhook.type}\n${webhook.generateName}`;
    if (seen.has(key)) twice.set(key, webhook);
    seen.add(key);
  }
  return byTypeAndName([...twice.values()]).map(
    ({ type, generateName }) => `duplicate webhook '${generateName}' of type '${type}'`,
  );
}

function badNames(csv: Csv): readonly string[] {
  const bad = new Map(
    csv.webhooks
      .filter(({ generateName }) => subdomainProblems(generateName).length > 0)
      .map((webhook) => [`${webhook.type}\n${webhook.generateName}`, webhook]),
  );
  return byTypeAndName([...bad.values()]).map(
    ({ type, generateName }) =>
      `webhook of type '${type}' has invalid name '${generateName}': ${subdomainProblems(generateName).join(',')}`,
  );
}

function sharedCrds(csv: Csv): readonly string[] {
  const users = new Map<string, string[]>();
  for (const { conversionCRDs, generateName } of conversions(csv)) {
    for (const crd of conversionCRDs) {
      const names = users.get(crd);
      if (names === undefined) users.set(crd, [generateName]);
      else names.push(generateName);
    }
  }
  return [...users]
    .filter(([, names]) => names.length > 1)
    .sort(([a], [b]) => byText(a, b))
    .map(
      ([crd, names]) =>
        `conversion webhooks [${names.sort(byText).join(',')}] reference same custom resource definition '${crd}'`,
    );
}

function foreignCrds(csv: Csv): readonly string[] {
  const owned = new Set(csv.ownedCrds.map(({ name }) => name));
  return byTypeAndName(conversions(csv)).flatMap(({ generateName, conversionCRDs }) =>
    [...conversionCRDs]
      .sort(byText)
      .filter((crd) => !owned.has(crd))
      .map(
        (crd) =>
          `conversion webhook '${generateName}' references custom resource definition '${crd}' not owned bundle`,
      ),
  );
}

function forbiddenRules(csv: Csv): readonly string[] {
  const problems: string[] = [];
  for (const { type, generateName, rules = [] } of csv.webhooks) {
    if (type === 'ConversionWebhook') continue;
    const forbidden = `webhook ${quoted(generateName)} contains forbidden rule: admission webhook rules cannot reference`;
    for (const rule of rules) {
      for (const group of strings(rule['apiGroups'])) {
        if (group === '*' || group === 'olm.operatorframework.io') {
          problems.push(`${forbidden} API group ${quoted(group)}`);
        }
        if (group !== 'admissionregistration.k8s.io') continue;
        for (const resource of strings(rule['resources'])) {
          // A subresource of a configuration is as good as the configuration.
          if (!CONFIGURATIONS.has(resource.toLowerCase().split('/')[0] ?? '')) continue;
          problems.push(`${forbidden} resource ${quoted(resource)} for API group ${quoted(group)}`);
        }
      }
    }
  }
  return problems;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function byTypeAndName(webhooks: readonly Webhook[]): readonly Webhook[] {
  return [...webhooks].sort((a, b) => byText(a.type, b.type) || byText(a.generateName, b.generateName));
}
