/** RBAC: from roles and bindings to who may do what where. */
import { valueAt, listAt, mapAt, textAt, textsAt, type Fields } from '../plain-values.ts';
import { dangerOf } from './grant-danger.ts';
import type { Grant, PlacedGrant } from './grant.ts';
import { called, jsonOf, RBAC_GROUP, type PowerResource } from './power-resources.ts';
import type { Power } from './power-types.ts';

/** Grants of one side; beyond them the comparison says that it gave up. */
export const MAX_GRANTS = 50_000;

/** Everything that roles and bindings of one side grant. Roles that nothing binds count for whoever is bound to them. */
export function grantsOf(resources: readonly PowerResource[]): PlacedGrant[] {
  const roles = resources.filter(isRole);
  const bindings = resources.filter(isBinding);
  const bound = new Set<PowerResource>();
  const grants: PlacedGrant[] = [];
  for (const binding of bindings) {
    const namespace = binding.kind === 'ClusterRoleBinding' ? '' : binding.namespace || '(its own)';
    for (const role of rolesOf(binding, roles)) {
      bound.add(role);
      const isSure = binding.isSure && role.isSure;
      const scope = JSON.stringify([binding.directory, role.directory]);
      for (const subject of subjectsOf(binding))
        grants.push(...ofRole(role, { subject, namespace, scope, isSure }));
      if (grants.length > MAX_GRANTS) return grants.slice(0, MAX_GRANTS);
    }
  }
  for (const role of roles) {
    const whoever = aggregatesTo(role);
    if (bound.has(role) && whoever.length === 0) continue;
    const namespace = role.kind === 'ClusterRole' ? '' : role.namespace || '(its own)';
    const subjects = bound.has(role) ? whoever : [`whoever has ${called(role)}`, ...whoever];
    const [scope, { isSure }] = [role.directory, role];
    for (const subject of subjects) grants.push(...ofRole(role, { subject, namespace, scope, isSure }));
    if (grants.length > MAX_GRANTS) return grants.slice(0, MAX_GRANTS);
  }
  return grants;
}

/**
 * Bindings to roles that the package does not hold, or holds where they may be skipped, and roles that gather others: what they
 * grant is not to be seen here.
 */
export function unseenGrants(resources: readonly PowerResource[]): Power[] {
  const roles = resources.filter(isRole);
  const powers: Power[] = [];
  for (const binding of resources.filter(isBinding)) {
    const ref = mapAt(binding.value, 'roleRef');
    const [kind, name] = [textAt(ref, 'kind'), textAt(ref, 'name')];
    for (const subject of subjectsOf(binding)) {
      const place = binding.place(['roleRef']);
      const where = binding.kind === 'ClusterRoleBinding' ? 'everywhere' : 'in its namespace';
      const strangers = EVERYBODY.has(subject) ? 'nearly everyone gets it' : undefined;
      const held = rolesOf(binding, roles);
      if (!held.some((role) => isRoleFor(binding, role))) {
        const danger = name === 'cluster-admin' ? 'that is every right' : strangers;
        powers.push({
          id: `role ${whereOf(binding)} ${subject} ${binding.kind} ${binding.namespace} ${kind} ${name}`,
          kind: 'rbac',
          who: subject,
          what: `whatever ${kind} ${name} grants, ${where} (${held.length === 0 ? 'it is not in the package' : 'the one in the package may be another'})`,
          ...(danger !== undefined && { danger }),
          ...place,
        });
      } else if (strangers !== undefined) {
        const id = `everybody ${whereOf(binding)} ${subject} ${binding.kind} ${binding.namespace} ${kind} ${name}`;
        const what = `${kind} ${name}, ${where}`;
        powers.push({ id, kind: 'rbac', who: subject, what, danger: strangers, ...place });
      }
    }
  }
  for (const role of roles) {
    const selectors = listAt(role.value, 'aggregationRule', 'clusterRoleSelectors');
    for (const [index, selector] of selectors.entries()) {
      powers.push({
        id: `aggregation ${whereOf(role)} ${role.name} ${jsonOf(selector)}`,
        kind: 'rbac',
        who: called(role),
        what: `the rules of every ClusterRole selected by ${jsonOf(selector)}`,
        danger: 'it grows with roles that others add',
        ...role.place(['aggregationRule', 'clusterRoleSelectors', index]),
      });
    }
  }
  return powers;
}

/**
 * Those of `grants` that nobody had in `others`, wildcards counted. Costs a fixed number of look-ups for each grant.
 */
export function newGrants(others: readonly PlacedGrant[], grants: readonly PlacedGrant[]): PlacedGrant[] {
  const had = new Set(others.map(keyOf));
  return grants.filter((grant) => {
    const covers = (isSure: boolean): boolean =>
      covering({ ...grant, isSure }).some((wide) => had.has(keyOf(wide)));
    return !covers(true) && (grant.isSure || !covers(false));
  });
}

function keyOf({ subject, namespace, group, resource, name, verb, url, scope, isSure }: Grant): string {
  return JSON.stringify([subject, namespace, group, resource, name, verb, url, scope, isSure]);
}

/** Every grant that would include this one. */
function covering(grant: Grant): Grant[] {
  const { namespace, group, resource, name, verb, url } = grant;
  const verbs = [...new Set([verb, '*'])];
  if (url !== undefined) {
    const prefixes = Array.from(
      { length: Math.min(url.length, MAX_URL_LENGTH) },
      (_, at_) => `${url.slice(0, at_)}*`,
    );
    return verbs.flatMap((one) => [url, ...prefixes].map((path) => ({ ...grant, verb: one, url: path })));
  }
  const slash = resource.indexOf('/');
  const resources = new Set([resource, '*', ...(slash === -1 ? [] : [`*${resource.slice(slash)}`])]);
  const wide: Grant[] = [];
  for (const oneVerb of verbs)
    for (const oneGroup of new Set([group, '*']))
      for (const oneResource of resources)
        for (const oneNamespace of new Set([namespace, '']))
          for (const oneName of new Set([name, '']))
            wide.push({
              ...grant,
              verb: oneVerb,
              group: oneGroup,
              resource: oneResource,
              namespace: oneNamespace,
              name: oneName,
            });
  return wide;
}

/** Characters of a path within which a wildcard is looked for. */
const MAX_URL_LENGTH = 200;

/** Grants as powers: those of one subject on one resource are one line with several verbs. */
export function powersOfGrants(grants: readonly PlacedGrant[]): Power[] {
  const lines = Map.groupBy(grants, ({ subject, namespace, group, resource, name, url }) =>
    JSON.stringify([subject, namespace, group, resource, name, url]),
  );
  return [...lines].flatMap(([id, [first, ...rest]]): Power[] => {
    if (first === undefined) return [];
    const verbs = [...new Set([first, ...rest].map(({ verb }) => verb))];
    const danger = [first, ...rest].map(dangerOf).find((reason) => reason !== undefined);
    const { subject, file, line, column } = first;
    return [
      {
        id: `${id} ${verbs.join()}`,
        kind: 'rbac',
        who: subject,
        what: `${verbs.map((verb) => (verb === '*' ? 'every verb' : verb)).join(', ')} on ${thing(first)}`,
        ...(danger !== undefined && { danger }),
        file,
        line,
        column,
      },
    ];
  });
}

function thing({ namespace, group, resource, name, url }: Grant): string {
  if (url !== undefined) return `the path ${url}`;
  const what = resource === '*' ? 'every resource' : resource;
  const of = group === '*' ? ' of every group' : group === '' ? '' : `.${group}`;
  const named = name === '' ? '' : ` named ${name}`;
  return `${what}${of}${named}${namespace === '' ? ' in every namespace' : ` in ${namespace}`}`;
}

function ofRole(
  role: PowerResource,
  to: Pick<Grant, 'subject' | 'namespace' | 'scope' | 'isSure'>,
): PlacedGrant[] {
  const grants: PlacedGrant[] = [];
  for (const [index, rule] of listAt(role.value, 'rules').entries()) {
    const place = role.place(['rules', index]);
    for (const grant of ofRule(rule)) {
      // A role in a namespace grants no paths.
      if (grant.url !== undefined && to.namespace !== '') continue;
      grants.push({ ...to, ...grant, ...place });
      if (grants.length > MAX_GRANTS) return grants;
    }
  }
  return grants;
}

function* ofRule(rule: Fields): Generator<Omit<Grant, 'subject' | 'namespace' | 'scope' | 'isSure'>> {
  const names = textsAt(rule, 'resourceNames');
  for (const verb of textsAt(rule, 'verbs')) {
    for (const url of textsAt(rule, 'nonResourceURLs')) {
      yield { group: '', resource: '', name: '', verb, url };
    }
    for (const group of textsAt(rule, 'apiGroups')) {
      for (const resource of textsAt(rule, 'resources')) {
        for (const name of names.length === 0 ? [''] : names) yield { group, resource, name, verb };
      }
    }
  }
}

function isRole({ group, kind }: PowerResource): boolean {
  return group === RBAC_GROUP && (kind === 'Role' || kind === 'ClusterRole');
}

function isBinding({ group, kind }: PowerResource): boolean {
  return group === RBAC_GROUP && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
}

/** Every role that a binding may mean: which of several is applied is not to be seen here. */
function rolesOf(binding: PowerResource, roles: readonly PowerResource[]): PowerResource[] {
  const [kind, name] = [textAt(binding.value, 'roleRef', 'kind'), textAt(binding.value, 'roleRef', 'name')];
  return roles.filter(
    (role) =>
      role.kind === kind &&
      role.name === name &&
      (kind === 'ClusterRole' || role.namespace === binding.namespace),
  );
}

/** Roles that clusters bring: a binding gives their rights until something replaces them. */
const BUILT_IN = /^(?:cluster-admin$|admin$|edit$|view$|system:)/;

/** Whether the role is in force wherever the binding is, so that the binding gives nothing else. */
function isRoleFor(binding: PowerResource, role: PowerResource): boolean {
  const isBeside = role.directory === binding.directory;
  return role.isSure && isBeside && !(role.kind === 'ClusterRole' && BUILT_IN.test(role.name));
}

/** Each directory may be for another cluster, and what may be skipped gives nothing for sure. */
function whereOf({ directory, isSure }: PowerResource): string {
  return JSON.stringify([directory, isSure]);
}

const EVERYBODY = new Set([
  'Group system:authenticated',
  'Group system:unauthenticated',
  'Group system:masters',
  'Group system:serviceaccounts',
  'User system:anonymous',
]);

function subjectsOf(binding: PowerResource): string[] {
  return listAt(binding.value, 'subjects').map((subject) => {
    const [kind, name] = [textAt(subject, 'kind'), textAt(subject, 'name')];
    const namespace = textAt(subject, 'namespace') || binding.namespace;
    return kind === 'ServiceAccount' && namespace !== ''
      ? `ServiceAccount ${namespace}/${name}`
      : `${kind} ${name}`;
  });
}

/** The built-in roles that this one's rules are added to. */
function aggregatesTo(role: PowerResource): string[] {
  const prefix = `${RBAC_GROUP}/aggregate-to-`;
  return Object.keys(mapAt(role.value, 'metadata', 'labels'))
    .filter(
      (label) =>
        label.startsWith(prefix) && String(valueAt(role.value, 'metadata', 'labels', label)) === 'true',
    )
    .map((label) => `whoever has ClusterRole ${label.slice(prefix.length)}`);
}
