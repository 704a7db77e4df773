/** What resources other than RBAC and pods may do to a cluster, or keep others from doing. */
import { valueAt, listAt, mapAt, textAt, textsAt, type Fields } from '../plain-values.ts';
import { called, jsonOf, type FieldPath, type PowerResource } from './power-resources.ts';
import type { Power, PowerKind } from './power-types.ts';

type Say = (
  kind: PowerKind,
  what: string,
  path: FieldPath,
  more?: { readonly danger?: string; readonly protects?: boolean },
) => void;

/** Admission webhooks and policies, served APIs, custom resource definitions, cloud identities, isolation. */
export function clusterPowers(resource: PowerResource): Power[] {
  const powers: Power[] = [];
  const who = called(resource);
  const say: Say = (kind, what, path, more = {}) => {
    powers.push({ id: `${who} ${what}`, kind, who, what, ...more, ...resource.place(path) });
  };
  switch (resource.group) {
    case 'admissionregistration.k8s.io':
      ofAdmission(resource, say);
      break;
    case 'apiregistration.k8s.io':
      ofApiService(resource, say);
      break;
    case 'apiextensions.k8s.io':
      ofDefinition(resource, say);
      break;
    case 'operators.coreos.com':
      ofOperator(resource, say);
      break;
    case 'security.openshift.io':
      ofConstraints(resource, say);
      break;
    case 'networking.k8s.io':
      if (resource.kind === 'NetworkPolicy') ofNetworkPolicy(resource, say);
      break;
    case '':
      if (resource.kind === 'ServiceAccount') ofAccount(resource, say);
      if (resource.kind === 'Namespace') ofNamespace(resource, say);
      if (resource.kind === 'PersistentVolume') ofVolume(resource, say);
      if (resource.kind === 'Secret') ofSecret(resource, say);
      break;
    default:
      if (CLOUD.test(resource.group)) ofCloud(resource, say);
  }
  return powers;
}

function ofAdmission(resource: PowerResource, say: Say): void {
  const { kind, value } = resource;
  if (!kind.endsWith('WebhookConfiguration')) {
    const changes = kind.startsWith('Mutating');
    const what = `${changes ? 'changes' : 'judges'} requests by ${kind}`;
    say('admission', what, [], changes ? { danger: 'it can change the requests of others' } : {});
    if (kind.endsWith('Binding')) ofPolicyBinding(resource, say);
    else ofPolicy(resource, say);
    return;
  }
  const mutates = kind.startsWith('Mutating');
  for (const [index, hook] of listAt(value, 'webhooks').entries()) {
    const name = textAt(hook, 'name');
    const path = ['webhooks', index];
    for (const [at_, rule] of listAt(hook, 'rules').entries()) {
      const resources = textsAt(rule, 'resources');
      const groups = textsAt(rule, 'apiGroups');
      const wide = resources.some((one) => one.startsWith('*')) || groups.includes('*');
      const secrets = groups.includes('') && resources.includes('secrets');
      const danger = wide
        ? 'it also covers future resources'
        : secrets
          ? 'it sees secrets'
          : mutates
            ? 'it can change the requests of others'
            : undefined;
      const operations = textsAt(rule, 'operations').join(', ');
      const on = `${resources.join(', ')} of ${groups.map((one) => (one === '' ? 'core' : one)).join(', ')}`;
      const what = `${name} ${mutates ? 'may change' : 'may refuse'} ${operations} of ${on}`;
      say('admission', what, [...path, 'rules', at_], danger === undefined ? {} : { danger });
    }
    const target = targetOf(mapAt(hook, 'clientConfig'));
    const away = textAt(hook, 'clientConfig', 'url') === '' ? {} : { danger: 'requests leave the cluster' };
    if (target !== '')
      say('admission', `${name} sends requests to ${target}`, [...path, 'clientConfig'], away);
    if (textAt(hook, 'failurePolicy') !== 'Ignore') {
      say('admission', `${name} stops requests while it is down`, [...path, 'failurePolicy']);
      if (!mutates) say('admission', `${name} ${FAILS}`, [...path, 'failurePolicy'], { protects: true });
    }
    ofLimits(hook, ['namespaceSelector', 'objectSelector', 'matchConditions'], {
      name,
      path,
      guards: !mutates,
      say,
    });
  }
}

const FAILS = 'refuses what it cannot judge';

/** Where a webhook is: `Service shop/hook`, or an address; '' where nothing says so. */
function targetOf(config: Fields): string {
  const [namespace, name] = ['namespace', 'name'].map((field) => textAt(config, 'service', field));
  return textAt(config, 'url') || (name === '' ? '' : `Service ${namespace}/${name}`);
}

/** A lost limit shows it more requests; a new one lets requests past what `guards`. */
function ofLimits(
  value: Fields,
  fields: readonly string[],
  {
    name,
    path,
    guards = true,
    say,
  }: { readonly name: string; readonly path: FieldPath; readonly guards?: boolean; readonly say: Say },
): void {
  const set = fields.filter((field) => Object.keys(Object(value[field])).length > 0);
  for (const field of set) {
    say('admission', `${name} is limited by ${jsonOf(value[field])}`, [...path, field], { protects: true });
  }
  if (guards && set.length === 0)
    say('admission', `${name} judges all that its rules name`, path, { protects: true });
}

function ofPolicy({ value }: PowerResource, say: Say): void {
  const spec = mapAt(value, 'spec');
  const name = 'the policy';
  ofLimits(spec, ['matchConditions'], { name, path: ['spec'], say });
  const constraints = jsonOf(spec['matchConstraints']);
  say('admission', `judges ${constraints}`, ['spec', 'matchConstraints'], { protects: true });
  if (textAt(spec, 'failurePolicy') !== 'Ignore')
    say('admission', FAILS, ['spec', 'failurePolicy'], { protects: true });
  for (const [index, one] of listAt(spec, 'validations').entries()) {
    const what = `demands ${textAt(one, 'expression')}`;
    say('admission', what, ['spec', 'validations', index], { protects: true });
  }
}

function ofPolicyBinding({ value }: PowerResource, say: Say): void {
  const spec = mapAt(value, 'spec');
  const bound = jsonOf([spec['policyName'], spec['paramRef']]);
  say('admission', `applies ${bound}`, ['spec', 'policyName'], { protects: true });
  ofLimits(spec, ['matchResources'], { name: 'the binding', path: ['spec'], say });
  if (textsAt(spec, 'validationActions').includes('Deny'))
    say('admission', 'denies what its policy refuses', ['spec', 'validationActions'], { protects: true });
}

/** As a whole: whether other rules let less in, no one can tell without the cluster. */
function ofNetworkPolicy({ value }: PowerResource, say: Say): void {
  const spec = mapAt(value, 'spec');
  say('isolation', `limits what pods may reach by ${jsonOf(spec)}`, ['spec'], { protects: true });
  for (const field of ['ingress', 'egress']) {
    // Policies add up: such a rule opens what another one closes.
    const isOpen = listAt(spec, field).findIndex((rule) => Object.keys(rule).length === 0);
    if (isOpen === -1) continue;
    say('isolation', `allows all ${field}`, ['spec', field, isOpen], { danger: 'others limit it no more' });
  }
}

function ofSecret({ value }: PowerResource, say: Say): void {
  const type = textAt(value, 'type');
  if (type === 'bootstrap.kubernetes.io/token')
    say('rbac', 'holds a bootstrap token', ['type'], { danger: 'anyone who knows it can join a node' });
  if (type !== 'kubernetes.io/service-account-token') return;
  const account = textAt(value, 'metadata', 'annotations', 'kubernetes.io/service-account.name');
  say('rbac', `holds a token of ServiceAccount ${account}`, ['type'], { danger: 'it does not expire' });
}

/** OpenShift's: what pods may ask for, and who may have such pods. */
function ofConstraints({ value, kind }: PowerResource, say: Say): void {
  if (kind !== 'SecurityContextConstraints') return;
  const danger = 'pods can leave their isolation';
  for (const [field, allowed] of Object.entries(value)) {
    if (allowed === true && field.startsWith('allow'))
      say('isolation', `${field} is set`, [field], { danger });
    if (textAt(allowed, 'type') === 'RunAsAny') say('isolation', `${field} may be any`, [field], { danger });
  }
  for (const field of ['users', 'groups', 'volumes', 'allowedCapabilities', 'defaultAddCapabilities']) {
    for (const [index, one] of textsAt(value, field).entries())
      say('isolation', `${field} has ${one}`, [field, index], { danger });
  }
  for (const [index, one] of textsAt(value, 'requiredDropCapabilities').entries()) {
    const where = ['requiredDropCapabilities', index];
    say('isolation', `drops the capability ${one}`, where, { protects: true });
  }
  if (value['readOnlyRootFilesystem'] === true)
    say('isolation', 'demands a read-only root', ['readOnlyRootFilesystem'], { protects: true });
}

function ofApiService({ value }: PowerResource, say: Say): void {
  const [version, group] = [textAt(value, 'spec', 'version'), textAt(value, 'spec', 'group')];
  const service = `${textAt(value, 'spec', 'service', 'namespace')}/${textAt(value, 'spec', 'service', 'name')}`;
  say('api', `serves ${version} of ${group} by Service ${service}`, ['spec'], {
    danger: 'it answers for the API server',
  });
  if (valueAt(value, 'spec', 'insecureSkipTLSVerify') === true) {
    const path = ['spec', 'insecureSkipTLSVerify'];
    say('api', 'is trusted without a certificate', path, { danger: 'anyone on the network path can answer' });
  }
}

function ofDefinition({ value, kind }: PowerResource, say: Say): void {
  if (kind !== 'CustomResourceDefinition') return;
  const [group, name] = [textAt(value, 'spec', 'group'), textAt(value, 'spec', 'names', 'kind')];
  const scope = textAt(value, 'spec', 'scope') === 'Cluster' ? 'cluster-wide' : 'namespaced';
  say('api', `defines the ${scope} kind ${name} of ${group}`, ['spec', 'names']);
  for (const [index, version] of listAt(value, 'spec', 'versions').entries()) {
    if (version['served'] !== true) continue;
    say('api', `serves ${textAt(version, 'name')} of ${name}`, ['spec', 'versions', index]);
  }
  if (textAt(value, 'spec', 'conversion', 'strategy') === 'Webhook') {
    const path = ['spec', 'conversion'];
    const target = targetOf(mapAt(value, 'spec', 'conversion', 'webhook', 'clientConfig'));
    say('api', `converts objects by a webhook${target && `, ${target}`}`, path, {
      danger: 'it can change every object of the kind',
    });
  }
}

/** What is made of an operator is judged by itself, but for conversions: they become part of its definitions. */
function ofOperator({ value, kind }: PowerResource, say: Say): void {
  if (kind !== 'ClusterServiceVersion') return;
  for (const [index, hook] of listAt(value, 'spec', 'webhookdefinitions').entries()) {
    if (textAt(hook, 'type') !== 'ConversionWebhook') continue;
    const what = `converts objects of ${textsAt(hook, 'conversionCRDs').join(', ')} by a webhook`;
    const danger = 'it can change every object of the kind';
    say('api', what, ['spec', 'webhookdefinitions', index], { danger });
  }
}

/** Annotations that give a service account an identity in a cloud. */
const IDENTITIES: readonly (readonly [key: string, cloud: string])[] = [
  ['eks.amazonaws.com/role-arn', 'the AWS role'],
  ['iam.gke.io/gcp-service-account', 'the Google service account'],
  ['azure.workload.identity/client-id', 'the Azure identity'],
];

function ofAccount({ value }: PowerResource, say: Say): void {
  for (const [key, cloud] of IDENTITIES) {
    const identity = textAt(value, 'metadata', 'annotations', key);
    if (identity === '') continue;
    const path = ['metadata', 'annotations', key];
    say('cloud', `acts as ${cloud} ${identity}`, path, { danger: 'rights outside of the cluster' });
  }
  if (value['automountServiceAccountToken'] === false) {
    say('isolation', 'gives pods no token', ['automountServiceAccountToken'], { protects: true });
  }
}

function ofVolume({ value }: PowerResource, say: Say): void {
  for (const type of ['hostPath', 'local']) {
    const path = textAt(value, 'spec', type, 'path');
    if (path === '') continue;
    say('workload', `offers ${path} of the node`, ['spec', type], { danger: 'a path of the node' });
  }
}

function ofNamespace({ value }: PowerResource, say: Say): void {
  const key = 'pod-security.kubernetes.io/enforce';
  const level = textAt(value, 'metadata', 'labels', key);
  if (level === '') return;
  const path = ['metadata', 'labels', key];
  if (level === 'privileged') {
    say('isolation', 'lets every pod run', path, { danger: 'no Pod Security Standard is enforced' });
  } else {
    // Another version may ask for less.
    const version = textAt(value, 'metadata', 'labels', `${key}-version`) || 'latest';
    say('isolation', `enforces the Pod Security Standard ${level} of ${version}`, path, { protects: true });
  }
}

/** Kinds that are rights in a cloud: Config Connector, Crossplane, ACK, OpenShift's credentials. */
const CLOUD =
  /^(?:iam\.(?:.*\.)?(?:crossplane|upbound)\.io|iam\.cnrm\.cloud\.google\.com|iam\.services\.k8s\.aws|cloudcredential\.openshift\.io)$/;

/** Leaves of one document that are looked at. */
const MAX_LEAVES = 500;

function ofCloud({ value }: PowerResource, say: Say): void {
  let left = MAX_LEAVES;
  const walk = (node: unknown, path: FieldPath): void => {
    if (left <= 0) return;
    if (typeof node === 'object' && node !== null) {
      for (const [key, below] of Object.entries(node)) {
        walk(below, [...path, Array.isArray(node) ? Number(key) : key]);
      }
      return;
    }
    left -= 1;
    // Positions in lists are left out, so that an item in front of another is not everything anew.
    const name = path.filter((key) => typeof key === 'string').join('.');
    say('cloud', `${name}: ${String(node)}`, path, { danger: 'rights outside of the cluster' });
  };
  walk(value['spec'], ['spec']);
}
