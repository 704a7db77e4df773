/**
 * Where the documentation is: in the repository that `repository` of package.json names. As long as it names none, nothing is published
 * there, and texts have no links to it.
 */
import manifest from '../../package.json' with { type: 'json' };

const { repository: REPOSITORY } = manifest as { readonly repository?: string };

/** The address of a page of the documentation, such as `lifecycle`; undefined without a repository. */
export function pageAddress(
  page: 'commands' | 'lifecycle' | 'questions',
  repository = REPOSITORY,
): string | undefined {
  return repository === undefined ? undefined : `${repository}/blob/main/docs/${page}.md`;
}

/** The address at which editors read the JSON Schema of `.github/portico.yaml`; undefined without a repository. */
export function schemaAddress(repository = REPOSITORY): string | undefined {
  return repository === undefined ? undefined : `${repository}/raw/main/docs/portico.schema.json`;
}
