import { BUNDLE_FORMATS, formatOf, type BundleFormat } from '../../bundle/bundle-format.ts';
import { closestWord } from '../../package/closest-word.ts';
import type { PackageFiles } from '../../package/package.ts';
import { usageError } from '../exit-code.ts';
import { readFolder } from '../folder.ts';
import type { Call, Run } from '../verb.ts';

interface Subverb {
  readonly options: readonly string[];
  readonly load: () => Promise<Run>;
}

const CONVERT_OPTIONS = [
  'install-namespace',
  'target-namespaces',
  'certificate-provider',
  'deployment-config',
  'output',
];

const SUBVERBS: Readonly<Record<string, Subverb>> = {
  validate: { options: [], load: async () => (await import('./validate.ts')).validate },
  convert: { options: CONVERT_OPTIONS, load: async () => (await import('./convert.ts')).convert },
};

/** `portico bundle validate|convert DIR`. */
export async function bundle(call: Call): Promise<number> {
  const [name = '', ...positionals] = call.positionals;
  const subverb = Object.hasOwn(SUBVERBS, name) ? SUBVERBS[name] : undefined;
  if (subverb === undefined) {
    const near = closestWord(name, Object.keys(SUBVERBS));
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    throw usageError(
      `portico bundle has no ${name}${meant}`,
      `It has: ${Object.keys(SUBVERBS).join(', ')}. See: portico bundle --help`,
    );
  }
  const other = CONVERT_OPTIONS.find((option) => call.has(option) && !subverb.options.includes(option));
  if (other !== undefined) {
    throw usageError(`portico bundle ${name} has no option --${other}`, 'See: portico bundle --help');
  }
  const perform = await subverb.load();
  return perform({ ...call, positionals });
}

/** A bundle as it is in a directory, and the format that it has or is said to have. */
export function readBundle(call: Call): { readonly files: PackageFiles; readonly format: BundleFormat } {
  const files = readFolder(call.path(call.positionals[0] ?? '.'), { warn: call.terminal.warn });
  const said = BUNDLE_FORMATS.find((format) => format === call.text('format'));
  return { files, format: said ?? formatOf(files) };
}

/** The APIs of `--known-api`. */
export function knownApis(call: Call): ReadonlySet<string> {
  const named = call.list('known-api');
  const wrong = named.find((api) => !/^[^/\s]+\/[^/\s]+$/.test(api));
  if (wrong !== undefined) {
    throw usageError(
      `--known-api cannot be ${wrong}`,
      'Write the group and the kind, such as cert-manager.io/Issuer.',
    );
  }
  return new Set(named);
}
