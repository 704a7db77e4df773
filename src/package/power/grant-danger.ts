/** Which grants let their holder take more than they say. */
import type { Grant } from './grant.ts';

const READS = new Set(['*', 'get', 'list', 'watch']);
const WRITES = new Set(['*', 'create', 'update', 'patch', 'delete', 'deletecollection']);

/** Writing these changes what others may do, or what the API server does. */
const CONTROL: readonly (readonly [group: string, resource: RegExp, why: string])[] = [
  ['rbac.authorization.k8s.io', /^(?:cluster)?role(?:binding)?s$/, 'it can change permissions'],
  ['admissionregistration.k8s.io', /^(?:validating|mutating)/, 'it can change or refuse every request'],
  ['apiextensions.k8s.io', /^customresourcedefinitions$/, 'it changes the API itself'],
  ['apiregistration.k8s.io', /^apiservices$/, 'it can answer for the API server'],
  ['certificates.k8s.io', /^certificatesigningrequests\/approval$/, 'it can issue certificates for anyone'],
];

/** Creating these runs commands or takes identities. */
const RUNS: readonly (readonly [resource: string, why: string])[] = [
  ['pods/exec', 'it runs commands in every container'],
  ['pods/attach', 'it reaches into running containers'],
  ['nodes/proxy', 'it runs commands on every node'],
  ['serviceaccounts/token', 'it can act as any service account'],
];

/** Why a reviewer should look twice; undefined for an ordinary grant. */
export function dangerOf({ group, resource, name, verb, namespace, url }: Grant): string | undefined {
  if (url !== undefined) return url === '*' ? 'it covers every path' : undefined;
  if (verb === 'escalate') return 'its holder can give himself any right';
  if (verb === 'bind') return 'its holder can bind any role';
  if (verb === 'impersonate') return 'its holder can impersonate others';
  if (verb === '*') return 'it covers every verb, those to come too';
  if (resource === '*') return 'it covers every resource, those to come too';
  const inGroup = (wanted: string): boolean => group === '*' || group === wanted;
  if (inGroup('') && resource === 'secrets' && READS.has(verb) && namespace === '' && name === '')
    return 'it reads every secret of the cluster';
  const control = CONTROL.find(([wanted, pattern]) => inGroup(wanted) && pattern.test(resource));
  if (control !== undefined && WRITES.has(verb)) return control[2];
  const runs = RUNS.find(
    ([wanted]) => resource === wanted || (resource.startsWith('*/') && wanted.endsWith(resource.slice(1))),
  );
  return runs !== undefined && inGroup('') && verb !== 'list' && verb !== 'watch' ? runs[1] : undefined;
}
