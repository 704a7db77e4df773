import type { Needs } from './access.ts';
import type { ForgeRequest, Reply, RepositoryRequest } from './request.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly needs: Needs;
  readonly handler: (request: ForgeRequest) => Reply | Promise<Reply>;
  /** Under `/repos/:owner/:repo`. */
  readonly inRepository: boolean;
}

/** Where route modules put their routes. Paths are hono's: `:number`, `:ref{.+}` for what may have slashes. */
export interface Router {
  /** A path from the root of the API. */
  route(
    method: Method,
    path: string,
    needs: Needs,
    handler: (request: ForgeRequest) => Reply | Promise<Reply>,
  ): void;
  /** A path below `/repos/:owner/:repo`; '' is the repository itself. */
  repo(
    method: Method,
    path: string,
    needs: Needs,
    handler: (request: RepositoryRequest) => Reply | Promise<Reply>,
  ): void;
  /** All routes, those that end with a greedy parameter last, so that they do not hide longer ones. */
  routes(): Route[];
}

/** Routes by method and path; parameters are written `:name`. */
export function makeRouter(): Router {
  const routes: Route[] = [];
  return {
    route: (method, path, needs, handler) => {
      routes.push({ method, path, needs, handler, inRepository: false });
    },
    repo: (method, path, needs, handler) => {
      routes.push({
        method,
        path: `/repos/:owner/:repo${path}`,
        needs,
        handler: (request) => handler(request as RepositoryRequest),
        inRepository: true,
      });
    },
    routes: () => {
      return routes.toSorted((one, other) => greedy(one) - greedy(other));
    },
  };
}

const greedy = (route: Route): number => (/\{[^}]*[+*]\}$/.test(route.path) ? 1 : 0);
