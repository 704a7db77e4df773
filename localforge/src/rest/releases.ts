import { z } from 'zod';

import { emitFor } from '../acting.ts';
import type { ReleaseRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { invalid, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { releaseShape } from '../shapes/release.ts';
import { releaseNotes } from './release-notes.ts';
import { hasRole, numberParam } from './writing.ts';

/** Characters of release notes, as on GitHub. */
const MAX_NOTES = 125_000;

const fields = {
  target_commitish: z.string().min(1).optional(),
  name: z.string().nullish(),
  body: z.string().max(MAX_NOTES, `body is too long (maximum is ${MAX_NOTES} characters)`).nullish(),
  draft: z.boolean().optional(),
  prerelease: z.boolean().optional(),
  make_latest: z.enum(['true', 'false', 'legacy']).optional(),
  discussion_category_name: z.string().optional(),
};

const creation = z.object({
  ...fields,
  tag_name: z.string().min(1),
  generate_release_notes: z.boolean().default(false),
});
const edit = z.object({ ...fields, tag_name: z.string().min(1).optional() });

const notes = z.object({
  tag_name: z.string().min(1),
  target_commitish: z.string().optional(),
  previous_tag_name: z.string().optional(),
  configuration_file_path: z.string().optional(),
});

type Fields = z.output<typeof edit>;

/** Releases. */
export function addReleases(context: ForgeContext, router: Router): void {
  const read = { app: ['contents:read'], user: 'read' } as const;
  const write = { app: ['contents:write'], user: 'write' } as const;
  const { releases } = collaborationStore(context.store);

  router.repo('GET', '/releases', read, (request) => {
    const found = releases
      .find('repository', [request.repository.id], { order: 'desc' })
      .filter((release) => maySee(request, release));
    return paginated(request, found, (release) => releaseShape(context, request.repository, release));
  });

  router.repo('POST', '/releases', write, async (request) => {
    const { repository } = request;
    const wanted = bodyOf(request, creation);
    refuseTaken({ context, request, tag: wanted.tag_name, draft: wanted.draft ?? false, own: undefined });
    const target = wanted.target_commitish ?? repository.defaultBranch;
    if (wanted.draft !== true) await makeTag(context, request, wanted.tag_name, target);
    const generated = wanted.generate_release_notes
      ? await releaseNotes({ context, repository, tag: wanted.tag_name, target, previous: undefined })
      : undefined;
    const now = context.now();
    const given = [wanted.body ?? '', generated?.body ?? ''].filter((part) => part !== '').join('\n\n');
    const release = context.store.transaction(() => {
      const made = releases.insert({
        repositoryId: repository.id,
        tagName: wanted.tag_name,
        target,
        name: wanted.name ?? generated?.name ?? null,
        body: given === '' ? null : given,
        draft: wanted.draft ?? false,
        prerelease: wanted.prerelease ?? false,
        makeLatest: wanted.make_latest ?? 'true',
        authorId: request.actor().user.id,
        createdAt: now,
        updatedAt: now,
        publishedAt: wanted.draft === true ? null : now,
      });
      tell({ context, request, release: made, action: 'created' });
      if (!made.draft) tellPublished(context, request, made);
      return made;
    });
    const body = releaseShape(context, repository, release);
    return created(body, { location: String(body['url']) });
  });

  router.repo('POST', '/releases/generate-notes', write, async (request) => {
    const wanted = bodyOf(request, notes);
    const target = wanted.target_commitish ?? request.repository.defaultBranch;
    return ok(
      await releaseNotes({
        context,
        repository: request.repository,
        tag: wanted.tag_name,
        target,
        previous: wanted.previous_tag_name,
      }),
    );
  });

  router.repo('GET', '/releases/latest', read, (request) => {
    const full = releases
      .find('repository', [request.repository.id], { order: 'desc' })
      .filter((release) => !release.draft && !release.prerelease && release.makeLatest !== 'false');
    if (full[0] === undefined) throw notFound();
    return ok(releaseShape(context, request.repository, full[0]));
  });

  router.repo('GET', '/releases/tags/:tag{.+}', read, (request) => {
    const found = releases
      .find('tag', [request.repository.id, request.param('tag')])
      .find((release) => !release.draft);
    if (found === undefined) throw notFound();
    return ok(releaseShape(context, request.repository, found));
  });

  router.repo('GET', '/releases/:release', read, (request) =>
    ok(releaseShape(context, request.repository, releaseAt(context, request))),
  );

  router.repo('PATCH', '/releases/:release', write, async (request) => {
    const release = releaseAt(context, request);
    const wanted = bodyOf(request, edit);
    const tagName = wanted.tag_name ?? release.tagName;
    const draft = wanted.draft ?? release.draft;
    refuseTaken({ context, request, tag: tagName, draft, own: release });
    if (!draft) await makeTag(context, request, tagName, wanted.target_commitish ?? release.target);
    const changed = context.store.transaction(() =>
      change({ context, request, release, wanted: { ...wanted, draft }, tagName }),
    );
    return ok(releaseShape(context, request.repository, changed));
  });

  router.repo('DELETE', '/releases/:release', write, (request) => {
    const release = releaseAt(context, request);
    context.store.transaction(() => {
      releases.remove(release.id);
      tell({ context, request, release, action: 'deleted' });
    });
    return noContent();
  });
}

function change({
  context,
  request,
  release,
  wanted,
  tagName,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly release: ReleaseRecord;
  readonly wanted: Fields & { readonly draft: boolean };
  readonly tagName: string;
}): ReleaseRecord {
  const published = release.draft && !wanted.draft;
  const changed = collaborationStore(context.store).releases.update(release.id, {
    tagName,
    target: wanted.target_commitish ?? release.target,
    name: wanted.name === undefined ? release.name : wanted.name,
    body: wanted.body === undefined ? release.body : wanted.body,
    draft: wanted.draft,
    prerelease: wanted.prerelease ?? release.prerelease,
    makeLatest: wanted.make_latest ?? release.makeLatest,
    updatedAt: context.now(),
    publishedAt: wanted.draft ? null : (release.publishedAt ?? context.now()),
  });
  tell({
    context,
    request,
    release: changed,
    action: 'edited',
    extra: {
      changes: {
        ...(changed.body === release.body ? {} : { body: { from: release.body ?? '' } }),
        ...(changed.name === release.name ? {} : { name: { from: release.name ?? '' } }),
      },
    },
  });
  if (published) tellPublished(context, request, changed);
  if (!release.draft && wanted.draft) tell({ context, request, release: changed, action: 'unpublished' });
  return changed;
}

/** Makes the tag at the target unless it exists; the tag is a lightweight one, as on GitHub. */
async function makeTag(
  context: ForgeContext,
  request: RepositoryRequest,
  tag: string,
  target: string,
): Promise<void> {
  const git = context.git(request.repository);
  const ref = `refs/tags/${tag}`;
  if ((await git.ref(ref)) !== undefined) return;
  const sha = await git.resolve(target);
  if (sha === undefined) {
    throw invalid({ resource: 'Release', code: 'invalid', field: 'target_commitish' });
  }
  const actor = request.actor();
  const moved = await context.refs.update(request.repository, [{ ref, before: null, after: sha }], { actor });
  if (moved.ok) return;
  const why = moved.refusals.flatMap((one) => one.explanation).join(' ');
  throw why === ''
    ? invalid({ resource: 'Release', code: 'invalid', field: 'tag_name' })
    : unprocessable(`Validation Failed: ${why}`);
}

function refuseTaken({
  context,
  request,
  tag,
  draft,
  own,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly tag: string;
  readonly draft: boolean;
  readonly own: ReleaseRecord | undefined;
}): void {
  const taken = collaborationStore(context.store)
    .releases.find('tag', [request.repository.id, tag])
    .some((release) => release.id !== own?.id && !release.draft);
  if (taken && !draft) throw invalid({ resource: 'Release', code: 'already_exists', field: 'tag_name' });
}

/** Drafts are shown to those who may push. */
function maySee(request: RepositoryRequest, release: ReleaseRecord): boolean {
  const { viewer } = request;
  if (!release.draft) return true;
  return (viewer.kind === 'user' || viewer.kind === 'installation') && hasRole(request, viewer, 'write');
}

function releaseAt(context: ForgeContext, request: RepositoryRequest): ReleaseRecord {
  const release = collaborationStore(context.store).releases.get(numberParam(request, 'release'));
  if (release === undefined || release.repositoryId !== request.repository.id) throw notFound();
  if (!maySee(request, release)) throw notFound();
  return release;
}

function tellPublished(context: ForgeContext, request: RepositoryRequest, release: ReleaseRecord): void {
  tell({ context, request, release, action: 'published' });
  tell({ context, request, release, action: release.prerelease ? 'prereleased' : 'released' });
}

function tell({
  context,
  request,
  release,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly release: ReleaseRecord;
  readonly action: string;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}): void {
  const shown = releaseShape(context, request.repository, release);
  emitFor({
    context,
    repository: request.repository,
    sender: request.actor().user,
    event: 'release',
    action,
    payload: { release: shown, ...extra },
  });
}
