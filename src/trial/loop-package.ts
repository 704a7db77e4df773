/** The package whose life a trial plays. */
import type { Files } from './repository.ts';

const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
  annotations:
    config.kubernetes.io/local-config: "true"
`;

/** In the directory `web`. */
export function webPackage(version: string): Files {
  return {
    'web/Kptfile': KPTFILE,
    'web/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: example/web:${version}
`,
  };
}

/** The package as it was cloned at its first revision. */
export function copyOf(files: Files, repo: string, commit: string): Files {
  const place = `    repo: ${repo}\n    directory: /web\n    ref: web/v1\n`;
  const upstream = `upstream:\n  type: git\n  git:\n${place}  updateStrategy: resource-merge\n`;
  const lock = `upstreamLock:\n  type: git\n  git:\n${place}    commit: ${commit}\n`;
  return { ...files, 'web/Kptfile': `${KPTFILE}${upstream}${lock}` };
}

/** Registers a repository in which nobody has to approve. */
export function configuration(name: string, more: string): string {
  return `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata:
  name: ${name}
spec:
  branch: main
  publish: { requireApprovals: 0 }
  ${more}
`;
}
