import type { Release, ReleasesPort } from '../reconcile/forge/releases.ts';
import { cutText, MAX_RELEASE_BODY } from '../text/cut-text.ts';
import { inert } from '../text/markdown.ts';
import { withoutPart } from '../text/marked-part.ts';
import type { RawRelease } from './answer-shapes.ts';
import { isForgeError, orNull } from './forge-error.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** Releases, one for each tag of a revision. */
export function createReleasesApi(context: RepositoryContext): ReleasesPort {
  const { repos } = context.octokit.rest;
  const find = async (tag: string, signal?: AbortSignal): Promise<KnownRelease | null> => {
    const answer = await orNull(repos.getReleaseByTag({ ...where(context, signal), tag }));
    return answer && toRelease(answer.data);
  };

  return {
    getRelease: find,
    released: async (tags, signal) => {
      const left = new Set(tags);
      const found = new Set<string>();
      // The newest come first. A page costs as much as one tag, so no more are read than tags are left.
      for (let page = 1; left.size > 1 && page <= MAX_PAGES; page += 1) {
        const { data } = await repos.listReleases({ ...where(context, signal), page, per_page: PAGE });
        for (const { tag_name: tag } of data) if (left.delete(tag)) found.add(tag);
        if (data.length < PAGE) return found;
        if (page >= left.size) break;
      }
      for (const tag of left) if ((await find(tag, signal)) !== null) found.add(tag);
      return found;
    },
    removeRelease: async (tag, signal) => {
      const existing = await find(tag, signal);
      if (existing === null) return;
      // Null: somebody was faster.
      await orNull(repos.deleteRelease({ ...where(context, signal), release_id: existing.id }));
    },
    releaseNotes: async (tag, signal) => {
      // Where a revision went is for readers of its own repository alone.
      const body = withoutPart((await find(tag, signal))?.body ?? '', 'downstream').trim();
      return body === '' ? null : inert(body);
    },
    upsertRelease: async ({ tag, name, body: text }, signal) => {
      const body = cutText(text, MAX_RELEASE_BODY);
      const correct = async (existing: KnownRelease): Promise<Outcome> => {
        if (existing.name === name && normal(existing.body) === normal(body)) {
          return { release: existing, written: 'unchanged' };
        }
        const change = { release_id: existing.id, name, body };
        const { data } = await repos.updateRelease({ ...where(context, signal), ...change });
        return { release: toRelease(data), written: 'updated' };
      };
      const existing = await find(tag, signal);
      if (existing) return await correct(existing);
      try {
        const made = { tag_name: tag, name, body, make_latest: 'false' as const };
        const { data } = await repos.createRelease({ ...where(context, signal), ...made });
        return { release: toRelease(data), written: 'created' };
      } catch (error) {
        // Somebody was faster, or an earlier attempt did arrive.
        const made = isForgeError(error, 'FORGE_INVALID') ? await find(tag, signal) : null;
        if (made === null) throw error;
        return await correct(made);
      }
    },
  };
}

const PAGE = 100;
/** The forge lists no more than 10,000 releases. */
const MAX_PAGES = 100;

type Outcome = Awaited<ReturnType<ReleasesPort['upsertRelease']>>;

/** The forge may store other line ends and no last one. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

interface KnownRelease extends Release {
  readonly id: number;
}

function toRelease(raw: RawRelease): KnownRelease {
  return { id: raw.id, tag: raw.tag_name, name: raw.name ?? '', body: raw.body ?? '' };
}
