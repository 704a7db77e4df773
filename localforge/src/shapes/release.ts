import type { ReleaseRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import { simpleUser } from './account.ts';
import type { Shape } from './shape.ts';

/** `release`. */
export function releaseShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  release: ReleaseRecord,
): Shape {
  const url = context.urls.repoApi(repository, `/releases/${release.id}`);
  const tag = release.tagName.split('/').map(encodeURIComponent).join('/');
  return {
    url,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    html_url: context.urls.repoWeb(repository, `/releases/tag/${tag}`),
    id: release.id,
    node_id: nodeId('Release', release.id),
    author: simpleUser(context, context.records.account(release.authorId)),
    tag_name: release.tagName,
    target_commitish: release.target,
    name: release.name,
    draft: release.draft,
    immutable: false,
    prerelease: release.prerelease,
    created_at: release.createdAt,
    updated_at: release.updatedAt,
    published_at: release.publishedAt,
    assets: [],
    tarball_url: release.draft ? null : context.urls.repoApi(repository, `/tarball/${tag}`),
    zipball_url: release.draft ? null : context.urls.repoApi(repository, `/zipball/${tag}`),
    body: release.body,
  };
}
