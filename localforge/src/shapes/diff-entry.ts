import type { ForgeContext } from '../context.ts';
import type { DiffFile } from '../git-repository.ts';
import type { RepositoryRecord } from '../records.ts';
import type { Shape } from './shape.ts';

/** `diff-entry`: one file of a comparison, commit or pull request; `sha` is the commit after the change. */
export function diffEntry(
  context: ForgeContext,
  repository: RepositoryRecord,
  file: DiffFile,
  sha: string,
): Shape {
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: context.urls.repoWeb(repository, `/blob/${sha}/${path}`),
    raw_url: context.urls.repoWeb(repository, `/raw/${sha}/${path}`),
    contents_url: context.urls.repoApi(repository, `/contents/${path}?ref=${sha}`),
    ...(file.patch === undefined ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}
