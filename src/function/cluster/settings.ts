import { hostname } from 'node:os';

import { PorticoError } from '../../error.ts';
import { withoutEnd } from '../../text/ends.ts';

/** Where and how functions run as Jobs of a Kubernetes cluster. */
export interface ClusterSettings {
  readonly kind: 'kubernetes';
  /** Address of the API server, without a slash at its end. */
  readonly url: string;
  /** Read again for each call: the kubelet replaces tokens before they expire. */
  readonly tokenFile: string;
  /** Certificates of the API server's authority; absent, those that this machine trusts. */
  readonly caFile: string | undefined;
  readonly namespace: string;
  /** Names of Secrets in that namespace with which images are pulled. */
  readonly pullSecrets: readonly string[];
  /** Whose Jobs these are: the name of this machine, or of the pod. */
  readonly owner: string;
}

const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAMESPACE = 'portico-functions';

/** A label of DNS, as names of namespaces are. https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Reads `PORTICO_KUBERNETES_URL`, `_TOKEN_FILE` and `_CA_FILE` (by default what a pod with a service account has),
 * `PORTICO_FUNCTIONS_NAMESPACE` and `PORTICO_FUNCTIONS_PULL_SECRETS` (names, separated by commas).
 * @throws PorticoError CONTAINERS_INVALID where there is no address, or a name is none
 */
export function clusterSettings(env: Readonly<Record<string, string | undefined>>): ClusterSettings {
  const own = setting(env['PORTICO_KUBERNETES_URL']);
  const namespace = setting(env['PORTICO_FUNCTIONS_NAMESPACE']) ?? NAMESPACE;
  if (!LABEL.test(namespace))
    throw invalid(`PORTICO_FUNCTIONS_NAMESPACE: ${quoted(namespace)} is no namespace`);
  const pullSecrets = (env['PORTICO_FUNCTIONS_PULL_SECRETS'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  for (const name of pullSecrets) {
    if (!SUBDOMAIN.test(name))
      throw invalid(`PORTICO_FUNCTIONS_PULL_SECRETS: ${quoted(name)} is no Secret's name`);
  }
  return {
    kind: 'kubernetes',
    url: readUrl(own ?? inCluster(env)),
    tokenFile: setting(env['PORTICO_KUBERNETES_TOKEN_FILE']) ?? `${MOUNTED}/token`,
    caFile:
      setting(env['PORTICO_KUBERNETES_CA_FILE']) ?? (own === undefined ? `${MOUNTED}/ca.crt` : undefined),
    namespace,
    pullSecrets,
    owner: labelValue(setting(env['HOSTNAME']) ?? hostname()),
  };
}

function inCluster(env: Readonly<Record<string, string | undefined>>): string {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  if (host === '') throw invalid('PORTICO_CONTAINERS is kubernetes, and this is no pod of a cluster');
  return `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`;
}

/** HTTPS, because the token goes along; plain HTTP only to this machine, as `kubectl proxy` serves it. */
function readUrl(text: string): string {
  const url = URL.parse(text);
  const local = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !(local && url.protocol === 'http:'))
    throw invalid(`PORTICO_KUBERNETES_URL: ${quoted(text)} is no address that begins with https://`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid('PORTICO_KUBERNETES_URL holds more than an address');
  return withoutEnd(url.href, '/');
}

/** At most 63 letters, digits, `-`, `_` and `.`, as values of labels are. */
function labelValue(text: string): string {
  const value = text
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, 63)
    .replaceAll(/^[^A-Za-z0-9]+|(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/g, '');
  return value === '' ? 'unnamed' : value;
}

function setting(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

function invalid(message: string): PorticoError {
  return new PorticoError('CONTAINERS_INVALID', message, {
    blame: 'user',
    hint: 'Correct the variable; docs/functions.md says what functions on Kubernetes need.',
  });
}
