import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import type { ImportedPackage, NewRevision } from '../../channels/import-catalog.ts';
import { PorticoError } from '../../error.ts';
import { BUNDLE_IGNORE, BUNDLE_RECORD, writeBundleRecord } from '../../fbc/bundle-record.ts';
import { manifestFiles } from '../../fbc/manifest-files.ts';
import type { Manifest } from '../../fbc/manifest.ts';
import { openObjectReader } from '../../git/batch.ts';
import { createRepo, type Repo } from '../../git/repo.ts';
import { commitTree, writeTag, writeTree } from '../../git/write.ts';
import { initPackage } from '../../package/init.ts';
import type { FileChange, FileChanges } from '../../reconcile/git-port.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { oneLine } from '../../revision/provenance.ts';
import { revisionTag } from '../../revision/ref-name.ts';
import type { ImportSources } from './import-sources.ts';
import type { UpstreamClone } from './upstream-clone.ts';

export interface PlannedFile {
  readonly file: string;
  readonly before: string | undefined;
  readonly text: string;
  /** Of a channel file: the package, and its revisions once all is written. */
  readonly channelsOf?: string;
  readonly published?: ReadonlySet<number>;
}

export interface WriteImport {
  readonly upstream: UpstreamClone;
  readonly branch: string;
  readonly packages: readonly ImportedPackage[];
  readonly files: readonly PlannedFile[];
  readonly sources: Pick<ImportSources, 'claims'>;
  /** Of images, for bundles that carry none themselves. */
  readonly manifests?: ReadonlyMap<string, readonly Manifest[]>;
  readonly signal: AbortSignal;
}

/**
 * Makes a commit for each new revision and one for the files beside them. Branch and tags are made at once, and only where
 * they are as they were seen; a failure before leaves objects that nothing leads to. Gives the head of the branch.
 */
export async function writeImport(request: WriteImport): Promise<string> {
  const { upstream, branch, packages, files, signal } = request;
  if (upstream.git.branch === branch) {
    throw new PorticoError('BRANCH_CHECKED_OUT', `${branch} is checked out`, {
      blame: 'user',
      hint: 'Check out another branch, or choose another with --branch.',
    });
  }
  const run = promisify(execFile);
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: upstream.folder, signal })).stdout.trim();
  const gitDir = resolve(upstream.folder, await git('rev-parse', '--git-common-dir'));
  const [, name = '', email = ''] =
    /^(.*) <(.*)> \d+ [+-]\d+$/.exec(await git('var', 'GIT_COMMITTER_IDENT')) ?? [];
  using objects = openObjectReader({ gitDir });
  const repo = createRepo({ gitDir }, objects, { count: 0 });
  const committer = { name, email };
  const writer = { request, repo, committer };
  let head = upstream.source.commit;
  const tags: string[] = [];
  for (const imported of packages) {
    let before: readonly string[] | undefined;
    for (const revision of imported.revisions) {
      signal.throwIfAborted();
      const made = await commitRevision({ writer, imported, revision, head, before });
      [head, before] = [made.commit, made.files];
      tags.push(`create refs/tags/${made.tag} ${made.object}`);
    }
  }
  if (files.length > 0) {
    const changes = new Map(files.map(({ file, text }) => [file, fileOf(text)]));
    const tree = await writeTree(repo, head, changes, signal);
    const what = packages.map((one) => one.name).join(', ');
    const message = `Offer what was imported: ${oneLine(what).slice(0, 200)}\n`;
    head = await commitTree(repo, { tree, parents: [head], message, committer }, signal);
  }
  const old = await upstream.git.resolve(`refs/heads/${branch}`, signal);
  const moves = [`update refs/heads/${branch} ${head} ${old ?? '0'.repeat(head.length)}`, ...tags];
  await repo.git(['update-ref', '--stdin'], { input: `${moves.join('\n')}\n`, signal });
  return head;
}

interface Writer {
  readonly request: WriteImport;
  readonly repo: Repo;
  readonly committer: { readonly name: string; readonly email: string };
}

/** `before` are the files of the package at `head`, where they are known. */
async function commitRevision({
  writer: { request, repo, committer },
  imported: { path },
  revision: { number, bundle },
  head,
  before,
}: {
  readonly writer: Writer;
  readonly imported: ImportedPackage;
  readonly revision: NewRevision;
  readonly head: string;
  readonly before: readonly string[] | undefined;
}): Promise<{ commit: string; tag: string; object: string; files: readonly string[] }> {
  const { upstream, sources, signal } = request;
  const directory = pathInRepository(upstream.config.directory, path);
  const there = before ?? [
    ...((await upstream.git.readPackage(head, directory, {}, signal))?.files.keys() ?? []),
  ];
  const claims = sources.claims?.get(`${bundle.package}\n${bundle.name}`);
  const objects = bundle.objects.length > 0 ? bundle.objects : (request.manifests?.get(bundle.image) ?? []);
  const description = `Operator bundle ${bundle.name}`;
  const kptfile = initPackage({ name: path.slice(path.lastIndexOf('/') + 1), description }).get('Kptfile');
  const files = new Map<string, FileChange>([
    ...(kptfile === undefined ? [] : [['Kptfile', { mode: kptfile.mode, bytes: kptfile.bytes }] as const]),
    ['.krmignore', fileOf(BUNDLE_IGNORE)],
    [BUNDLE_RECORD, fileOf(writeBundleRecord({ bundle, ...(claims && { claims }) }))],
    ...[...manifestFiles(objects)].map(([file, text]) => [file, fileOf(text)] as const),
  ]);
  const changes: FileChanges = new Map([
    ...there.filter((file) => !files.has(file)).map((file) => [`${directory}/${file}`, null] as const),
    ...[...files].map(([file, change]) => [`${directory}/${file}`, change] as const),
  ]);
  const tree = await writeTree(repo, head, changes, signal);
  const revision = `v${number}`;
  const trailers = [`Package: ${path}`, `Revision: ${revision}`, `Bundle: ${oneLine(bundle.name)}`];
  const message = `${path} ${revision}\n\nImported from a catalog.\n\n${trailers.join('\n')}\n`;
  const commit = await commitTree(repo, { tree, parents: [head], message, committer }, signal);
  const tag = revisionTag(directory, revision);
  const object = await writeTag(repo, { name: tag, object: commit, message, tagger: committer }, signal);
  return { commit, tag, object, files: [...files.keys()] };
}

function fileOf(text: string): Exclude<FileChange, null> {
  return { mode: '100644', bytes: new TextEncoder().encode(text) };
}
