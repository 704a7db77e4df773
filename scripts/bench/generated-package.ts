import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Resources in one file. */
const PER_FILE = 5;

export interface Generated {
  readonly resources: number;
  /** Every so many resources has its image or data changed; 0 changes none. */
  readonly changeEvery?: number;
  /** The first resource that is changed. */
  readonly changeFrom?: number;
  /** What the change says, so that two sides change to different values. */
  readonly change?: string;
  /** The pipeline of the Kptfile, as YAML below `pipeline:`. */
  readonly pipeline?: string;
}

/** The files of a package of mixed resources with comments, five in a file, the same for the same input. */
export function generatedPackage(options: Generated): Map<string, string> {
  const { resources, changeEvery = 0, changeFrom = 0, change = '', pipeline } = options;
  const files = new Map<string, string>();
  const head =
    'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: generated\ninfo:\n  description: a generated package\n';
  files.set('Kptfile', pipeline === undefined ? head : `${head}pipeline:\n${pipeline}`);
  for (let first = 0; first < resources; first += PER_FILE) {
    const documents = Array.from({ length: Math.min(PER_FILE, resources - first) }, (_, at) => {
      const number = first + at;
      const changed = changeEvery > 0 && number % changeEvery === changeFrom % changeEvery;
      return resource(number, changed ? change : 'v1');
    });
    files.set(`group-${Math.floor(first / 100)}/file-${first}.yaml`, documents.join('---\n'));
  }
  return files;
}

/** Writes a package into a directory. */
export function writePackage(directory: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

function resource(number: number, version: string): string {
  const name = `app-${number}`;
  const kinds = [deployment, service, configMap, serviceAccount, role];
  return (kinds[number % kinds.length] ?? deployment)(name, version);
}

function deployment(name: string, version: string): string {
  return `# The workload of ${name}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: shop
  labels:
    app: ${name}
spec:
  replicas: 2 # one per zone
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
        - name: main
          image: registry.example.com/${name}:${version}
          args: ["--listen", ":8080"]
          ports:
            - containerPort: 8080
              name: http
          env:
            - name: LOG_LEVEL
              value: info
        - name: proxy
          image: registry.example.com/proxy:v1
      volumes:
        - name: config
          configMap:
            name: ${name}
`;
}

function service(name: string, version: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: shop
  annotations:
    example.com/version: ${version}
spec:
  selector:
    app: ${name}
  ports:
    - name: http
      port: 80
      protocol: TCP
      targetPort: http
`;
}

function configMap(name: string, version: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  namespace: shop
data:
  version: ${version}
  settings.ini: |
    # comes with the package
    [server]
    threads = 4
`;
}

function serviceAccount(name: string, version: string): string {
  return `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  namespace: shop
  annotations:
    example.com/version: ${version}
`;
}

function role(name: string, version: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${name}
  namespace: shop
  annotations:
    example.com/version: ${version}
rules:
  - apiGroups: [""]
    resources: ["configmaps"]
    verbs: ["get", "list"]
`;
}
