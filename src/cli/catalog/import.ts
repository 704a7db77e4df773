import { channelFileText } from '../../channels/channel-file.ts';
import { checkChannels } from '../../channels/check-channels.ts';
import {
  importCatalogs,
  type CatalogImport,
  type ImportedPackage,
  type ImportRefusal,
} from '../../channels/import-catalog.ts';
import { channelFileOf } from '../../channels/judge-file.ts';
import { writeKeptCatalog } from '../../channels/kept-catalog.ts';
import { readPackageChannels } from '../../channels/read-channels.ts';
import { imageBundle } from '../../fbc/bundle-directory.ts';
import type { Manifest } from '../../fbc/manifest.ts';
import { unionCatalogs } from '../../fbc/union.ts';
import { verdictText } from '../../fbc/verdict-text.ts';
import { repositoryDirectory } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { EXIT } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import {
  KEPT_FOLDER,
  KEPT_OTHERS,
  keptOf,
  recordedPackages,
  type RecordedPackage,
} from './exported-packages.ts';
import { openImages } from './image-files.ts';
import { importSources, type ImportSources } from './import-sources.ts';
import { writeImport, type PlannedFile } from './import-write.ts';
import { withUpstream, type UpstreamClone } from './upstream-clone.ts';

const BRANCH = 'import/catalog';

/**
 * `portico catalog import DIR…`: plans packages, revisions and channels out of catalogs, and with `--write` makes them in a
 * clone: a branch with a commit for each revision, and its tag. All or nothing.
 */
export async function importVerb(call: Call): Promise<number> {
  const { signal } = call;
  const branch = call.text('branch') ?? BRANCH;
  const folder = call.path(call.text('repo') ?? '.');
  return withUpstream(folder, { named: call.text('repository'), branch }, signal, async (upstream) => {
    const known = await recordedPackages(upstream, upstream.packages, signal);
    const sources = importSources(call, known);
    const options = {
      into: repositoryDirectory(call.text('into') ?? ''),
      known,
      replaceChannels: call.has('replace-channels') || sources.claims !== undefined,
      unoffered: sources.claims !== undefined,
    };
    const planned = importCatalogs(sources.catalogs, options);
    if (planned.packages === undefined) return refuse(call, planned.refused);
    const files = await filesOf({ upstream, known, planned, replaced: options.replaceChannels, signal });
    tellRules(call, files);
    const changes = files.filter(({ text, before }) => text !== before);
    const revisions = planned.packages.reduce((sum, one) => sum + one.revisions.length, 0);
    const isWritten = call.has('write') && (revisions > 0 || changes.length > 0);
    const manifests =
      isWritten && call.has('images') ? await imageManifests(call, planned.packages) : undefined;
    const commit = isWritten
      ? await writeImport({
          ...(manifests && { manifests }),
          upstream,
          branch,
          packages: planned.packages,
          files: changes,
          sources,
          signal,
        })
      : undefined;
    report(call, planned.packages, changes, { branch, commit, sources });
    return EXIT.ok;
  });
}

/** By image. One that cannot be had stops all of it, before anything is written. */
async function imageManifests(
  call: Call,
  packages: readonly ImportedPackage[],
): Promise<ReadonlyMap<string, readonly Manifest[]>> {
  const read = openImages(call);
  const found = new Map<string, readonly Manifest[]>();
  for (const { bundle } of packages.flatMap(({ revisions }) => revisions)) {
    if (bundle.objects.length > 0 || bundle.image === '' || found.has(bundle.image)) continue;
    call.terminal.progress(`reading ${bundle.image}`);
    const { files } = await read(bundle.image);
    found.set(bundle.image, imageBundle(files, bundle.image).objects);
  }
  call.terminal.progress('');
  return found;
}

function refuse({ terminal }: Call, refused: ImportRefusal): number {
  const lines = ((): string[] => {
    switch (refused.kind) {
      case 'conflicts':
        return refused.conflicts.map(
          ({ key, places }) => `${key} has several contents: ${places.join(' and ')}`,
        );
      case 'invalid':
        return [
          `together with the existing packages it is not a valid catalog:\n${verdictText(refused.problems, 50)}`,
        ];
      case 'other':
        return [refused.message];
    }
  })();
  if (terminal.json) {
    const conflicts = refused.kind === 'conflicts' ? refused.conflicts : [];
    terminal.document({ refused: refused.kind, conflicts, messages: lines });
  }
  for (const line of lines) terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${line}`);
  const help = {
    conflicts:
      'Nothing was changed. Existing bundles are never replaced; --replace-channels takes the channels and deprecations of the new catalog.',
    invalid: 'Nothing was changed. Pass all catalogs that belong together in one command.',
    other: 'Nothing was changed.',
  };
  terminal.say(help[refused.kind]);
  return EXIT.failed;
}

/** The files beside the packages, as they are and as they come to be. */
async function filesOf({
  upstream: { git, source, packages: there },
  known,
  planned: { packages, others },
  replaced,
  signal,
}: {
  readonly upstream: UpstreamClone;
  readonly known: readonly RecordedPackage[];
  readonly planned: Extract<CatalogImport, { refused?: undefined }>;
  readonly replaced: boolean;
  readonly signal: AbortSignal;
}): Promise<PlannedFile[]> {
  const textAt = async (file: string): Promise<string | undefined> => {
    const bytes = await git.readFile(source.commit, file, signal);
    return bytes === null ? undefined : new TextDecoder().decode(bytes);
  };
  const files: PlannedFile[] = [];
  for (const imported of packages) {
    const { path } = imported;
    const one = there.find(({ offer }) => offer.path === path)?.channels;
    const before = one === undefined ? undefined : { text: one.text, channels: one.document };
    const numbers = known.find((other) => other.path === path)?.revisions.keys() ?? [];
    files.push({
      file: channelFileOf(path),
      before: before?.text,
      text: channelFileText(imported, { before, replaced }),
      channelsOf: path,
      published: new Set([...numbers, ...imported.revisions.map(({ number }) => number)]),
    });
    const kept = `${KEPT_FOLDER}/${path}.json`;
    files.push({ file: kept, before: await textAt(kept), text: writeKeptCatalog(imported.kept) });
  }
  if (others.others.length === 0) return files;
  const before = await textAt(KEPT_OTHERS);
  const kept = before === undefined ? [] : [keptOf(KEPT_OTHERS, new TextEncoder().encode(before)).documents];
  const { catalog: documents = others } = unionCatalogs([...kept, others]);
  const text = writeKeptCatalog({ documents, names: new Map(), edges: new Map() });
  return [...files, { file: KEPT_OTHERS, before, text }];
}

const NONE: ReadonlySet<number> = new Set();

/** What the check on the pull request will say. */
function tellRules({ terminal }: Call, files: readonly PlannedFile[]): void {
  for (const { file, text, channelsOf: path, published = NONE } of files) {
    if (path === undefined) continue;
    const { channels, problems } = readPackageChannels(text);
    const judged = channels === undefined ? [] : checkChannels(channels, { path, published });
    for (const { rule, line, message } of [...problems, ...judged])
      terminal.warn(`${file}:${line}: ${rule}: ${message}`);
  }
}

function report(
  call: Call,
  packages: readonly ImportedPackage[],
  changes: readonly PlannedFile[],
  { branch, commit, sources }: { branch: string; commit: string | undefined; sources: ImportSources },
): void {
  const { terminal } = call;
  const tags = packages.flatMap(({ path, revisions }) => revisions.map(({ number }) => `${path}/v${number}`));
  if (terminal.json) {
    terminal.document({
      packages: packages.map(({ path, name, revisions, known }) => ({
        path,
        name,
        known,
        revisions: revisions.map(({ number, bundle }) => ({ revision: `v${number}`, bundle: bundle.name })),
      })),
      files: changes.map(({ file }) => file),
      tags,
      ...(commit !== undefined && { branch, commit }),
    });
    return;
  }
  for (const { path, revisions, known } of packages) {
    terminal.print(`${path}: ${counted(revisions.length, 'new revision')}, ${known} already there`);
    for (const { number, bundle } of revisions) terminal.print(`  v${number}  ${bundle.name}`);
  }
  for (const { file, before } of changes)
    terminal.print(`${before === undefined ? 'new' : 'changed'}: ${file}`);
  const bare = packages
    .flatMap(({ revisions }) => revisions)
    .filter(({ bundle }) => bundle.objects.length === 0);
  if (bare.length > 0 && !call.has('images'))
    terminal.say(
      `${counted(bare.length, 'revision')} will name an image and hold no manifests, because the catalog has none.`,
    );
  if (tags.length === 0 && changes.length === 0) terminal.print('Everything is already there.');
  else if (commit === undefined) terminal.print(`Nothing is written without --write.`);
  else {
    terminal.print(`${branch} is at ${commit}, with ${counted(tags.length, 'tag')}.`);
    terminal.print(
      `Push the branch with its tags, open a pull request, and merge it with a merge commit:\n  git push --atomic --follow-tags origin ${branch}`,
    );
  }
  for (const note of sources.notes) terminal.warn(note);
}
