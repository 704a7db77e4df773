/** Pure: the Job that runs a function once, and the labels by which it is found. */
import type { Limits } from '../sandbox/limits.ts';
import type { ClusterSettings } from './settings.ts';

/** On every Job and pod of a function; the NetworkPolicy selects pods by them. */
export const FUNCTION_LABELS: Readonly<Record<string, string>> = {
  'app.kubernetes.io/name': 'portico-function',
  'app.kubernetes.io/managed-by': 'portico',
};
export const FUNCTION_SELECTOR = Object.entries(FUNCTION_LABELS)
  .map(([name, value]) => `${name}=${value}`)
  .join(',');
/** Which server made a Job, and which Job a pod is of. */
export const OWNER_LABEL = 'portico.dev/owner';
export const RUN_LABEL = 'portico.dev/run';
export const CONTAINER = 'function';

/** Until a pod runs: a place on a node, and its image pulled. */
export const START_MS = 300_000;
/** Between the limit that the server keeps and the one that the cluster keeps should the server be gone. */
const SLACK_SECONDS = 30;
/** A Job that nobody deleted is kept so long after its end. */
const KEPT_SECONDS = 60;
/** As much as files in /tmp may take in the other runtimes. It is memory, and counted as such. */
const TMP = '64Mi';
/** What the kubelet keeps of stdout and stderr on the node counts, too: 16 MiB of each. */
const DISK = '128Mi';
const CPU = { requests: '100m', limits: '1' };
const NOBODY = 65_534;

/** The body of `POST /apis/batch/v1/namespaces/{namespace}/jobs`. */
export function jobOf(name: string, image: string, limits: Limits, settings: ClusterSettings): object {
  const memory = `${Math.floor(limits.memoryBytes / 1024 / 1024)}Mi`;
  const labels = { ...FUNCTION_LABELS, [OWNER_LABEL]: settings.owner, [RUN_LABEL]: name };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: settings.namespace, labels },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: Math.ceil((START_MS + limits.timeoutMs) / 1000) + SLACK_SECONDS,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 0,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          hostNetwork: false,
          hostPID: false,
          hostIPC: false,
          imagePullSecrets: settings.pullSecrets.map((secret) => ({ name: secret })),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: NOBODY,
            runAsGroup: NOBODY,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: CONTAINER,
              image,
              imagePullPolicy: 'IfNotPresent',
              stdin: true,
              stdinOnce: true,
              tty: false,
              resources: {
                requests: { cpu: CPU.requests, memory, 'ephemeral-storage': DISK },
                limits: { cpu: CPU.limits, memory, 'ephemeral-storage': DISK },
              },
              securityContext: {
                privileged: false,
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: TMP } }],
        },
      },
    },
  };
}
