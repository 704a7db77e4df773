import type { RepositoryConfig } from '../../config/repository-config.ts';
import { lockedRef, packageVersion } from '../../package/package-version.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { trailersOf, type Provenance } from '../../revision/provenance.ts';
import { joined } from '../../text/joined.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { GitRef, PackageDir } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import { allRevisions, publishedRefs, tagOf, type RevisionRefs } from '../repository/package-revisions.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { code, details, fenced } from '../text/markdown-blocks.ts';
import { catchUserError } from '../text/why-refused.ts';
import { NO_DOWNSTREAM } from './tell-downstream.ts';

/** Whether a tag has a release. Those that a new process makes sure of are asked for together, when the first is asked for. */
export function releasedAmong(
  forge: RepositoryAccess['forge'],
  tags: readonly string[],
  signal: AbortSignal | undefined,
): (tag: string) => Promise<boolean> {
  let together: Promise<ReadonlySet<string>> | undefined;
  return async (tag) => {
    if (!tags.includes(tag)) return (await forge.getRelease(tag, signal)) !== null;
    return (await (together ??= forge.released(tags, signal))).has(tag);
  };
}

/** Makes sure that a revision that Portico tagged has its release. Returns what its tag says; null for another's. */
export async function announce({
  ports,
  to: { git, forge },
  config,
  found,
  newest,
  refs,
  released,
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly to: RepositoryAccess;
  readonly config: RepositoryConfig;
  readonly found: PackageDir;
  readonly newest: { readonly name: string; readonly tag: GitRef };
  readonly refs: RevisionRefs;
  readonly released: (tag: string) => Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
}): Promise<Provenance | null> {
  const provenance = await provenanceOf({
    git,
    refs,
    directory: found.directory,
    revision: newest.name,
    signal,
  });
  if (provenance === undefined) return null;
  const names = publishedRefs(found.directory, newest.name);
  if (config.publish.release && !(await released(names.tag))) {
    const body = await releaseNotes({ ports, git, refs, found, newest, provenance, signal });
    await forge.upsertRelease({ tag: names.tag, name: `${provenance.package} ${newest.name}`, body }, signal);
  }
  return provenance;
}

/** What changed since the revision before, per resource and field, and where the revision comes from. */
async function releaseNotes({
  ports,
  git,
  refs,
  found,
  newest,
  provenance,
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly refs: RevisionRefs;
  readonly found: PackageDir;
  readonly newest: { readonly name: string; readonly tag: { readonly commit: string } };
  readonly provenance: Provenance & { readonly message: string };
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  const names = allRevisions(refs, found.directory).map(({ name }) => name);
  const before = names[names.indexOf(newest.name) - 1];
  const tag = before === undefined ? undefined : tagOf(refs, found.directory, before);
  return [
    before === undefined ? 'First revision.' : `Since ${code(before)}:`,
    await changesBetweenTags({
      ports,
      git,
      directory: found.directory,
      commits: [tag?.commit, newest.tag.commit],
      signal,
    }),
    NO_DOWNSTREAM,
    details('Tag message', fenced(trailersOf(provenance.message))),
    provenanceLine(provenance),
  ].join('\n\n');
}

/** What the tag says, as sentences; the digest is last. */
function provenanceLine(provenance: Provenance): string {
  const { approvedBy, proposal, requestedBy, restoredFrom, waived = [], exemptions = [] } = provenance;
  const approved = approvedBy.map(code).join(', ');
  const elsewhere = (provenance.approvedElsewhere ?? []).map(code).join(', ');
  const waivers = waived.map(({ guardrail, by }) => `${code(guardrail)} (by ${code(by)})`).join(', ');
  return [
    ...(restoredFrom === undefined ? [] : [`Restored from ${code(restoredFrom)}.`]),
    ...(waivers === '' ? [] : [`It fails these guardrails, which were waived: ${waivers}.`]),
    ...exemptions.map(
      ({ guardrail, name, until, owner }) =>
        `Exempt from the guardrail ${code(guardrail)} until ${until}: ${code(name)} (${code(owner)}).`,
    ),
    ...(proposal === undefined ? [] : [`Proposal #${proposal}.`]),
    ...(provenance.direct === true ? ['An update that came without a pull request.'] : []),
    ...(requestedBy === undefined ? [] : [`Requested by ${code(requestedBy)}.`]),
    ...(approved === '' ? [] : [`Approved by ${approved}.`]),
    ...(elsewhere === '' ? [] : [`The same change was approved by ${elsewhere}.`]),
    ...(provenance.unapproved === true ? ['Published without the required approvals.'] : []),
    ...(provenance.artifacts ?? []).map((name) => `In the registry: ${code(name)}.`),
    `Content ${code(provenance.digest)}.`,
  ].join(' ');
}

/** The revision of the upstream, and the version of the chart or operator that people know the content by. */
function madeFromText({ before, after }: Readonly<Record<'before' | 'after', PackageFiles>>): string {
  const [to, version] = [lockedRef(after), packageVersion(after)];
  const upstream =
    to === undefined ? '' : `Made from ${upstreamText({ from: lockedRef(before), to }, code)}.`;
  return joined([upstream, version === undefined ? '' : `Version ${code(version)}.`], ' ');
}

/** As Markdown; of what cannot be read, why. */
async function changesBetweenTags({
  ports: { content },
  git,
  directory,
  commits: [before, after],
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly directory: RepositoryDirectory;
  readonly commits: readonly [before: string | undefined, after: string];
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  const read = (commit: string): Promise<PackageFiles> => filesAt(git, commit, directory, signal);
  return catchUserError(
    async () => {
      const sides = {
        before: before === undefined ? new Map() : await read(before),
        after: await read(after),
      };
      const { text } = await content.diffText({ ...sides, limit: 50_000 }, signal);
      return joined([madeFromText(sides), text]);
    },
    (why) => why,
  );
}
