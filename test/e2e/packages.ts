import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package with one Deployment whose image tag is a setter, and a ConfigMap that the rendering gives a namespace. */
export function webPackage(tag = '1.0.0'): Record<string, string> {
  return {
    Kptfile: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web
  annotations:
    config.kubernetes.io/local-config: "true"
pipeline:
  mutators:
    - image: ghcr.io/kptdev/krm-functions-catalog/apply-setters:v0.2.0
      configPath: setters.yaml
    - image: ghcr.io/kptdev/krm-functions-catalog/set-namespace:v0.4.1
      configMap:
        namespace: shop
`,
    'setters.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: setters
  namespace: shop
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  tag: ${tag}
  replicas: "2"
`,
    'deployment.yaml': `# The web front.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2 # kpt-set: \${replicas}
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: web
          image: example/web:${tag} # kpt-set: example/web:\${tag}
`,
  };
}

export function configuration(name: string, spec: string): string {
  return `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata:\n  name: ${name}\nspec:\n${spec
    .trim()
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('')}`;
}

/** Writes files below a folder; the keys are paths. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
}

/** The same files below a directory. */
export function below(directory: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));
}

/** A Kptfile's text with its upstream and lock. */
export function locked(
  kptfile: string,
  repo: string,
  directory: string,
  ref: string,
  commit: string,
): string {
  const place = `    repo: ${repo}\n    directory: ${directory}\n    ref: ${ref}\n`;
  return `${kptfile}upstream:\n  type: git\n  git:\n${place}  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n${place}    commit: ${commit}\n`;
}
