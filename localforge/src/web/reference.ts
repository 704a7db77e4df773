import { notFound } from '../refusal.ts';
import type { RepositoryVisit } from './visit.ts';

/** A branch, tag or commit and a path in it, as both stand together in an address. */
export interface Reference {
  /** The word in the address. */
  readonly name: string;
  readonly sha: string;
  /** '' for the root. */
  readonly path: string;
}

/**
 * Splits `drafts/app/v1/deploy.yaml` into the reference and the path: the longest branch or tag, else the first word.
 * @throws a 404 refusal when nothing has that name
 */
export async function referenceOf(
  { context, repository }: RepositoryVisit,
  words: string,
): Promise<Reference> {
  const git = context.git(repository);
  const parts = words.split('/').filter((part) => part !== '');
  const names = new Set(
    [...(await git.refs('refs/heads/')), ...(await git.refs('refs/tags/'))].map((one) =>
      one.ref.replace(/^refs\/(?:heads|tags)\//, ''),
    ),
  );
  let length = parts.length;
  while (length > 1 && !names.has(parts.slice(0, length).join('/'))) length -= 1;
  const name = parts.slice(0, length).join('/');
  const sha = name === '' ? undefined : await git.resolve(name);
  if (sha === undefined) throw notFound();
  return { name, sha, path: parts.slice(length).join('/') };
}
