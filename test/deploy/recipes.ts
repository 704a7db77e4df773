/** The recipes of `deploy/recipes`, as tests put them into repositories. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../cli/run-portico.ts';

const RECIPES = join(ROOT, 'deploy/recipes');

/** The files of a recipe, without the list of them. */
export function recipe(name: string): ReadonlyMap<string, string> {
  const files = readdirSync(join(RECIPES, name)).filter((file) => file !== 'kustomization.yaml');
  return new Map(files.map((file) => [file, readFileSync(join(RECIPES, name, file), 'utf8')]));
}

/** Where recipes are, by name. */
export function recipeNames(): readonly string[] {
  return readdirSync(RECIPES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('/kustomization.yaml'))
    .map((path) => path.slice(0, -'/kustomization.yaml'.length))
    .sort();
}

/** A recipe for the package `web` of `acme/deploy-eu` as files below `clusters/`, for another package and repository. */
export function recipeFor(
  name: string,
  { repository, folder }: { readonly repository: string; readonly folder: string },
): Record<string, string> {
  return Object.fromEntries(
    [...recipe(name)].map(([file, text]) => [
      `clusters/here/${file}`,
      text
        .replaceAll('acme/deploy-eu', repository)
        .replaceAll(/\bname: web\b/g, `name: ${folder}`)
        .replaceAll(/\bnamespace: web\b/g, `namespace: ${folder}`)
        .replaceAll(/\bpath: (\.\/)?web\b/g, `path: $1${folder}`),
    ]),
  );
}
