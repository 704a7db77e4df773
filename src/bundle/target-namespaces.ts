/** Which namespaces an operator watches, and whether it says that it can. */
import { byText, listed } from '../fbc/go-text.ts';
import type { Csv } from './csv.ts';

/** The install modes that a CSV supports, in order. */
export function supportedModes(csv: Csv): readonly string[] {
  const supported = csv.installModes.filter((mode) => mode.supported).map((mode) => mode.type);
  return [...new Set(supported)].sort(byText);
}

/** All namespaces, or the one of the installation; none where the person has to say which. */
export function defaultTargets(csv: Csv, installNamespace: string): readonly string[] {
  const modes = supportedModes(csv);
  if (modes.includes('AllNamespaces')) return [''];
  return modes.includes('OwnNamespace') ? [installNamespace] : [];
}

/** Why an operator cannot watch these namespaces; undefined when it can. */
export function targetsProblem(
  csv: Csv,
  installNamespace: string,
  targets: readonly string[],
): string | undefined {
  const modes = supportedModes(csv);
  const supports = `supported install modes ${listed(modes)} do not support`;
  const chosen = new Set(targets);
  if (chosen.size === 0) {
    const count = modes.includes('MultiNamespace') ? 'at least one' : 'exactly one';
    return `${count} target namespace must be specified: ${supports} targeting all namespaces`;
  }
  if (chosen.size === 1 && chosen.has('')) {
    return modes.includes('AllNamespaces') ? undefined : `${supports} targeting all namespaces`;
  }
  const own = chosen.has(installNamespace);
  if (own && !modes.includes('OwnNamespace')) return `${supports} targeting own namespace`;
  if (chosen.size === 1) {
    if (own || modes.includes('SingleNamespace')) return undefined;
  } else if (modes.includes('MultiNamespace') && !chosen.has('')) return undefined;
  return `${supports} target namespaces ${listed(targets)}`;
}
