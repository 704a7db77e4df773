/** Policies about what pods may do. */
import type { ReadyPolicy } from './ready-policy.ts';
import { CONTAINERS, CONTEXTS, POD } from './workloads.ts';

/** Those that Kubernetes isolates for each pod: the Pod Security Standards allow them. */
const SAFE_SYSCTLS = JSON.stringify([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_notsent_lowat',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_slow_start_after_idle',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

/** Fields of a volume that the restricted Pod Security Standard allows; one with a name alone is an empty directory. */
const RESTRICTED_VOLUMES = `['name', 'configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret']`;

export const noPrivilegedPods: ReadyPolicy = {
  name: 'no-privileged-pods',
  demands:
    'Pods do not run privileged, do not share namespaces, ports or folders of their node, add no capabilities, and keep the isolation of their runtime.',
  notes:
    'It covers every control of the [Pod Security Standard](https://kubernetes.io/docs/concepts/security/pod-security-standards/) `baseline`, and PersistentVolumes that are folders of a node. With `level: restricted` and `run-as-non-root` it covers `restricted`.',
  params: {
    level: {
      type: 'text',
      default: 'baseline',
      about:
        '`restricted` also demands `allowPrivilegeEscalation: false`, `drop: [ALL]`, a seccomp profile, and volumes of its types',
    },
    capabilities: { type: 'texts', default: ['NET_BIND_SERVICE'], about: 'capabilities that may be added' },
    hostPaths: {
      type: 'texts',
      default: [],
      about: 'directories of the node that may be mounted, including everything below them',
    },
    sysctls: {
      type: 'texts',
      default: [],
      about: 'kernel parameters that may be set besides those that the standard allows',
    },
  },
  policy: {
    variables: [
      ...CONTEXTS,
      {
        name: 'folders',
        expression: `variables.pod.?volumes.orValue([]).transformList(i, v, has(v.hostPath),
            {'field': variables.podPath + '.volumes[' + string(i) + '].hostPath', 'name': v.?name.orValue(''), 'path': v.hostPath.?path.orValue('')}) +
          (object.kind == 'PersistentVolume' && object.apiVersion == 'v1'
            ? ['hostPath', 'local'].filter(f, object.?spec[?f].hasValue())
              .map(f, {'field': 'spec.' + f, 'name': object.?metadata.?name.orValue(''), 'path': object.spec[f].?path.orValue('')})
            : [])`,
      },
      {
        name: 'podMetadata',
        expression: `variables.podPath == 'spec' ? object.?metadata.orValue({})
          : variables.podPath == 'spec.jobTemplate.spec.template.spec' ? object.spec.jobTemplate.spec.template.?metadata.orValue({})
          : variables.podPath == 'spec.template.spec' ? object.spec.template.?metadata.orValue({})
          : variables.podPath == 'template.spec' ? object.template.?metadata.orValue({})
          : {}`,
      },
      {
        name: 'handlers',
        expression: `variables.containers.map(c,
          ['livenessProbe', 'readinessProbe', 'startupProbe'].map(p, {'path': c.path + '.' + p, 'name': c.name, 'spec': c.spec[?p].orValue({})}) +
          ['postStart', 'preStop'].map(p, {'path': c.path + '.lifecycle.' + p, 'name': c.name, 'spec': c.spec.?lifecycle[?p].orValue({})})).flatten()`,
      },
      {
        name: 'restricted',
        expression: `params.level != 'baseline' && variables.podPath != ''`,
      },
      {
        name: 'restrictedLinux',
        expression: `variables.restricted && variables.pod.?os.?name.orValue('') != 'windows'`,
      },
    ],
    validations: [
      {
        expression: `['hostNetwork', 'hostPID', 'hostIPC'].filter(f, variables.pod[?f].orValue(false) == true)
          .map(f, {'field': variables.podPath + '.' + f, 'message': f + " lets the pod into its node's namespaces"})`,
      },
      {
        expression: `variables.folders
          .filter(v, !params.hostPaths.exists(p, v.path == p || v.path.startsWith(p.endsWith('/') ? p : p + '/')))
          .map(v, {'field': v.field, 'message': 'the volume ' + v.name + ' is a folder of the node'})`,
      },
      {
        expression: `variables.containers.filter(c, c.spec.?securityContext.?privileged.orValue(false) == true)
          .map(c, {'field': c.path + '.securityContext.privileged', 'message': 'the container ' + c.name + ' is privileged'})`,
      },
      {
        expression: `variables.contexts.filter(c, c.spec.?windowsOptions.?hostProcess.orValue(false) == true)
          .map(c, {'field': c.path + '.windowsOptions.hostProcess', 'message': c.name + ' runs as a process of its node'})`,
      },
      {
        expression: `variables.containers
          .filter(c, c.spec.?securityContext.?allowPrivilegeEscalation.orValue(variables.restrictedLinux) == true)
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
      {
        expression: `variables.handlers.map(h, ['httpGet', 'tcpSocket'].filter(k, h.spec[?k].?host.orValue('') != '')
          .map(k, {'field': h.path + '.' + k + '.host', 'message': 'a probe or hook of the container ' + h.name + ' lets the node call another host'})).flatten()`,
      },
      {
        expression: `variables.contexts.filter(c, !(c.spec.?procMount.orValue('') in ['', 'Default']))
          .map(c, {'field': c.path + '.procMount', 'message': c.name + ' sees all of /proc'})`,
      },
      {
        expression: `variables.contexts.filter(c, !(c.spec.?seccompProfile.?type.orValue('') in ['', 'RuntimeDefault', 'Localhost']))
          .map(c, {'field': c.path + '.seccompProfile.type', 'message': c.name + ' switches seccomp off'})`,
      },
      {
        expression: `variables.contexts.filter(c, !(c.spec.?appArmorProfile.?type.orValue('') in ['', 'RuntimeDefault', 'Localhost']))
          .map(c, {'field': c.path + '.appArmorProfile.type', 'message': c.name + ' switches AppArmor off'})`,
      },
      {
        expression: `variables.podMetadata.?annotations.orValue({}).transformList(key, profile,
          key.startsWith('container.apparmor.security.beta.kubernetes.io/') && !(profile in ['', 'runtime/default']) && !profile.startsWith('localhost/'),
          {'field': (variables.podPath == 'spec' ? 'metadata' : variables.podPath.replace('template.spec', 'template.metadata')) + '.annotations', 'message': 'the annotation ' + key + ' switches AppArmor off'})`,
      },
      {
        expression: `variables.contexts.map(c, ['type', 'user', 'role']
          .filter(f, !(c.spec.?seLinuxOptions[?f].orValue('') in (f == 'type' ? ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'] : [''])))
          .map(f, {'field': c.path + '.seLinuxOptions.' + f, 'message': c.name + ' chooses its own SELinux ' + f})).flatten()`,
      },
      {
        expression: `variables.pod.?securityContext.?sysctls.orValue([]).transformList(i, s, !(s.?name.orValue('') in params.sysctls + ${SAFE_SYSCTLS}),
          {'field': variables.podPath + '.securityContext.sysctls[' + string(i) + ']', 'message': 'the pod sets ' + s.?name.orValue('') + ' of the kernel'})`,
      },
      {
        expression: `!variables.restrictedLinux ? [] : variables.containers
          .filter(c, !('ALL' in c.spec.?securityContext.?capabilities.?drop.orValue([])))
          .map(c, {'field': c.path + '.securityContext.capabilities.drop', 'message': 'the container ' + c.name + ' does not drop all capabilities'})`,
      },
      {
        expression: `!variables.restrictedLinux ? [] : variables.containers
          .filter(c, c.spec.?securityContext.?seccompProfile.?type.or(variables.pod.?securityContext.?seccompProfile.?type).orValue('') == '')
          .map(c, {'field': c.path + '.securityContext.seccompProfile', 'message': 'the container ' + c.name + ' has no seccomp profile'})`,
      },
      {
        expression: `!variables.restricted ? [] : variables.pod.?volumes.orValue([]).transformList(i, v,
          !has(v.hostPath) && !v.all(key, key in ${RESTRICTED_VOLUMES}),
          {'field': variables.podPath + '.volumes[' + string(i) + ']', 'message': 'the volume ' + v.?name.orValue('') + ' has a type that the restricted standard does not allow'})`,
      },
    ],
  },
};

export const runAsNonRoot: ReadyPolicy = {
  name: 'run-as-non-root',
  demands: 'Containers may not run as root: `runAsNonRoot: true`, on the pod or on each container.',
  params: {},
  policy: {
    variables: CONTEXTS,
    validations: [
      {
        expression: `variables.containers
          .filter(c, c.spec.?securityContext.?runAsNonRoot.or(variables.pod.?securityContext.?runAsNonRoot).orValue(false) != true)
          .map(c, {'field': c.path + '.securityContext.runAsNonRoot', 'message': 'the container ' + c.name + ' may run as root'})`,
      },
      {
        expression: `variables.contexts.filter(c, c.spec.?runAsUser.orValue(1) == 0)
          .map(c, {'field': c.path + '.runAsUser', 'message': c.name + ' runs as root'})`,
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
        expression: `variables.podPath == '' ||
          variables.pod.?automountServiceAccountToken.orValue(true) == false && !variables.pod.?volumes.orValue([])
            .exists(v, v.?projected.?sources.orValue([]).exists(s, has(s.serviceAccountToken))) ||
          !(variables.pod.?serviceAccountName.orValue('') in ['', 'default']) ? []
          : [{'field': variables.podPath + '.serviceAccountName', 'message': 'the pod gets the token of the default service account'}]`,
      },
    ],
  },
};

export const noWildcardRoles: ReadyPolicy = {
  name: 'no-wildcard-roles',
  demands:
    'Roles name verbs, resources, groups and paths instead of `*`, grant no verb by which their holder takes more, and no one is bound to `cluster-admin`.',
  notes: 'A ClusterRole must not gather the rules of all others, or of those that every cluster has.',
  params: {
    verbs: {
      type: 'texts',
      default: ['escalate', 'bind', 'impersonate'],
      about: 'verbs that no role may grant',
    },
  },
  policy: {
    conditions: [
      {
        name: 'rbac',
        // OpenShift makes RBAC of the second group.
        expression: `object.apiVersion.startsWith('rbac.authorization.k8s.io/') || object.apiVersion.startsWith('authorization.openshift.io/')`,
      },
    ],
    validations: [
      {
        expression: `object.?rules.orValue([]).transformList(i, rule, ['verbs', 'resources', 'apiGroups', 'nonResourceURLs']
          .filter(f, rule[?f].orValue([]).exists(v, v == '*' || f == 'nonResourceURLs' && v == '/*'))
          .map(f, {'field': 'rules[' + string(i) + '].' + f, 'message': 'the rule grants all ' + f})).flatten()`,
      },
      {
        expression: `object.?rules.orValue([]).transformList(i, rule, rule.?verbs.orValue([])
          .transformList(j, verb, verb in params.verbs,
            {'field': 'rules[' + string(i) + '].verbs[' + string(j) + ']', 'message': 'with the verb ' + verb + ' the holder can take rights of others'})).flatten()`,
      },
      {
        // The built-in roles, cluster-admin among them, have this label and no other.
        expression: `object.?aggregationRule.?clusterRoleSelectors.orValue([]).transformList(i, s,
          !s.?matchLabels.orValue({}).exists(key, key != 'kubernetes.io/bootstrapping') &&
          !s.?matchExpressions.orValue([]).exists(e, e.?operator.orValue('') in ['In', 'Exists'] && e.?key.orValue('') != 'kubernetes.io/bootstrapping'),
          {'field': 'aggregationRule.clusterRoleSelectors[' + string(i) + ']', 'message': 'the role gathers the rules of all ClusterRoles, or of those that every cluster has'})`,
      },
      {
        expression: `object.?roleRef.?name.orValue('') == 'cluster-admin'
          ? [{'field': 'roleRef.name', 'message': 'cluster-admin may do everything'}] : []`,
      },
    ],
  },
};
