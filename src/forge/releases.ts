import { cutText, MAX_RELEASE_BODY } from '../text/cut-text.ts';
import { inert } from '../text/markdown.ts';
import { withoutPart } from '../text/marked-part.ts';
import { isForgeError, orNull } from './forge-error.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

interface ReleaseInput {
  /** An existing tag. */
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  readonly prerelease?: boolean;
}

interface Release {
  readonly id: number;
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  readonly htmlUrl: string;
}

export interface ReleasesApi {
  getRelease(tag: string, signal?: AbortSignal): Promise<Release | null>;
  /** Takes the release of a tag away, where there is one; the tag stays. */
  removeRelease(tag: string, signal?: AbortSignal): Promise<void>;
  /** What people are told about a tag, made inert so that it can be put into other text; null where nothing is. */
  releaseNotes(tag: string, signal?: AbortSignal): Promise<string | null>;
  /**
   * One release per tag: made, corrected or left alone. It never becomes the repository's "Latest": `make_latest` is true
   * where it is left out of a new release (https://docs.github.com/en/rest/releases/releases#create-a-release), and which of
   * many packages was published last says nothing. What people mark as the latest stays so.
   */
  upsertRelease(
    release: ReleaseInput,
    signal?: AbortSignal,
  ): Promise<{ readonly release: Release; readonly written: 'created' | 'updated' | 'unchanged' }>;
}

export function createReleasesApi(context: RepositoryContext): ReleasesApi {
  const { repos } = context.octokit.rest;
  const find = async (tag: string, signal?: AbortSignal): Promise<Release | null> => {
    const answer = await orNull(repos.getReleaseByTag({ ...where(context, signal), tag }));
    return answer && toRelease(answer.data);
  };

  return {
    getRelease: find,
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
    upsertRelease: async ({ tag, name, body: text, prerelease = false }, signal) => {
      const body = cutText(text, MAX_RELEASE_BODY);
      const correct = async (existing: Release): Promise<Outcome> => {
        if (existing.name === name && normal(existing.body) === normal(body)) {
          return { release: existing, written: 'unchanged' };
        }
        const change = { release_id: existing.id, name, body, prerelease };
        const { data } = await repos.updateRelease({ ...where(context, signal), ...change });
        return { release: toRelease(data), written: 'updated' };
      };
      const existing = await find(tag, signal);
      if (existing) return await correct(existing);
      try {
        const made = { tag_name: tag, name, body, prerelease, make_latest: 'false' as const };
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

type Outcome = Awaited<ReturnType<ReleasesApi['upsertRelease']>>;

/** The forge may store other line ends and no last one. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

interface RawRelease {
  readonly id: number;
  readonly tag_name: string;
  readonly name: string | null;
  readonly body?: string | null;
  readonly html_url: string;
}

function toRelease(raw: RawRelease): Release {
  return { id: raw.id, tag: raw.tag_name, name: raw.name ?? '', body: raw.body ?? '', htmlUrl: raw.html_url };
}
