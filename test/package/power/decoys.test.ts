/** Documents that make a privilege look old, or a lost protection look kept. */
import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';

type Texts = Readonly<Record<string, string>>;

const files = (texts: Texts): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );

function wider(before: Texts, after: Texts): string[] {
  const { changes } = diffPower(files(before), files(after));
  return changes.filter(({ direction }) => direction === 'wider').map(({ who, what }) => `${who}: ${what}`);
}

const rbac = (kind: string, name: string, more: string): string =>
  `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n${more}\n`;
const role = (name: string, resource: string, mark = ''): string =>
  rbac('ClusterRole', name, `rules: [{ apiGroups: [""], resources: [${resource}], verbs: [get] }]`).replace(
    `name: ${name} }`,
    `name: ${name}, annotations: { ${mark} } }`,
  );
const bind = (name: string, to: string): string =>
  rbac(
    'ClusterRoleBinding',
    name,
    `subjects: [{ kind: ServiceAccount, name: web, namespace: shop }]\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${to} }`,
  );
const LOCAL = 'config.kubernetes.io/local-config: "true"';
const MARKS = [LOCAL, 'argocd.argoproj.io/hook: Skip', 'kustomize.toolkit.fluxcd.io/reconcile: disabled'];

describe('a harmless role does not stand in for the bound one (138)', () => {
  const before = { 'a.yaml': role('r', 'pods') + bind('b', 'r') };

  test.each(MARKS.flatMap((mark) => ['cluster-admin', 'elsewhere'].map((name) => [name, mark] as const)))(
    'for %s, where tools skip it by %s',
    (name, mark) => {
      const after = { ...before, 'b.yaml': role(name, 'pods', mark) + bind('c', name) };
      expect(wider(before, after)).toEqual([
        `ServiceAccount shop/web: whatever ClusterRole ${name} grants, everywhere (the one in the package may be another)`,
      ]);
    },
  );

  test.each([
    ['with the name of a built-in role', role('system:node', 'pods'), 'system:node', 'b.yaml'],
    ['in another directory', role('elsewhere', 'pods'), 'elsewhere', 'more/b.yaml'],
    [
      'in the items of what is no list',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: l }\nitems:\n- ${role('elsewhere', 'pods').slice(4).trimEnd().replaceAll('\n', '\n  ')}\n`,
      'elsewhere',
      'b.yaml',
    ],
  ])('%s', (_name, text, name, path) => {
    const after = { ...before, [path]: text, 'c.yaml': bind('c', name) };
    expect(wider(before, after).join('\n')).toContain(`whatever ClusterRole ${name} grants, everywhere`);
  });

  test('of the same name in another file either, and what it grants for sure is no news', () => {
    const after = { 'a.yaml': role('r', 'pods', LOCAL) + bind('b', 'r'), 'b.yaml': role('r', 'secrets') };
    expect(wider(before, after)).toEqual(['ServiceAccount shop/web: get on secrets in every namespace']);
    expect(wider(before, { ...before, 'b.yaml': role('q', 'pods') + bind('c', 'q') })).toEqual([]);
  });

  test('nor are rights for another cluster, or those of a role that tools skip, old rights', () => {
    const east = { 'east/a.yaml': bind('b', 'cluster-admin') };
    expect(
      wider(
        { ...east, 'west/a.yaml': bind('b', 'view') },
        { ...east, 'west/a.yaml': bind('b', 'cluster-admin') },
      ),
    ).toHaveLength(1);
    const skipped = { 'a.yaml': role('r', 'secrets', LOCAL) + bind('b', 'r') };
    expect(wider(skipped, { 'a.yaml': role('r', 'secrets') + bind('b', 'r') })).toHaveLength(1);
    expect(wider(skipped, { 'renamed.yaml': skipped['a.yaml'] })).toEqual([]);
  });
});

const pod = (security: string, { apiVersion = 'apps/v1', mark = '' } = {}): string =>
  `---\napiVersion: ${apiVersion}\nkind: Deployment\nmetadata: { name: web, namespace: shop, annotations: { ${mark} } }\nspec: { template: { spec: { containers: [{ name: app, securityContext: ${security} }] } } }\n`;

const policy = (mark: string): string =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: deny, annotations: { ${mark} } }\nspec: { podSelector: {} }\n`;

describe('another document of a name neither keeps a lost protection nor has a new privilege before (139)', () => {
  const SAFE = '{ runAsNonRoot: true }';
  const ROOT = '{ privileged: true }';
  const LOSS = ['Deployment shop/web: no longer: container app may not run as root'];

  test.each([
    ['of another group', { 'b.yaml': pod(SAFE, { apiVersion: 'decoy.example.com/v1' }) }],
    ['marked local', { 'b.yaml': pod(SAFE, { mark: LOCAL }) }],
    [
      'in the items of what is no list',
      {
        'b.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: l }\nitems:\n- ${pod(SAFE).slice(4).trimEnd().replaceAll('\n', '\n  ')}\n`,
      },
    ],
  ])('a decoy %s', (_name, decoy) => {
    expect(wider({ 'a.yaml': pod(SAFE) }, { 'a.yaml': pod('{}'), ...decoy })).toEqual(LOSS);
  });

  test('where two change places, whatever their files are called then', () => {
    const before = { 'a.yaml': pod(SAFE), 'b.yaml': pod('{}', { mark: LOCAL }) };
    expect(wider(before, { 'a.yaml': pod('{}'), 'b.yaml': pod(SAFE, { mark: LOCAL }) })).toEqual(LOSS);
    expect(wider(before, { 'c.yaml': pod('{}'), 'd.yaml': pod(SAFE, { mark: LOCAL }) })).toEqual(LOSS);
  });

  test('a pod for another cluster, or one that tools skip', () => {
    const told = ['Deployment shop/web: container app is privileged'];
    const before = { 'east/a.yaml': pod(ROOT), 'west/a.yaml': pod('{}') };
    expect(wider(before, { 'east/a.yaml': `# Touched.\n${pod(ROOT)}`, 'west/a.yaml': pod(ROOT) })).toEqual(
      told,
    );
    expect(wider({ 'a.yaml': pod(ROOT, { mark: LOCAL }) }, { 'a.yaml': pod(ROOT) })).toEqual(told);
    expect(wider({ 'a.yaml': pod(ROOT) }, { 'renamed.yaml': pod(ROOT) })).toEqual([]);
  });

  test('a network policy that tools are to skip protects nothing', () => {
    expect(wider({ 'a.yaml': policy('') }, { 'a.yaml': policy(LOCAL) })).toHaveLength(1);
  });
});
