import { CODE_OWNER_FILES } from '../../config/code-owners.ts';
import { plainPath } from '../../config/plain-path.ts';
import type { CrdSource, RepositoryConfig } from '../../config/repository-config.ts';
import { isBelow, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { CONFIGURATION_FILE, DOCUMENTS } from './configuration.ts';

/** A file, or a folder with all below, from the root of the repository, that decides what is let in. */
export interface DecidingPlace {
  readonly path: RepositoryDirectory;
  readonly kind: 'configuration' | 'documents' | 'owners' | 'file' | 'definitions';
  /** For people: `guardrail team`. */
  readonly of: string;
}

type Deciding = Pick<RepositoryConfig, 'branch' | 'functions' | 'guardrails' | 'inventory'>;

/**
 * Pure: all such places: the configuration, documents, CODEOWNERS, and what guardrails and functions are made from. `own` is this repository,
 * `owner/name`, which a guardrail may name like any other.
 */
export function decidingPlaces(
  { branch, functions, guardrails, inventory }: Deciding,
  own: string,
): readonly DecidingPlace[] {
  const isHere = ({ repo, ref = branch }: CrdSource): boolean =>
    repo === undefined || (repo.toLowerCase() === own.toLowerCase() && ref === branch);
  const place = (path: string, kind: DecidingPlace['kind'], of: string): DecidingPlace => ({
    path: repositoryDirectory(plainPath(path)),
    kind,
    of,
  });
  return [
    place(CONFIGURATION_FILE, 'configuration', 'configuration'),
    ...[DOCUMENTS, ...(inventory ? [inventory.directory] : [])].map((path) =>
      place(path, 'documents', 'configuration'),
    ),
    ...CODE_OWNER_FILES.map((path) => place(path, 'owners', 'CODEOWNERS')),
    ...[...guardrails.mutators, ...guardrails.validators].flatMap(
      ({ name, configPath, policyPath, rego, crds = [] }) => {
        const files = [configPath, policyPath, rego].filter((path) => path !== undefined);
        return [
          ...files.map((path) => place(path, 'file', `guardrail ${name}`)),
          ...crds.filter(isHere).map(({ path = '' }) => place(path, 'definitions', `guardrail ${name}`)),
        ];
      },
    ),
    ...functions.flatMap(({ image, wasm }) =>
      wasm === undefined ? [] : [place(wasm.file, 'file', `function ${image}`)],
    ),
  ];
}

/**
 * Pure: whether a file, by its path from the root of the repository, is in one of them, or in `.github`. A package may hold such
 * files, most of all one at the top, and they say something else in each repository: what an upstream brings there a person decides.
 */
export function isDecidingFile(config: Deciding, own: string, path: string): boolean {
  return path.startsWith('.github/') || decidingPlaces(config, own).some((place) => isInPlace(place, path));
}

/** Whether a file is the place, or below it. */
export function isInPlace({ path: place }: DecidingPlace, path: string): boolean {
  return place === path || isBelow(place, path);
}
