import { closestWord } from '../../package/closest-word.ts';
import { usageError } from '../exit-code.ts';
import type { Call, Run } from '../verb.ts';

interface Subverb {
  readonly positionals: { readonly least: number; readonly most: number };
  readonly options: readonly string[];
  /** Options without which it cannot do its work. */
  readonly needs?: readonly string[];
  readonly usage: string;
  readonly load: () => Promise<Run>;
}

const SUBVERBS: Readonly<Record<string, Subverb>> = {
  validate: {
    positionals: { least: 1, most: 1 },
    options: ['strict'],
    usage: 'portico catalog validate DIR [--strict]',
    load: async () => (await import('./validate.ts')).validate,
  },
  render: {
    positionals: { least: 1, most: 1 },
    options: ['output'],
    usage: 'portico catalog render DIR [-o yaml|json]',
    load: async () => (await import('./render.ts')).render,
  },
  list: {
    positionals: { least: 2, most: 2 },
    options: ['package'],
    usage: 'portico catalog list packages|channels|bundles DIR [--package NAME]',
    load: async () => (await import('./list.ts')).list,
  },
  graph: {
    positionals: { least: 1, most: 1 },
    options: ['package', 'minimum-edge', 'v0'],
    usage: 'portico catalog graph DIR [--package NAME] [--minimum-edge BUNDLE] [--v0]',
    load: async () => (await import('./graph.ts')).graph,
  },
  template: {
    positionals: { least: 1, most: 1 },
    options: ['bundles', 'output'],
    usage: 'portico catalog template FILE [--bundles DIR] [-o yaml|json]',
    load: async () => (await import('./template.ts')).template,
  },
  resolve: {
    positionals: { least: 1, most: 1 },
    options: ['package', 'channel', 'version', 'policy', 'installed', 'installed-version'],
    needs: ['package'],
    usage:
      'portico catalog resolve DIR --package NAME [--channel NAME]… [--version RANGE] [--policy POLICY] [--installed BUNDLE]',
    load: async () => (await import('./resolve.ts')).resolve,
  },
  successors: {
    positionals: { least: 1, most: 1 },
    options: ['package', 'channel', 'installed', 'installed-version'],
    needs: ['package', 'installed'],
    usage: 'portico catalog successors DIR --package NAME [--channel NAME]… --installed BUNDLE',
    load: async () => (await import('./resolve.ts')).successors,
  },
  range: {
    positionals: { least: 1, most: 10_000 },
    options: [],
    usage: 'portico catalog range RANGE VERSION…',
    load: async () => (await import('./range.ts')).range,
  },
};

/** Options of all of them but `--json`, which each has. */
const OPTIONS = [...new Set(Object.values(SUBVERBS).flatMap(({ options }) => options))];

/** `portico catalog SUBVERB …`: reads, checks and writes file-based operator catalogs. */
export async function catalog(call: Call): Promise<number> {
  const [name = '', ...positionals] = call.positionals;
  const subverb = Object.hasOwn(SUBVERBS, name) ? SUBVERBS[name] : undefined;
  if (subverb === undefined) {
    const names = Object.keys(SUBVERBS);
    const near = closestWord(name, names);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    throw usageError(
      `portico catalog has no ${name}${meant}`,
      `It has: ${names.join(', ')}. See: portico catalog --help`,
    );
  }
  const wrong = (message: string): Error =>
    usageError(`portico catalog ${name}: ${message}`, `Usage: ${subverb.usage}\nSee: portico catalog --help`);
  if (positionals.length < subverb.positionals.least) throw wrong('an argument is missing');
  if (positionals.length > subverb.positionals.most) {
    throw wrong(`too many arguments: ${positionals.slice(subverb.positionals.most).join(' ')}`);
  }
  const other = OPTIONS.find((option) => call.has(option) && !subverb.options.includes(option));
  if (other !== undefined) throw wrong(`it has no option --${other}`);
  const missing = subverb.needs?.find((option) => !call.has(option));
  if (missing !== undefined) throw wrong(`--${missing} is missing`);
  const perform = await subverb.load();
  return perform({ ...call, positionals });
}
