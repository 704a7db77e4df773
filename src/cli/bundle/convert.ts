import { readFileSync } from 'node:fs';

import type { BundleFormat } from '../../bundle/bundle-format.ts';
import type { CertificateProvider } from '../../bundle/certificates.ts';
import type { Conversion } from '../../bundle/conversion.ts';
import { convertRegistry, suggestedNamespace, type ConvertOptions } from '../../bundle/convert-registry.ts';
import { deploymentConfigSchema, type DeploymentConfig } from '../../bundle/deployment-config.ts';
import { kindOf, nameOf, namespaceOf } from '../../bundle/manifest.ts';
import { objectFiles } from '../../bundle/object-files.ts';
import { convertPlain, readPlainBundle } from '../../bundle/plain-bundle.ts';
import { readRegistryBundle, type Reading, type RegistryBundle } from '../../bundle/registry-bundle.ts';
import { PorticoError } from '../../error.ts';
import { labelProblems } from '../../fbc/label.ts';
import type { PackageFiles } from '../../package/package.ts';
import { decodeText } from '../../package/render/read-resources.ts';
import { readYaml } from '../../package/yaml/edit.ts';
import { counted } from '../../text/counted.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { requireFree, writeNewFolder } from '../folder-write.ts';
import { reasonOf } from '../system-error.ts';
import type { Call } from '../verb.ts';
import { convertChart } from './convert-chart.ts';
import { knownApis, readBundle } from './read-bundle.ts';

const FORMAT_NAMES: Readonly<Record<BundleFormat, string>> = {
  'registry-v1': 'registry+v1',
  plain: 'plain+v0',
  helm: 'helm+v3',
};

/** `portico bundle convert DIR --output OUT`: writes the objects of a bundle, one file for each. */
export async function convert(call: Call): Promise<number> {
  const { terminal } = call;
  const output = call.text('output');
  if (output === undefined)
    throw usageError('portico bundle convert: --output is missing', 'Name a new directory.');
  requireFree(call.path(output));

  const { files, format } = readBundle(call);
  const converted = await conversionOf(call, files, format);
  if ('refused' in converted) {
    const prefix = `convert ${FORMAT_NAMES[format]} bundle to ${FORMAT_NAMES.plain} bundle`;
    throw new PorticoError('BUNDLE_REFUSED', `${prefix}: ${converted.refused.join('\n')}`, {
      blame: 'user',
      hint: HINTS[format],
    });
  }
  for (const note of converted.notes) terminal.warn(note);
  const written = objectFiles(converted.objects);
  writeNewFolder(call.path(output), written);
  const paths = [...written.keys()];
  if (terminal.json) {
    const objects = converted.objects.map((object, at) => ({
      kind: kindOf(object),
      namespace: namespaceOf(object),
      name: nameOf(object),
      path: paths[at],
    }));
    terminal.document({ format, objects, notes: converted.notes });
  } else terminal.print(`Wrote ${counted(paths.length, 'object')} to ${output}.`);
  return EXIT.ok;
}

const HINTS: Readonly<Record<BundleFormat, string>> = {
  'registry-v1': 'See: portico bundle validate. --target-namespaces says which namespaces to watch.',
  plain: 'With --known-api, name the APIs that the cluster has and the CRDs that you install first.',
  helm: 'Fix the chart or its values. If Helm is not installed here, render the chart with helm template elsewhere and pass the result as a plain bundle: a directory named manifests.',
};

async function conversionOf(call: Call, files: PackageFiles, format: BundleFormat): Promise<Conversion> {
  const useless = OPTIONS_OF.filter(([, formats]) => !formats.includes(format)).find(([name]) =>
    call.has(name),
  );
  if (useless !== undefined) {
    const [name, formats] = useless;
    throw usageError(
      `--${name} is for ${formats.map((one) => FORMAT_NAMES[one]).join(' and ')} bundles; this one is ${FORMAT_NAMES[format]}`,
      'Remove it.',
    );
  }
  if (format === 'registry-v1') {
    return after(readRegistryBundle(files), (bundle) =>
      convertRegistry(bundle, registryOptions(call, bundle)),
    );
  }
  if (format === 'helm') return convertChart(call, files);
  if (call.has('install-namespace')) {
    call.terminal.warn('--install-namespace has no effect: the manifests set their own namespaces');
  }
  return after(readPlainBundle(files), (objects) => convertPlain(objects, knownApis(call)));
}

/** Options that only bundles of some formats have. */
const OPTIONS_OF: readonly (readonly [name: string, formats: readonly BundleFormat[]])[] = [
  ['target-namespaces', ['registry-v1']],
  ['certificate-provider', ['registry-v1']],
  ['deployment-config', ['registry-v1']],
  ['known-api', ['plain']],
  ['values', ['helm']],
  ['release', ['helm']],
];

function after<Value>(read: Reading<Value>, next: (value: Value) => Conversion): Conversion {
  return 'problems' in read ? { refused: read.problems.map(({ message }) => message) } : next(read.value);
}

/** What the options of the command line ask for. */
export function registryOptions(
  call: Call,
  bundle: RegistryBundle,
): ConvertOptions & { readonly installNamespace: string } {
  const installNamespace = call.text('install-namespace') ?? suggestedNamespace(bundle);
  if (!call.has('install-namespace')) {
    call.terminal.warn(
      `the namespace is ${installNamespace}, which the bundle suggests; --install-namespace names another`,
    );
  }
  const targets = call.text('target-namespaces')?.split(',');
  for (const namespace of new Set([installNamespace, ...(targets ?? [])])) {
    if (namespace === '') continue;
    for (const problem of labelProblems(namespace)) call.terminal.warn(`namespace ${namespace}: ${problem}`);
  }
  const provider = call.text('certificate-provider') as CertificateProvider | undefined;
  const configFile = call.text('deployment-config');
  return {
    installNamespace,
    ...(targets !== undefined && { targetNamespaces: targets.map((target) => target.trim()) }),
    ...(provider !== undefined && { certificateProvider: provider }),
    ...(configFile !== undefined && { deploymentConfig: readConfig(call, configFile) }),
  };
}

function readConfig(call: Call, typed: string): DeploymentConfig {
  const [value = {}] = readYaml(decodeText(typed, readBytes(call, typed)));
  const read = deploymentConfigSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.length === 0 ? '' : `${issue?.path.join('.')}: `;
  throw new PorticoError('DEPLOYMENT_CONFIG_INVALID', `${typed}: ${place}${issue?.message ?? 'invalid'}`, {
    blame: 'user',
    hint: 'Its fields are those of the config of an OLM subscription: env, resources, tolerations and so on.',
  });
}

function readBytes(call: Call, typed: string): Uint8Array {
  try {
    return readFileSync(call.path(typed));
  } catch (cause) {
    throw new PorticoError('DEPLOYMENT_CONFIG_UNREADABLE', `${typed} cannot be read: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Name a YAML file.',
    });
  }
}
