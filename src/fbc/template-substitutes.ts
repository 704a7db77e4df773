/** `olm.template.substitutes`: bundles of a catalog are put in the place of others, edges and all. */
import type { BundleBlob, Catalog, ChannelBlob, ChannelEntry, Fields } from './catalog.ts';
import { FieldReader, TypeMistake } from './go-fields.ts';
import { quoted } from './go-text.ts';
import { readBundle } from './model.ts';
import { entriesOf } from './template-basic.ts';
import { TemplateMistake, type RenderBundle } from './template-bundle.ts';
import { validateCatalog } from './validate.ts';
import { verdictText } from './verdict-text.ts';
import { compareReleases, compareVersions } from './version.ts';

interface Substitution {
  /** The image of the new bundle. */
  readonly name: string;
  /** The bundle in whose place it comes. */
  readonly base: string;
}

/** Makes one substitution after the other; after each the catalog must be in order. */
export async function renderSubstitutes(
  template: Fields,
  file: string,
  render: RenderBundle,
): Promise<Catalog> {
  const refuse = (sentence: string): TemplateMistake => new TemplateMistake(`render: ${sentence}`, file);
  const substitutions = readSubstitutions(template, refuse);
  let catalog = entriesOf(template, file, 'SubstitutesTemplateData');
  const wrong = problemOf(catalog);
  if (wrong !== undefined) throw refuse(`entries are not valid FBC: ${wrong}`);
  if (substitutions.length > MAX_SUBSTITUTIONS) {
    throw refuse(`more than ${MAX_SUBSTITUTIONS} substitutions`);
  }
  refuseReuse(substitutions, refuse);
  for (const substitution of substitutions) {
    const { base, name } = substitution;
    catalog = await substitute(catalog, substitution, render, (why) =>
      refuse(`error processing substitution ${quoted(base)} -> ${quoted(name)}: ${why}`),
    );
  }
  return catalog;
}

/** Each checks the whole catalog once. */
const MAX_SUBSTITUTIONS = 200;

function readSubstitutions(template: Fields, refuse: (why: string) => Error): Substitution[] {
  try {
    const reader = new FieldReader(template, 'SubstitutesTemplateData');
    return reader
      .maps('substitutions', 'Substitute', 'substitutes.Substitute')
      .map((one) => ({ name: one.text('name'), base: one.text('base') }));
  } catch (error) {
    if (!(error instanceof TypeMistake)) throw error;
    throw refuse(`unable to parse template: unmarshalling template: ${error.message}`);
  }
}

function refuseReuse(substitutions: readonly Substitution[], refuse: (why: string) => Error): void {
  const bases = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name, base } of substitutions) {
    const other = bases.get(name);
    if (name !== '' && other !== undefined && other !== base) {
      const both = `${quoted(other)} and ${quoted(base)}`;
      throw refuse(`cannot reuse the same substitution ${quoted(name)} for different bases (${both})`);
    }
    if (base !== '' && seen.has(base)) {
      throw refuse(`cannot reuse the same substitution base ${quoted(base)}`);
    }
    bases.set(name, base);
    seen.add(base);
  }
}

function problemOf(catalog: Catalog): string | undefined {
  const { errors } = validateCatalog(catalog);
  return errors.length === 0 ? undefined : verdictText(errors);
}

async function substitute(
  catalog: Catalog,
  { name, base }: Substitution,
  render: RenderBundle,
  refuse: (why: string) => Error,
): Promise<Catalog> {
  if (name === '') throw refuse('substitution name cannot be empty');
  if (base === '') throw refuse('substitution base cannot be empty');
  if (name === base) throw refuse('substitution name and base cannot be the same');
  const bundle = await rendered(name, render, refuse);
  const old = catalog.bundles.find((one) => one.name === base);
  if (old === undefined) throw refuse(`base bundle ${quoted(base)} does not exist in catalog`);
  requireHigher(bundle, old, name, refuse);
  const substituted = {
    ...catalog,
    channels: catalog.channels.map((channel) => withSubstitute(channel, bundle.name, base)),
    bundles: [...catalog.bundles, bundle],
  };
  const wrong = problemOf(substituted);
  if (wrong !== undefined) throw refuse(`resulting config is not valid FBC: ${wrong}`);
  return substituted;
}

async function rendered(
  name: string,
  render: RenderBundle,
  refuse: (why: string) => Error,
): Promise<BundleBlob> {
  try {
    return await render(name);
  } catch (error) {
    if (!(error instanceof TemplateMistake)) throw error;
    throw refuse(`failed to render bundle image reference ${quoted(name)}: ${error.sentence}`);
  }
}

function requireHigher(
  bundle: BundleBlob,
  old: BundleBlob,
  image: string,
  refuse: (why: string) => Error,
): void {
  const [now, before] = [readBundle(bundle), readBundle(old)];
  if (typeof now === 'string') {
    throw refuse(`failed to get composite version for substitute bundle ${quoted(image)}: ${now}`);
  }
  if (typeof before === 'string') {
    throw refuse(`failed to get composite version for base bundle ${quoted(old.name)}: ${before}`);
  }
  const order = compareVersions(before.version, now.version) || compareReleases(before.release, now.release);
  if (order >= 0)
    throw refuse(`base bundle ${quoted(old.name)} is not less than substitute bundle ${quoted(image)}`);
}

/** The new entry takes over the base's edges and skips the base; whoever named the base names the new one. */
function withSubstitute(channel: ChannelBlob, name: string, base: string): ChannelBlob {
  const old = channel.entries.find((entry) => entry.name === base);
  const entries = channel.entries.map((entry): ChannelEntry => {
    if (entry.name === base) return { name: base, replaces: '', skips: [], skipRange: '' };
    if (entry.replaces === base) return { ...entry, replaces: name, skips: [...entry.skips, base] };
    if (!entry.skips.includes(base)) return entry;
    return { ...entry, skips: [...entry.skips.filter((skip) => skip !== base), name] };
  });
  const added = old === undefined ? [] : [{ ...old, name, skips: [...old.skips, base] }];
  return { ...channel, entries: [...entries, ...added] };
}
