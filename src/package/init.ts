import type { PackageFiles } from './package.ts';
import { isPlainString } from './yaml/scalar.ts';

export interface InitOptions {
  /** metadata.name of the package. */
  readonly name: string;
  readonly description?: string;
  readonly site?: string;
  readonly keywords?: readonly string[];
}

const NO_DESCRIPTION = 'sample description';

/**
 * The files that turn a directory into a package, as `kpt pkg init` writes them: Kptfile, README.md and
 * package-context.yaml, without those whose names `existing` has.
 */
export function initPackage(
  options: InitOptions,
  existing: Pick<ReadonlySet<string>, 'has'> = new Set(),
): PackageFiles {
  const texts: [string, string][] = [
    ['Kptfile', kptfile(options)],
    ['README.md', readme(options)],
    ['package-context.yaml', packageContext('example')],
  ];
  return new Map(
    texts
      .filter(([path]) => !existing.has(path))
      .map(([path, text]) => [path, { mode: '100644', bytes: new TextEncoder().encode(text) }]),
  );
}

/** The ConfigMap that tells functions what their package is called. */
export function packageContext(name: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: ${scalar(name)}
`;
}

function kptfile({ name, description = NO_DESCRIPTION, site, keywords = [] }: InitOptions): string {
  return [
    'apiVersion: kpt.dev/v1',
    'kind: Kptfile',
    'metadata:',
    `  name: ${scalar(name)}`,
    '  annotations:',
    '    config.kubernetes.io/local-config: "true"',
    'info:',
    ...(site === undefined ? [] : [`  site: ${scalar(site)}`]),
    `  description: ${scalar(description)}`,
    ...(keywords.length === 0 ? [] : ['  keywords:', ...keywords.map((keyword) => `  - ${scalar(keyword)}`)]),
    '',
  ].join('\n');
}

function readme({ name, description = NO_DESCRIPTION }: InitOptions): string {
  return `# ${name}

## Description
${description}

## Usage

### Fetch the package
\`kpt pkg get REPO_URI[.git]/PKG_PATH[@VERSION] ${name}\`
Details: https://kpt.dev/reference/cli/pkg/get/

### View package content
\`kpt pkg tree ${name}\`
Details: https://kpt.dev/reference/cli/pkg/tree/

### Apply the package
\`\`\`
kpt live init ${name}
kpt live apply ${name} --reconcile-timeout=2m --output=table
\`\`\`
Details: https://kpt.dev/reference/cli/live/
`;
}

function scalar(text: string): string {
  return text !== '' && isPlainString(text, false) ? text : JSON.stringify(text);
}
