import { expect, test } from 'vitest';

import { isMatch, pluralOf, selects, type Match, type Subject } from '../../src/cel/match.ts';

const SUBJECT: Subject = {
  operation: 'CREATE',
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  name: 'web',
  namespace: 'shop',
  labels: { app: 'web' },
  namespaceLabels: { env: 'prod' },
};
const RULE = {
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['deployments'],
};

test.each<[string, Match, Partial<Subject>, boolean]>([
  ['nothing said', {}, {}, true],
  ['the rule', { rules: [RULE] }, {}, true],
  ['another operation', { rules: [RULE] }, { operation: 'DELETE' }, false],
  ['another group', { rules: [RULE] }, { group: '' }, false],
  ['another version', { rules: [RULE] }, { version: 'v1beta1' }, true],
  ['another version, exactly', { rules: [RULE], exact: true }, { version: 'v1beta1' }, false],
  ['another kind', { rules: [RULE] }, { kind: 'StatefulSet' }, false],
  [
    'everything',
    { rules: [{ ...RULE, apiGroups: ['*'], resources: ['*'] }] },
    { group: '', kind: 'Pod' },
    true,
  ],
  ['all subresources', { rules: [{ ...RULE, resources: ['deployments/*'] }] }, {}, true],
  ['one subresource', { rules: [{ ...RULE, resources: ['deployments/scale'] }] }, {}, false],
  ['a name', { rules: [{ ...RULE, resourceNames: ['web'] }] }, {}, true],
  ['another name', { rules: [{ ...RULE, resourceNames: ['db'] }] }, {}, false],
  ['cluster-wide only', { rules: [{ ...RULE, scope: 'Cluster' }] }, {}, false],
  ['excluded', { rules: [RULE], excluded: [{ ...RULE, resourceNames: ['web'] }] }, {}, false],
  ['its labels', { objectSelector: { matchLabels: { app: 'web' } } }, {}, true],
  ['other labels', { objectSelector: { matchLabels: { app: 'db' } } }, {}, false],
  ['its old labels', { objectSelector: { matchLabels: { app: 'db' } } }, { oldLabels: { app: 'db' } }, true],
  ['its namespace', { namespaceSelector: { matchLabels: { env: 'prod' } } }, {}, true],
  ['another namespace', { namespaceSelector: { matchLabels: { env: 'test' } } }, {}, false],
  [
    'without a namespace',
    { namespaceSelector: { matchLabels: { env: 'test' } } },
    { kind: 'ClusterRole', namespace: '' },
    true,
  ],
  [
    'a Namespace itself',
    { namespaceSelector: { matchLabels: { app: 'web' } } },
    { kind: 'Namespace', group: '', namespace: '' },
    true,
  ],
])('%s', (_name, match, subject, wanted) => expect(isMatch(match, { ...SUBJECT, ...subject })).toBe(wanted));

test.each([
  ['In', ['a'], true],
  ['NotIn', ['a'], false],
  ['Exists', undefined, true],
  ['DoesNotExist', undefined, false],
])('%s', (operator, values, wanted) => {
  const matchExpressions = [{ key: 'x', operator, ...(values && { values }) }];
  expect(selects({ matchExpressions }, { x: 'a' })).toBe(wanted);
});

test.each([
  ['Pod', 'pods'],
  ['Ingress', 'ingresses'],
  ['NetworkPolicy', 'networkpolicies'],
  ['Gateway', 'gateways'],
  ['Endpoints', 'endpoints'],
  ['StorageClass', 'storageclasses'],
])('%s: %s', (kind, plural) => expect(pluralOf(kind)).toBe(plural));
