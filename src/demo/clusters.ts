/**
 * What a repository holds below `clusters/` so that Flux or Argo CD deploys from it and reports to the forge. The local forge's follow it, too,
 * where it is realistic (localforge/README.md).
 */

interface Followed {
  /** `owner/name` */
  readonly repository: string;
  /** The folder that is deployed. */
  readonly folder: string;
}

/** Flux deploys the folder, waits until it is healthy, and reports on commits. */
export function fluxObjects({ repository, folder }: Followed): Record<string, string> {
  const text = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: deployments, namespace: flux-system }
spec: { interval: 1m, url: 'https://github.com/${repository}', ref: { branch: main } }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: ${folder}, namespace: flux-system }
spec: { interval: 10m, path: ./${folder}, prune: true, wait: true, sourceRef: { kind: GitRepository, name: deployments } }
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: { name: github, namespace: flux-system }
spec: { type: github, address: 'https://github.com/${repository}', secretRef: { name: github } }
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: { name: github, namespace: flux-system }
spec: { providerRef: { name: github }, eventSources: [{ kind: Kustomization, name: '*' }] }
`;
  return { 'clusters/here/flux.yaml': text };
}

/** Argo CD deploys the folder to the environment `production`, and reports deployments of it. */
export function argoObjects({ repository, folder }: Followed): Record<string, string> {
  const subscribed = ['on-sync-running', 'on-deployed', 'on-health-degraded'].map(
    (trigger) => `    notifications.argoproj.io/subscribe.${trigger}.github: ""\n`,
  );
  const text = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${folder}
  namespace: argocd
  annotations:
${subscribed.join('')}spec:
  source: { repoURL: 'https://github.com/${repository}', path: ${folder}, targetRevision: HEAD }
  destination: { name: in-cluster, namespace: ${folder} }
  syncPolicy: { automated: { prune: true } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: argocd-notifications-cm, namespace: argocd }
data:
${template('app-sync-running', 'in_progress')}${template('app-deployed', 'success')}${template('app-health-degraded', 'failure')}`;
  return { 'clusters/here/argo.yaml': text };
}

const template = (name: string, state: string): string =>
  `  template.${name}: |\n    message: "{{.app.metadata.name}}: ${state}"\n    github: { deployment: { state: ${state}, environment: production } }\n`;
