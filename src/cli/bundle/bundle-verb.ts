import { JSON_OPTION } from '../json-option.ts';
import type { Verb } from '../verb.ts';

/** `portico bundle …` in the table of verbs. */
export const BUNDLE_VERB: Verb = {
  name: 'bundle',
  summary: 'check operator bundles and convert them to plain objects',
  usage: [
    'portico bundle validate DIR [--format FORMAT] [--known-api GROUP/KIND]…',
    'portico bundle convert DIR --install-namespace NS [--target-namespaces LIST] --output OUT',
    'portico bundle convert DIR --format plain --output OUT',
    'portico bundle convert DIR --format helm [--values FILE]… [--release NAME] [--install-namespace NS] --output OUT',
    'portico bundle rbac DIR --install-namespace NS [--target-namespaces LIST] [--extension NAME] [--account NAME]',
  ],
  description: [
    'A bundle is registry+v1 (a ClusterServiceVersion with its CRDs), plain+v0 (a flat directory of manifests) or',
    'a Helm chart, which Helm renders if necessary; the format is detected from the files. validate reports problems in the',
    'words of opm and operator-controller. convert writes what operator-controller would apply, with one file for',
    'each object, numbered in the order of application. It needs neither OLM nor a cluster.',
    'rbac prints the ServiceAccount with which a ClusterExtension installs the bundle, with all the rights it needs and no others.',
    'DIR may be an archive: tar, gzipped tar or zip.',
  ],
  options: [
    {
      name: 'format',
      value: 'FORMAT',
      choices: ['registry-v1', 'plain', 'helm'],
      help: 'format of the directory',
    },
    { name: 'install-namespace', value: 'NS', help: 'namespace of the operator or the release' },
    {
      name: 'target-namespaces',
      value: 'LIST',
      empty: 'value',
      help: 'registry-v1: namespaces to watch, separated by commas; "" for all of them',
    },
    {
      name: 'certificate-provider',
      value: 'PROVIDER',
      choices: ['cert-manager', 'service-ca'],
      help: 'registry-v1: issuer of the certificates of webhooks',
    },
    {
      name: 'deployment-config',
      value: 'FILE',
      help: "registry-v1: changes to the operator's Deployments, as in the config of an OLM subscription",
    },
    {
      name: 'known-api',
      value: 'GROUP/KIND',
      many: true,
      help: 'plain: an API that the cluster already has before the bundle is applied',
    },
    { name: 'values', value: 'FILE', many: true, help: 'convert helm: values file; the last one wins' },
    { name: 'release', value: 'NAME', help: "convert helm: name of the release (default: the chart's name)" },
    {
      name: 'extension',
      value: 'NAME',
      help: 'rbac: the ClusterExtension (default: the package of the bundle)',
    },
    { name: 'account', value: 'NAME', help: 'rbac: the ServiceAccount (default: NAME-installer)' },
    { name: 'output', short: 'o', value: 'OUT', help: 'convert: a new or empty directory' },
    JSON_OPTION,
  ],
  examples: [
    'portico bundle validate ./argocd-operator --json',
    'portico bundle convert ./argocd-operator --install-namespace argocd --target-namespaces "" --output ./argocd',
    'portico bundle rbac ./argocd-operator --install-namespace argocd | kubectl apply -f -',
    'portico bundle convert ./webhooks --install-namespace ops --certificate-provider cert-manager --output ./out',
    'portico bundle convert ./redis --format helm --values production.yaml --install-namespace redis --output ./out',
    'portico bundle convert ./manifests-bundle --format plain --known-api cert-manager.io/Issuer --output ./out',
  ],
  positionals: { least: 2, most: 2 },
  load: async () => (await import('./bundle.ts')).bundle,
};
