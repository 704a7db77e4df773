/** What pods may do beyond their container. */
import { valueAt, listAt, mapAt, textAt, textsAt, type Fields } from '../plain-values.ts';
import { isUsualPodPath, podSpecPaths } from '../pod-places.ts';
import { formatPath } from '../yaml/path.ts';
import { called, type FieldPath, type PowerResource } from './power-resources.ts';
import type { Power } from './power-types.ts';

interface Say {
  (what: string, path: FieldPath, more?: { readonly danger?: string; readonly protects?: boolean }): void;
}

/** Privileges that the pods of a resource ask for, and protections that they have. Empty for what runs no pods. */
export function workloadPowers(resource: PowerResource): Power[] {
  return podSpecPaths(resource.value).flatMap((path) => podPowers(resource, path));
}

function podPowers(resource: PowerResource, base: FieldPath): Power[] {
  const spec = mapAt(resource.value, ...base);
  const powers: Power[] = [];
  const which = isUsualPodPath(base) ? '' : ` (${formatPath(base.slice(0, -1))})`;
  const who = `${called(resource)}${which}`;
  const say: Say = (what, path, more = {}) => {
    const place = resource.place([...base, ...path]);
    powers.push({ id: `${who} ${what}`, kind: 'workload', who, what, ...more, ...place });
  };
  ofPod(spec, say);
  const annotations = mapAt(resource.value, ...base.slice(0, -1), 'metadata', 'annotations');
  for (const [key, profile] of Object.entries(annotations)) {
    if (!key.startsWith(APPARMOR) || profile !== 'unconfined') continue;
    const place = resource.place([...base.slice(0, -1), 'metadata', 'annotations', key]);
    const what = `container ${key.slice(APPARMOR.length)} has no AppArmor profile`;
    powers.push({ id: `${who} ${what}`, kind: 'workload', who, what, danger: 'AppArmor is off', ...place });
  }
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [index, container] of listAt(spec, list).entries()) {
      ofContainer(container, [list, index], say);
      ofOverride(spec, container, [list, index], say);
    }
  }
  return powers;
}

const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';

function ofPod(spec: Fields, say: Say): void {
  for (const [field, what] of [
    ['hostNetwork', 'uses the network of the node'],
    ['hostPID', 'sees all processes of the node'],
    ['hostIPC', 'shares memory with the node'],
  ] as const) {
    if (spec[field] === true) say(what, [field], { danger: `${field} leaves the pod's isolation` });
  }
  if (spec['hostUsers'] === false) say('has users of its own', ['hostUsers'], { protects: true });
  for (const [index, volume] of listAt(spec, 'volumes').entries()) {
    const path = textAt(volume, 'hostPath', 'path');
    if (valueAt(volume, 'hostPath') !== undefined) {
      say(`mounts ${path} of the node`, ['volumes', index], { danger: 'a path of the node' });
    }
    for (const source of listAt(volume, 'projected', 'sources')) {
      if (valueAt(source, 'serviceAccountToken') === undefined) continue;
      const audience = textAt(source, 'serviceAccountToken', 'audience') || 'the API server';
      say(`gets a token for ${audience}`, ['volumes', index]);
    }
  }
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '' && account !== 'default')
    say(`acts as ServiceAccount ${account}`, ['serviceAccountName']);
  if (spec['automountServiceAccountToken'] === false) {
    say('has no token of its service account', ['automountServiceAccountToken'], { protects: true });
  }
  if (spec['automountServiceAccountToken'] === true) {
    say('has the token of its service account', ['automountServiceAccountToken']);
  }
  for (const [index, sysctl] of listAt(spec, 'securityContext', 'sysctls').entries()) {
    say(`sets ${textAt(sysctl, 'name')} of the kernel`, ['securityContext', 'sysctls', index]);
  }
  ofSecurity(mapAt(spec, 'securityContext'), ['securityContext'], 'every container', say);
}

function ofContainer(container: Fields, base: FieldPath, say: Say): void {
  const name = `container ${textAt(container, 'name')}`;
  const path = [...base, 'securityContext'];
  const security = mapAt(container, 'securityContext');
  if (security['privileged'] === true) {
    say(`${name} is privileged`, [...path, 'privileged'], { danger: 'it is root on the node' });
  }
  if (security['allowPrivilegeEscalation'] === true) {
    say(`${name} may gain privileges`, [...path, 'allowPrivilegeEscalation']);
  }
  if (security['allowPrivilegeEscalation'] === false) {
    say(`${name} may not gain privileges`, [...path, 'allowPrivilegeEscalation'], { protects: true });
  }
  for (const [index, capability] of textsAt(security, 'capabilities', 'add').entries()) {
    const strong = !HARMLESS.has(capability);
    const danger = strong ? { danger: 'a capability beyond the usual ones' } : {};
    say(`${name} has the capability ${capability}`, [...path, 'capabilities', 'add', index], danger);
  }
  for (const [index, capability] of textsAt(security, 'capabilities', 'drop').entries()) {
    const where = [...path, 'capabilities', 'drop', index];
    say(`${name} drops the capability ${capability}`, where, { protects: true });
  }
  if (security['readOnlyRootFilesystem'] === true) {
    say(`${name} cannot write to its own files`, [...path, 'readOnlyRootFilesystem'], { protects: true });
  }
  if (textAt(security, 'procMount') === 'Unmasked') {
    say(`${name} sees all of /proc`, [...path, 'procMount'], { danger: 'it sees the kernel' });
  }
  for (const [index, port] of listAt(container, 'ports').entries()) {
    if (typeof port['hostPort'] !== 'number' || port['hostPort'] === 0) continue;
    say(`${name} takes port ${port['hostPort']} of the node`, [...base, 'ports', index]);
  }
  for (const [handler, ...at] of HANDLERS) {
    for (const kind of ['httpGet', 'tcpSocket']) {
      const host = textAt(container, handler, ...at, kind, 'host');
      if (host !== '') {
        const where = [...base, handler, ...at, kind, 'host'];
        say(`${name} has its node call ${host}`, where, { danger: 'requests come from the node' });
      }
    }
  }
  ofSecurity(security, path, name, say);
}

/** What is a privilege only together with what the pod says. */
function ofOverride(spec: Fields, container: Fields, base: FieldPath, say: Say): void {
  const name = `container ${textAt(container, 'name')}`;
  const mayBeRoot = valueAt(container, 'securityContext', 'runAsNonRoot') === false;
  if (mayBeRoot && valueAt(spec, 'securityContext', 'runAsNonRoot') === true)
    say(`${name} may run as root`, [...base, 'securityContext', 'runAsNonRoot'], { danger: 'root' });
  for (const [index, mount] of listAt(container, 'volumeMounts').entries()) {
    const volume = listAt(spec, 'volumes').find((one) => one['name'] === mount['name']);
    if (valueAt(volume, 'hostPath') === undefined || mount['readOnly'] === true) continue;
    const where = [...base, 'volumeMounts', index];
    say(`${name} can write to ${textAt(volume, 'hostPath', 'path')} of the node`, where, {
      danger: 'a path of the node',
    });
  }
}

/** Probes and hooks, which the node itself runs. */
const HANDLERS = [
  ['livenessProbe'],
  ['readinessProbe'],
  ['startupProbe'],
  ['lifecycle', 'postStart'],
  ['lifecycle', 'preStop'],
] as const;

/** What every container may have anyway, as the baseline of the Pod Security Standards says. */
const HARMLESS = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** The fields that a pod and a container share. */
function ofSecurity(security: Fields, path: FieldPath, who: string, say: Say): void {
  if (security['runAsUser'] === 0) say(`${who} runs as root`, [...path, 'runAsUser'], { danger: 'root' });
  if (security['runAsNonRoot'] === true) {
    say(`${who} may not run as root`, [...path, 'runAsNonRoot'], { protects: true });
  }
  if (typeof security['runAsUser'] === 'number' && security['runAsUser'] !== 0) {
    say(`${who} runs as another user than root`, [...path, 'runAsUser'], { protects: true });
  }
  const seccomp = textAt(security, 'seccompProfile', 'type');
  if (seccomp === 'Unconfined') {
    say(`${who} may make every system call`, [...path, 'seccompProfile'], { danger: 'no seccomp profile' });
  } else if (seccomp !== '') {
    const name = textAt(security, 'seccompProfile', 'localhostProfile') || seccomp;
    say(`${who} has the seccomp profile ${name}`, [...path, 'seccompProfile'], { protects: true });
  }
  if (textAt(security, 'appArmorProfile', 'type') === 'Unconfined') {
    say(`${who} has no AppArmor profile`, [...path, 'appArmorProfile'], { danger: 'AppArmor is off' });
  }
  for (const field of ['type', 'user', 'role']) {
    const value = textAt(security, 'seLinuxOptions', field);
    if (value === '' || (field === 'type' && USUAL_SELINUX_TYPE.test(value))) continue;
    const where = [...path, 'seLinuxOptions', field];
    say(`${who} has the SELinux ${field} ${value}`, where, { danger: 'it can leave its isolation' });
  }
  if (valueAt(security, 'windowsOptions', 'hostProcess') === true) {
    say(`${who} is a process of the node`, [...path, 'windowsOptions'], { danger: 'it is not isolated' });
  }
}

/** As the baseline of the Pod Security Standards says. */
const USUAL_SELINUX_TYPE = /^container_(?:init_|kvm_|engine_)?t$/;
