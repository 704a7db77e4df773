import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { PorticoError } from '../../error.ts';
import { shortenValue } from '../../text/cut-text.ts';
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
  /** Whose Jobs these are: a pod by its name, and any other process by a name that it alone has. */
  readonly owner: string;
  /** How long a call is repeated while the API server is not there. */
  readonly patienceMs: number;
}

const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAMESPACE = 'portico-functions';
/** An API server that is replaced by its next version, or elects another leader of its store. */
const PATIENCE_MS = 30_000;

/** One for each process. */
const PROCESS = randomBytes(4).toString('hex');

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
    owner: ownerOf(env),
    patienceMs: PATIENCE_MS,
  };
}

/**
 * A pod has one server, which finds by the pod's name what it left before its container was started again. Elsewhere
 * several servers and command lines share the name of a machine, and one would remove what another runs.
 */
function ownerOf(env: Readonly<Record<string, string | undefined>>): string {
  const name = setting(env['HOSTNAME']) ?? hostname();
  if ((env['KUBERNETES_SERVICE_HOST'] ?? '') !== '') return labelValue(name, 63);
  return `${labelValue(name, 54)}-${PROCESS}`;
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

/** Letters, digits, `-`, `_` and `.`, as values of labels are, which have 63 characters at most. */
function labelValue(text: string, length: number): string {
  const value = text
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, length)
    .replaceAll(/^[^A-Za-z0-9]+|(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/g, '');
  return value === '' ? 'unnamed' : value;
}

function setting(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function quoted(text: string): string {
  return JSON.stringify(shortenValue(text, 200));
}

function invalid(message: string): PorticoError {
  return new PorticoError('CONTAINERS_INVALID', message, {
    blame: 'user',
    hint: 'Correct the variable; docs/functions.md says what functions on Kubernetes need.',
  });
}
