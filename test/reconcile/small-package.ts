const CATALOG = 'ghcr.io/kptdev/krm-functions-catalog';

export interface SmallPackage {
  /** Lines of the pipeline's mutators, as YAML list entries. */
  readonly mutators?: readonly string[];
  readonly validators?: readonly string[];
  readonly data?: Readonly<Record<string, string>>;
}

/** A package with one ConfigMap; it renders to itself unless its pipeline says otherwise. */
export function smallPackage(
  name: string,
  { mutators = [], validators = [], data = { color: 'blue' } }: SmallPackage = {},
): Record<string, string> {
  return { Kptfile: kptfile(name, mutators, validators), 'config.yaml': configMap(name, data) };
}

/** One entry of a pipeline. */
export function step(image: string, configMap: Readonly<Record<string, string>> = {}): string {
  const entries = Object.entries(configMap).map(
    ([key, value]) => `\n        ${key}: ${JSON.stringify(value)}`,
  );
  return `    - image: ${CATALOG}/${image}${entries.length === 0 ? '' : `\n      configMap:${entries.join('')}`}\n`;
}

export function kptfile(
  name: string,
  mutators: readonly string[] = [],
  validators: readonly string[] = [],
): string {
  const pipeline =
    mutators.length + validators.length === 0
      ? ''
      : `pipeline:\n${list('mutators', mutators)}${list('validators', validators)}`;
  return `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n  annotations:\n    config.kubernetes.io/local-config: "true"\n${pipeline}`;
}

function list(key: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : `  ${key}:\n${entries.join('')}`;
}

export function configMap(name: string, data: Readonly<Record<string, string>>): string {
  const entries = Object.entries(data).map(([key, value]) => `  ${key}: ${value}\n`);
  return `# Kept as it is.\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${entries.join('')}`;
}
