/** Service accounts, roles and bindings for what a CSV permits. */
import { byText } from '../fbc/go-text.ts';
import type { Csv, Permission } from './csv.ts';
import type { Fields, Manifest } from './manifest.ts';
import { permissionName } from './object-name.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** What an operator that watches every namespace has to see of them. */
const SEES_NAMESPACES: Fields = {
  verbs: ['get', 'list', 'watch'],
  apiGroups: [''],
  resources: ['namespaces'],
};

/** The accounts that permissions name; `default` is in every namespace already. */
export function serviceAccounts(csv: Csv, installNamespace: string): readonly Manifest[] {
  const names = [...csv.permissions, ...csv.clusterPermissions].map(accountOf);
  return [...new Set(names)]
    .filter((name) => name !== 'default')
    .sort(byText)
    .map((name) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace: installNamespace },
    }));
}

/** Permissions in each target namespace; for all namespaces they are lifted to the cluster. */
export function rolesOf(csv: Csv, installNamespace: string, targets: readonly string[]): readonly Manifest[] {
  const everywhere = targets.length === 1 && targets[0] === '';
  const lifted = csv.permissions.map((permission) => ({
    ...permission,
    rules: [...(permission.rules ?? []), SEES_NAMESPACES],
  }));
  const clusterWide = everywhere ? [...csv.clusterPermissions, ...lifted] : csv.clusterPermissions;
  const namespaced = everywhere ? [] : csv.permissions;
  return [
    ...targets.flatMap((namespace) =>
      namespaced.flatMap((permission) => rolePair(csv, permission, installNamespace, namespace)),
    ),
    ...clusterWide.flatMap((permission) => rolePair(csv, permission, installNamespace)),
  ];
}

function rolePair(
  csv: Csv,
  permission: Permission,
  installNamespace: string,
  namespace?: string,
): readonly Manifest[] {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const name = permissionName(csv.name, permission);
  const metadata: Fields = namespace === undefined ? { name } : { name, namespace };
  const apiVersion = `${RBAC}/v1`;
  return [
    { apiVersion, kind: `${prefix}Role`, metadata, rules: permission.rules?.map(withoutEmpty) ?? null },
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind: `${prefix}Role`, name },
      subjects: [{ kind: 'ServiceAccount', name: accountOf(permission), namespace: installNamespace }],
    },
  ];
}

/** Go leaves out lists that are empty, but for verbs, and so does the digest in the name. */
function withoutEmpty(rule: Fields): Fields {
  return Object.fromEntries(
    Object.entries(rule).filter(
      ([field, value]) =>
        field === 'verbs' || (value !== null && !(Array.isArray(value) && value.length === 0)),
    ),
  );
}

function accountOf({ serviceAccountName }: Permission): string {
  return serviceAccountName === '' ? 'default' : serviceAccountName;
}
