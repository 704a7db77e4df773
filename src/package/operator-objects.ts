/**
 * What the Operator Lifecycle Manager makes of a ClusterServiceVersion, as input for the judges of packages. Nothing is
 * refused: where it depends on the cluster, this is the most that may come of it. `src/bundle` converts bundles exactly.
 */
import { groupOf, listAt, mapAt, textAt, valueAt, type Fields } from './plain-values.ts';
import { SOURCES_FILE } from './sources/source-files.ts';

type FieldPath = readonly (string | number)[];

export interface MadeObject {
  readonly value: Fields;
  /** Returns the field of the ClusterServiceVersion that says what stands at a path of the object. */
  readonly sourceOf: (path: FieldPath) => FieldPath;
}

/** From a field of what is made to the field that it is made from. The first that fits counts. */
type Move = readonly [made: FieldPath, source: FieldPath];

const INSTALL: FieldPath = ['spec', 'install', 'spec'];

export function isOperator(value: Fields): boolean {
  return (
    value['kind'] === 'ClusterServiceVersion' &&
    groupOf(textAt(value, 'apiVersion')) === 'operators.coreos.com'
  );
}

/** Service accounts, roles and bindings, Deployments, webhooks and served APIs of an operator; none for anything else. */
export function madeObjects(value: Fields): readonly MadeObject[] {
  if (!isOperator(value)) return [];
  return [...accountsOf(value), ...rolesOf(value), ...deploymentsOf(value), ...servedOf(value)];
}

/** A document with its path. */
type Placed = readonly [path: string, document: Fields];

/**
 * Returns a test for manifests of bundles that processors of `portico-sources.yaml` convert: an operator there is judged by
 * what the processor made of it, which `portico/sources` holds to its bundle.
 */
export function convertedIn(documents: Iterable<Placed>): (path: string) => boolean {
  const directories = [...documents].flatMap(([path, document]) => {
    const inside = path.slice(0, Math.max(0, path.lastIndexOf('/') + 1));
    if (path !== `${inside}${SOURCES_FILE}` || document['kind'] !== 'Sources') return [];
    const bundles = listAt(document, 'processors').map((one) => textAt(one, 'registryV1', 'bundle'));
    return bundles.filter((bundle) => bundle !== '').map((bundle) => `${inside}${bundle}/manifests/`);
  });
  return (path) => directories.some((directory) => path.startsWith(directory));
}

/** Whether a file may be one that `convertedIn` has to know. */
export function mayConvert(path: string): boolean {
  return path === SOURCES_FILE || path.endsWith(`/${SOURCES_FILE}`);
}

/** Permissions of both kinds, those of the cluster last. */
function permissionsOf(
  csv: Fields,
): { readonly list: string; readonly index: number; readonly permission: Fields }[] {
  return ['permissions', 'clusterPermissions'].flatMap((list) =>
    listAt(csv, ...INSTALL, list).map((permission, index) => ({ list, index, permission })),
  );
}

function accountOf(permission: Fields): string {
  return textAt(permission, 'serviceAccountName') || 'default';
}

function accountsOf(csv: Fields): MadeObject[] {
  const seen = new Set(['default']);
  return permissionsOf(csv).flatMap(({ list, index, permission }) => {
    const name = accountOf(permission);
    if (seen.has(name)) return [];
    seen.add(name);
    return [
      made({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadataOf(csv, name) }, [
        ...INSTALL,
        list,
        index,
        'serviceAccountName',
      ]),
    ];
  });
}

/** What an operator that watches every namespace has to see of them. */
const SEES_NAMESPACES = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] };
const RBAC = 'rbac.authorization.k8s.io';

/** Permissions of an operator that may watch every namespace are lifted to the cluster. */
function rolesOf(csv: Fields): MadeObject[] {
  const everywhere = watchesAll(csv);
  const names = new Map<string, number>();
  return permissionsOf(csv).flatMap(({ list, index, permission }) => {
    const isLifted = list === 'permissions' && everywhere;
    const isWide = list === 'clusterPermissions' || isLifted;
    const prefix = isWide ? 'Cluster' : '';
    const account = accountOf(permission);
    const base = `${textAt(csv, 'metadata', 'name')}-${account}`;
    const count = (names.get(base) ?? 0) + 1;
    names.set(base, count);
    const name = count === 1 ? base : `${base}-${count}`;
    const { namespace } = metadataOf(csv, name);
    const metadata = metadataOf(csv, name, isWide);
    const at = [...INSTALL, list, index];
    const rules = listAt(permission, 'rules');
    return [
      made(
        {
          apiVersion: `${RBAC}/v1`,
          kind: `${prefix}Role`,
          metadata,
          rules: isLifted ? [...rules, SEES_NAMESPACES] : rules,
        },
        at,
        [['rules'], [...at, 'rules']],
      ),
      made(
        {
          apiVersion: `${RBAC}/v1`,
          kind: `${prefix}RoleBinding`,
          metadata,
          roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name },
          subjects: [
            { kind: 'ServiceAccount', name: account, ...(namespace !== undefined && { namespace }) },
          ],
        },
        [...at, 'serviceAccountName'],
      ),
    ];
  });
}

/** Also where nothing says which namespaces it supports. */
function watchesAll(csv: Fields): boolean {
  const supported = listAt(csv, 'spec', 'installModes').filter((mode) => mode['supported'] === true);
  return supported.length === 0 || supported.some((mode) => mode['type'] === 'AllNamespaces');
}

/** The annotations of the operator are those of its pods, too. */
function deploymentsOf(csv: Fields): MadeObject[] {
  const inherited = mapAt(csv, 'metadata', 'annotations');
  return listAt(csv, ...INSTALL, 'deployments').map((deployment, index) => {
    const at = [...INSTALL, 'deployments', index];
    const spec = mapAt(deployment, 'spec');
    const template = mapAt(spec, 'template');
    const metadata = mapAt(template, 'metadata');
    const own = mapAt(metadata, 'annotations');
    const { labels, ...named } = metadataOf(csv, textAt(deployment, 'name'));
    const annotations: FieldPath = ['spec', 'template', 'metadata', 'annotations'];
    return made(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { ...named, labels: { ...labels, ...mapAt(deployment, 'label') } },
        spec: {
          ...spec,
          template: { ...template, metadata: { ...metadata, annotations: { ...inherited, ...own } } },
        },
      },
      at,
      ...Object.keys(inherited)
        .filter((key) => !Object.hasOwn(own, key))
        .map((key): Move => [
          [...annotations, key],
          ['metadata', 'annotations', key],
        ]),
      [['spec'], [...at, 'spec']],
      [
        ['metadata', 'labels'],
        [...at, 'label'],
      ],
      [
        ['metadata', 'name'],
        [...at, 'name'],
      ],
    );
  });
}

const WEBHOOKS = new Map([
  ['ValidatingAdmissionWebhook', 'ValidatingWebhookConfiguration'],
  ['MutatingAdmissionWebhook', 'MutatingWebhookConfiguration'],
]);

/** What the API server sends requests to: webhooks, APIs, and the Services in front of them. */
function servedOf(csv: Fields): MadeObject[] {
  const services = new Map<string, MadeObject>();
  const served = [['webhookdefinitions'], ['apiservicedefinitions', 'owned']].flatMap((list) =>
    listAt(csv, 'spec', ...list).flatMap((definition, index): MadeObject[] => {
      const at = ['spec', ...list, index];
      const deployment = textAt(definition, 'deploymentName');
      const port = valueAt(definition, 'containerPort') ?? 443;
      const service = metadataOf(csv, `${deployment.replaceAll('.', '-')}-service`);
      if (!services.has(deployment)) {
        const value = { apiVersion: 'v1', kind: 'Service', metadata: service, spec: { ports: [{ port }] } };
        services.set(deployment, made(value, [...at, 'deploymentName']));
      }
      const { labels: _labels, ...reference } = service;
      if (list.length === 2) return [apiServiceOf(csv, definition, reference, at)];
      return webhookOf(csv, definition, { ...reference, port, path: definition['webhookPath'] }, at);
    }),
  );
  return [...services.values(), ...served];
}

function webhookOf(csv: Fields, definition: Fields, service: Fields, at: FieldPath): MadeObject[] {
  const kind = WEBHOOKS.get(textAt(definition, 'type'));
  if (kind === undefined) return [];
  const {
    type: _type,
    generateName: _generateName,
    deploymentName: _deploymentName,
    containerPort: _containerPort,
    targetPort: _targetPort,
    webhookPath: _webhookPath,
    conversionCRDs: _conversionCRDs,
    ...rest
  } = definition;
  const name = textAt(definition, 'generateName').replace(/-$/, '');
  const { namespace } = metadataOf(csv, name);
  const limit = {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace] }],
  };
  const object = made(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: metadataOf(csv, name, true),
      webhooks: [
        {
          ...rest,
          name,
          clientConfig: { service },
          ...(!watchesAll(csv) && namespace !== undefined && { namespaceSelector: limit }),
        },
      ],
    },
    at,
    [['webhooks', 0], at],
  );
  return [object];
}

function apiServiceOf(csv: Fields, definition: Fields, service: Fields, at: FieldPath): MadeObject {
  const [group, version] = [textAt(definition, 'group'), textAt(definition, 'version')];
  const metadata = metadataOf(csv, `${version}.${group}`, true);
  const value = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata };
  return made({ ...value, spec: { group, version, service } }, at, [['spec'], at]);
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Fields;
}

/** The labels of the operator stand for those of what is made of it: its author can write no others. */
function metadataOf(csv: Fields, name: string, isWide = false): Metadata {
  const namespace = textAt(csv, 'metadata', 'namespace');
  return {
    name,
    ...(!isWide && namespace !== '' && { namespace }),
    labels: mapAt(csv, 'metadata', 'labels'),
  };
}

function made(value: Fields, fallback: FieldPath, ...moves: readonly Move[]): MadeObject {
  return {
    value,
    sourceOf: (path) => {
      const move = moves.find(([from]) => from.every((key, at) => path[at] === key));
      return move === undefined ? fallback : [...move[1], ...path.slice(move[0].length)];
    },
  };
}
