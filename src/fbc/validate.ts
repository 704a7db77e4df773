/** The verdict on a catalog: operator-registry's, with what it passes by told as warnings. */
import type { Catalog } from './catalog.ts';
import { cyclesOf, faultText, headOf } from './channel-graph.ts';
import { byText, quoted } from './go-text.ts';
import { iconProblem } from './icon.ts';
import { buildModel, type ModelChannel, type ModelEntry, type ModelPackage, type Problem } from './model.ts';
import { parseRange } from './range.ts';
import { compareVersions, formatRelease, formatVersion } from './version.ts';

export interface Verdict {
  readonly errors: readonly Problem[];
  /** What operator-registry accepts though it can mislead: cycles of skips, steps down, names given twice. */
  readonly warnings: readonly Problem[];
  /** Empty unless there are no errors. */
  readonly packages: ReadonlyMap<string, ModelPackage>;
}

/** Judges a whole catalog. The order of documents and entries does not matter. */
export function validateCatalog(catalog: Catalog): Verdict {
  const model = buildModel(catalog);
  if (model.packages === undefined) return { errors: model.problems, warnings: [], packages: new Map() };
  const judges = [...model.packages.values()].map((one) => new PackageJudge(one));
  const errors = judges.flatMap((judge) => judge.errors);
  const warnings = judges.flatMap((judge) => judge.warnings);
  return { errors, warnings, packages: errors.length === 0 ? model.packages : new Map() };
}

class PackageJudge {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #package: ModelPackage;
  readonly #at: readonly string[];

  constructor(one: ModelPackage) {
    this.#package = one;
    this.#at = ['invalid index', `invalid package ${quoted(one.name)}`];
    this.#judgePackage();
    for (const channel of one.channels.values()) this.#judgeChannel(channel);
    this.#judgeVersions();
  }

  #judgePackage(): void {
    const { blob, defaultChannel, channels } = this.#package;
    const problem = blob.icon === undefined ? undefined : iconProblem(blob.icon);
    const own = { at: this.#at, place: blob.place };
    if (problem !== undefined) this.warnings.push({ ...own, message: problem });
    if (defaultChannel === '') this.errors.push({ ...own, message: 'default channel must be set' });
    if (channels.size === 0) {
      this.errors.push({ ...own, message: 'package must contain at least one channel' });
    }
  }

  #judgeChannel({ name, place, entries }: ModelChannel): void {
    const at = [...this.#at, `invalid channel ${quoted(name)}`];
    if (entries.size === 0) {
      this.errors.push({ at, place, message: 'channel must contain at least one bundle' });
      return;
    }
    const { fault } = headOf(entries);
    if (fault !== undefined) this.errors.push({ at, place, message: faultText(fault) });
    else {
      for (const cycle of cyclesOf(entries)) {
        const message = `cycle of replaces and skips in upgrade graph: ${cycle.join(', ')}`;
        this.warnings.push({ at, place, message });
      }
    }
    for (const entry of [...entries.values()].sort((a, b) => byText(a.name, b.name))) {
      this.#judgeEntry(entry, [...at, `invalid bundle ${quoted(entry.name)}`], entries);
    }
  }

  #judgeEntry(entry: ModelEntry, at: readonly string[], entries: ReadonlyMap<string, ModelEntry>): void {
    const { bundle, name, skips, skipRange, replaces } = entry;
    const place = bundle?.blob.place;
    const own = { at, ...(place && { place }) };
    const say = (message: string): void => void this.errors.push({ ...own, message });
    if (name === '') say('name must be set');
    if (bundle !== undefined) {
      const { version, release, blob } = bundle;
      const normal = `${this.#package.name}-v${formatVersion(version)}-${formatRelease(release)}`;
      if (release.length > 0 && name !== normal) {
        say(`name ${quoted(name)} does not match normalized name ${quoted(normal)}`);
      }
      if (release.length > 0 && version.build.length > 0) {
        say('cannot use build metadata in version with a release version');
      }
      if (blob.image === '' && blob.objects.length === 0) say('bundle image must be set');
      const older = entries.get(replaces)?.bundle;
      if (older !== undefined && compareVersions(older.version, version) > 0) {
        const down = `replaces the higher version ${formatVersion(older.version)} of ${quoted(replaces)}`;
        this.warnings.push({ ...own, message: `version ${formatVersion(version)} ${down}` });
      }
    }
    for (const [index, skip] of skips.entries()) if (skip === '') say(`skip[${index}] is empty`);
    for (const skip of repeated(skips)) {
      this.warnings.push({ ...own, message: `skips ${quoted(skip)} more than once` });
    }
    const range = skipRange === '' ? undefined : parseRange(skipRange);
    if (range?.problem !== undefined) say(`invalid skipRange ${quoted(skipRange)}: ${range.problem}`);
  }

  /** One version, with its release, belongs to one bundle of the package. */
  #judgeVersions(): void {
    const byVersion = new Map<string, Set<string>>();
    for (const { entries } of this.#package.channels.values()) {
      for (const { bundle, name } of entries.values()) {
        if (bundle === undefined) continue;
        const release = bundle.release.length === 0 ? '' : `-${formatRelease(bundle.release)}`;
        const version = formatVersion(bundle.version) + release;
        const names = byVersion.get(version) ?? new Set();
        byVersion.set(version, names.add(name));
      }
    }
    const twice = [...byVersion].filter(([, names]) => names.size > 1).sort(([a], [b]) => byText(a, b));
    if (twice.length === 0) return;
    const shown = twice.map(([version, names]) => `{${version}: [${[...names].sort(byText).join(', ')}]}`);
    const message = `duplicate versions found in bundles: [${shown.join(' ')}]`;
    this.errors.push({ at: this.#at, place: this.#package.blob.place, message });
  }
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice].sort(byText);
}
