/** Policies about what pods may do. */
import type { ReadyPolicy } from './ready-policy.ts';
import { CONTAINERS, POD } from './workloads.ts';

export const noPrivilegedPods: ReadyPolicy = {
  name: 'no-privileged-pods',
  demands:
    'Pods do not run privileged, do not share namespaces, ports or folders of their node, and add no capabilities.',
  params: {
    capabilities: { type: 'texts', default: ['NET_BIND_SERVICE'], about: 'capabilities that may be added' },
    hostPaths: {
      type: 'texts',
      default: [],
      about: 'directories of the node that may be mounted, including everything below them',
    },
  },
  policy: {
    variables: CONTAINERS,
    validations: [
      {
        expression: `['hostNetwork', 'hostPID', 'hostIPC'].filter(f, variables.pod[?f].orValue(false) == true)
          .map(f, {'field': variables.podPath + '.' + f, 'message': f + " lets the pod into its node's namespaces"})`,
      },
      {
        expression: `variables.pod.?volumes.orValue([]).transformList(i, v,
          has(v.hostPath) && !params.hostPaths.exists(p, v.hostPath.?path.orValue('') == p || v.hostPath.?path.orValue('').startsWith(p.endsWith('/') ? p : p + '/')),
          {'field': variables.podPath + '.volumes[' + string(i) + '].hostPath', 'message': 'the volume ' + v.?name.orValue('') + ' is a folder of the node'})`,
      },
      {
        expression: `variables.containers.filter(c, c.spec.?securityContext.?privileged.orValue(false) == true)
          .map(c, {'field': c.path + '.securityContext.privileged', 'message': 'the container ' + c.name + ' is privileged'})`,
      },
      {
        expression: `variables.containers.filter(c, c.spec.?securityContext.?allowPrivilegeEscalation.orValue(false) == true)
          .map(c, {'field': c.path + '.securityContext.allowPrivilegeEscalation', 'message': 'the container ' + c.name + ' may gain privileges'})`,
      },
      {
        expression: `variables.containers.map(c, c.spec.?securityContext.?capabilities.?add.orValue([])
          .transformList(i, cap, !(cap in params.capabilities),
            {'field': c.path + '.securityContext.capabilities.add[' + string(i) + ']', 'message': 'the container ' + c.name + ' adds the capability ' + cap})).flatten()`,
      },
      {
        expression: `variables.containers.map(c, c.spec.?ports.orValue([])
          .transformList(i, p, p.?hostPort.orValue(0) != 0,
            {'field': c.path + '.ports[' + string(i) + '].hostPort', 'message': 'the container ' + c.name + ' takes a port of its node'})).flatten()`,
      },
    ],
  },
};

export const runAsNonRoot: ReadyPolicy = {
  name: 'run-as-non-root',
  demands: 'Containers may not run as root: `runAsNonRoot: true`, on the pod or on each container.',
  params: {},
  policy: {
    variables: CONTAINERS,
    validations: [
      {
        expression: `variables.containers
          .filter(c, c.spec.?securityContext.?runAsNonRoot.or(variables.pod.?securityContext.?runAsNonRoot).orValue(false) != true)
          .map(c, {'field': c.path + '.securityContext.runAsNonRoot', 'message': 'the container ' + c.name + ' may run as root'})`,
      },
      {
        expression: `variables.containers.filter(c, c.spec.?securityContext.?runAsUser.orValue(1) == 0)
          .map(c, {'field': c.path + '.securityContext.runAsUser', 'message': 'the container ' + c.name + ' runs as root'})`,
      },
    ],
  },
};

export const readOnlyRoot: ReadyPolicy = {
  name: 'read-only-root',
  demands: 'Containers cannot write to their image: `readOnlyRootFilesystem: true`.',
  params: {},
  policy: {
    variables: CONTAINERS,
    validations: [
      {
        expression: `variables.containers
          .filter(c, c.spec.?securityContext.?readOnlyRootFilesystem.orValue(false) != true)
          .map(c, {'field': c.path + '.securityContext.readOnlyRootFilesystem', 'message': 'the container ' + c.name + ' can write to its root file system'})`,
      },
    ],
  },
};

export const noDefaultServiceAccount: ReadyPolicy = {
  name: 'no-default-service-account',
  demands: 'Pods name a service account of their own, or mount no token.',
  params: {},
  policy: {
    variables: POD,
    validations: [
      {
        expression: `variables.podPath == '' || variables.pod.?automountServiceAccountToken.orValue(true) == false ||
          !(variables.pod.?serviceAccountName.orValue('') in ['', 'default']) ? []
          : [{'field': variables.podPath + '.serviceAccountName', 'message': 'the pod gets the token of the default service account'}]`,
      },
    ],
  },
};

export const noWildcardRoles: ReadyPolicy = {
  name: 'no-wildcard-roles',
  demands: 'Roles name verbs, resources and groups instead of `*`, and no one is bound to `cluster-admin`.',
  params: {},
  policy: {
    conditions: [{ name: 'rbac', expression: `object.apiVersion.startsWith('rbac.authorization.k8s.io/')` }],
    validations: [
      {
        expression: `object.?rules.orValue([]).transformList(i, rule, ['verbs', 'resources', 'apiGroups']
          .filter(f, '*' in rule[?f].orValue([]))
          .map(f, {'field': 'rules[' + string(i) + '].' + f, 'message': 'the rule grants all ' + f})).flatten()`,
      },
      {
        expression: `object.?roleRef.?name.orValue('') == 'cluster-admin'
          ? [{'field': 'roleRef.name', 'message': 'cluster-admin may do everything'}] : []`,
      },
    ],
  },
};
