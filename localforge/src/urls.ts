import type { RepositoryRecord } from './records.ts';

/** Addresses as clients see them, laid out as on GitHub Enterprise Server, or with the API on an origin of its own. */
export interface Urls {
  /** `http://127.0.0.1:4000` */
  readonly web: string;
  /** `http://127.0.0.1:4000/api/v3` */
  readonly api: string;
  /** `api + path`; path segments must be encoded. */
  apiUrl(path: string): string;
  webUrl(path: string): string;
  /** `…/repos/owner/name` + path */
  repoApi(repository: RepositoryRecord, path?: string): string;
  /** `…/owner/name` + path */
  repoWeb(repository: RepositoryRecord, path?: string): string;
  fullName(repository: RepositoryRecord): string;
}

/** `apiOrigin`: where the API is at the root, as on github.com; undefined: below `/api/v3` of the same origin. */
export function makeUrls(
  origin: () => string,
  ownerLogin: (ownerId: number) => string,
  apiOrigin: () => string | undefined = () => undefined,
): Urls {
  const fullName = (repository: RepositoryRecord): string =>
    `${ownerLogin(repository.ownerId)}/${repository.name}`;
  const api = (): string => apiOrigin() ?? `${origin()}/api/v3`;
  return {
    get web() {
      return origin();
    },
    get api() {
      return api();
    },
    apiUrl: (path) => api() + path,
    webUrl: (path) => origin() + path,
    repoApi: (repository, path = '') => `${api()}/repos/${fullName(repository)}${path}`,
    repoWeb: (repository, path = '') => `${origin()}/${fullName(repository)}${path}`,
    fullName,
  };
}
