/**
 * The rights that the ServiceAccount of a ClusterExtension needs to install a bundle, and no others. operator-controller acts as
 * that account (its hack/tools/catalogs/lib/collect-rbac.sh lists the same), and Kubernetes lets no account grant more than it has
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
 */
import { byText } from '../fbc/go-text.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import {
  groupOf,
  kindOf,
  mapAt,
  mapsAt,
  nameOf,
  namespaceOf,
  textAt,
  type Fields,
  type Manifest,
} from './manifest.ts';

export interface Installer {
  /** Of the ClusterExtension. */
  readonly extension: string;
  /** Of the ServiceAccount, and of its roles. */
  readonly account: string;
  readonly namespace: string;
}

const RBAC = 'rbac.authorization.k8s.io';

/** Verbs that no rule can limit to names: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources */
const OF_KIND = ['create', 'list', 'watch'];
const OF_OBJECT = ['get', 'update', 'patch', 'delete'];

/** The account, its roles and their bindings, in the order in which they are to be applied. `objects` are what it installs. */
export function installerRights(objects: readonly Manifest[], installer: Installer): readonly Manifest[] {
  const { account: name, namespace, extension } = installer;
  const plurals = pluralsOf(objects);
  const cluster: Fields[] = [
    rule('olm.operatorframework.io', 'clusterextensions/finalizers', ['update'], [extension]),
  ];
  const rules = new Map<string, Fields[]>([['', cluster]]);
  const scopes = Map.groupBy(objects, scopeOf);
  for (const scope of [...scopes.keys()].sort(byText)) {
    const within = scopes.get(scope) ?? [];
    const own = rules.get(scope) ?? [];
    rules.set(scope, own);
    own.push(...handlingRules(within, plurals), ...grantedRules(within, objects));
  }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...[...rules].flatMap(([scope, own]) => {
      const kind = scope === '' ? 'ClusterRole' : 'Role';
      const metadata: Fields = scope === '' ? { name } : { name, namespace: scope };
      const apiVersion = `${RBAC}/v1`;
      return [
        { apiVersion, kind, metadata, rules: unique(own) },
        {
          apiVersion,
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: RBAC, kind, name },
          subjects,
        },
      ];
    }),
  ];
}

/** The namespace in which rights on an object count; '' for the cluster. operator-controller gives webhooks a namespace, which they do not have. */
function scopeOf(object: Manifest): string {
  return kindOf(object).endsWith('WebhookConfiguration') ? '' : namespaceOf(object);
}

function rule(
  group: string,
  resource: string,
  verbs: readonly string[],
  resourceNames: readonly string[] = [],
): Fields {
  return {
    apiGroups: [group],
    resources: [resource],
    ...(resourceNames.length > 0 && { resourceNames: [...new Set(resourceNames)].sort(byText) }),
    verbs,
  };
}

/** For each kind: to make objects and watch them, and to change those of these names. */
function handlingRules(
  objects: readonly Manifest[],
  plurals: ReadonlyMap<string, string>,
): readonly Fields[] {
  const kinds = Map.groupBy(objects, kindKey);
  return [...kinds.keys()].sort(byText).flatMap((key) => {
    const [group = '', kind = ''] = key.split('/');
    const resource = plurals.get(key) ?? pluralOf(kind);
    const names = (kinds.get(key) ?? []).map(nameOf);
    return [rule(group, resource, OF_KIND), rule(group, resource, OF_OBJECT, names)];
  });
}

/** What roles among them grant, so that the account may make them, and the roles of others that bindings refer to. */
function grantedRules(within: readonly Manifest[], all: readonly Manifest[]): readonly Fields[] {
  return within.flatMap((object): readonly Fields[] => {
    const kind = kindOf(object);
    if (groupOf(object) !== RBAC) return [];
    if (kind === 'Role' || kind === 'ClusterRole') return mapsAt(object, 'rules');
    const roleRef = mapAt(object, 'roleRef');
    const [refKind, refName] = [textAt(roleRef, 'kind'), textAt(roleRef, 'name')];
    const isOwn = all.some(
      (one) =>
        kindOf(one) === refKind &&
        nameOf(one) === refName &&
        (refKind === 'ClusterRole' || namespaceOf(one) === namespaceOf(object)),
    );
    return isOwn ? [] : [rule(RBAC, `${refKind.toLowerCase()}s`, ['bind'], [refName])];
  });
}

function unique(rules: readonly Fields[]): readonly YamlValue[] {
  return [...new Map(rules.map((one) => [JSON.stringify(one), one])).values()];
}

function kindKey(object: Manifest): string {
  return `${groupOf(object)}/${kindOf(object)}`;
}

/** Group and kind → resource, of the definitions among these. */
function pluralsOf(objects: readonly Manifest[]): ReadonlyMap<string, string> {
  return new Map(
    objects
      .filter((object) => kindOf(object) === 'CustomResourceDefinition')
      .map((object) => {
        const spec = mapAt(object, 'spec');
        const names = mapAt(spec, 'names');
        return [`${textAt(spec, 'group')}/${textAt(names, 'kind')}`, textAt(names, 'plural')] as const;
      }),
  );
}

/** As Kubernetes guesses it (k8s.io/apimachinery, meta.UnsafeGuessKindToResource), which fits every kind that a bundle may hold. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
