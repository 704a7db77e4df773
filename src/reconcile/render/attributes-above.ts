import type { RepositoryConfig } from '../../config/repository-config.ts';
import { attributeFindings, type OutsideFinding } from '../../package/tool-files/tool-files.ts';
import {
  fileIn,
  isBelow,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../../revision/package-path.ts';
import type { RepositoryAccess } from '../ports.ts';

/**
 * What a proposal changes outside of packages, by which git writes manifests of packages otherwise than guardrails judge them.
 * Empty where no guardrail is enforced.
 */
export async function attributesAbove(
  { git }: Pick<RepositoryAccess, 'git'>,
  { guardrails, deploy, directory }: Pick<RepositoryConfig, 'guardrails' | 'deploy' | 'directory'>,
  {
    changed,
    mergeBase,
    head,
  }: {
    /** Files outside of packages. */
    readonly changed: readonly { readonly path: string }[];
    readonly mergeBase: string;
    readonly head: string;
  },
  signal?: AbortSignal,
): Promise<readonly OutsideFinding[]> {
  const paths = changed.map(({ path }) => path).filter((path) => isAbove(path, directory));
  if (paths.length === 0) return [];
  const all = [...guardrails.mutators, ...guardrails.validators];
  if (!all.some(({ mode }) => mode === 'enforce')) return [];
  const found = await Promise.all(
    paths.map(async (path) => {
      const [before, after] = await Promise.all([
        git.readFile(mergeBase, path, signal),
        git.readFile(head, path, signal),
      ]);
      return after === null ? [] : attributeFindings(path, before, after, deploy);
    }),
  );
  return found.flat();
}

const NAME = /(?:^|\/)\.gitattributes$/;

/** True for a `.gitattributes` that packages may lie below. */
function isAbove(path: string, registered: RepositoryDirectory): boolean {
  if (!NAME.test(path)) return false;
  const directory = repositoryDirectory(path.replace(NAME, ''));
  return isBelow(registered, path) || isBelow(directory, fileIn(registered, 'package'));
}
