/**
 * Makes `dist/`: the command line in plain JavaScript, a chunk for each verb, for `npm pack`. Node reads TypeScript
 * only outside of `node_modules`, and fewer, smaller files start faster. A checkout never runs from `dist/`.
 *
 *   npm run build
 *   npm run build:action   dist-action/: the GitHub Action with all libraries in it, where nothing is installed
 *   npm run build:image    dist-image/: the same of the command line with the server, for the image
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';

import { componentsOf, notices, softwareBillOfMaterials } from './components.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');

/** Libraries that most verbs or workers load; all others stay where npm installs them, with their assets. */
const BUNDLED = new Set([
  '@bufbuild/cel',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
  'balanced-match',
  'brace-expansion',
  'croner',
  'minimatch',
  're2js',
  'semver',
  'yaml',
  'zod',
]);

/** Only a development brings them, or nobody: what loads them says so where they are missing. */
const NEVER_BUNDLED = new Set(['@portico/localforge', 'pg-native', 'probot', 'simple-git']);
/** What the embedded database reads beside its code. */
const DATABASE_FILES = ['pglite.wasm', 'pglite.data', 'initdb.wasm'];

/** Builds into a directory, which is made anew; the package's own files stand beside it. */
export async function build(dist = join(ROOT, 'dist')): Promise<void> {
  const input = { portico: join(SOURCE, 'portico.js'), 'probot-host': join(SOURCE, 'probot-host.ts') };
  await bundle(dist, input, (id) => !BUNDLED.has(packageOf(id)));
}

/** Builds the Action: all libraries are in it, so that a runner needs nothing but Node and git. */
export async function buildAction(dist = join(ROOT, 'dist-action')): Promise<void> {
  await bundleWhole(dist, { action: join(SOURCE, 'action/main.ts') });
}

/** Builds the command line with the server as the image holds it: beside Node, git and `package.json` it needs nothing. */
export async function buildImage(dist = join(ROOT, 'dist-image')): Promise<void> {
  await bundleWhole(dist, { portico: join(SOURCE, 'portico.js') });
}

/** With all libraries, their licences and the list of them. */
async function bundleWhole(dist: string, input: Readonly<Record<string, string>>): Promise<void> {
  const modules = await bundle(dist, input, (id) => isBuiltin(id) || NEVER_BUNDLED.has(packageOf(id)));
  const database = dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite')));
  for (const file of DATABASE_FILES) cpSync(join(database, file), join(dist, file));
  const components = componentsOf(modules.map((id) => relative(ROOT, id)));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const bill = softwareBillOfMaterials({ name: 'portico', version }, components);
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), notices(components));
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
}

/** Gives the paths of the modules that are in it. */
async function bundle(
  dist: string,
  input: Readonly<Record<string, string>>,
  isExternal: (id: string) => boolean,
): Promise<readonly string[]> {
  rmSync(dist, { recursive: true, force: true });
  await using built = await rolldown({
    input: { ...input },
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && isExternal(id),
    plugins: [filesBesideModules(dist)],
    logLevel: 'warn',
    // The embedded database is compiled with it.
    checks: { eval: false },
  });
  const { output } = await built.write({
    dir: dist,
    format: 'esm',
    // All in one directory, so that what is found beside a module is found from each in the same way.
    chunkFileNames: '[name]-[hash].js',
  });
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

function packageOf(id: string): string {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Files that a module finds beside itself by `new URL('./name', import.meta.url)` come along; programs among them are
 * built too. Files of the repository's root stay there, one directory above, or come along where `dist` is all that is published.
 */
export function filesBesideModules(dist: string, { withRoot = false } = {}): Plugin {
  return {
    name: 'files-beside-modules',
    transform(code, id) {
      if (!id.startsWith(SOURCE)) return null;
      const changed = code.replaceAll(
        /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url,?\s*\)/g,
        (_, name: string) => {
          const file = resolve(dirname(id), name);
          if (/\.[jt]s$/.test(name)) {
            const fileName = `program-${basename(name).replace(/\.ts$/, '.js')}`;
            this.emitFile({ type: 'chunk', id: file, fileName });
            return urlFromDist(fileName);
          }
          const inside = relative(SOURCE, file);
          if (inside.startsWith('..') && !withRoot) return urlFromDist(`../${relative(ROOT, file)}`);
          if (inside.startsWith('..')) {
            cpSync(file, join(dist, relative(ROOT, file)));
            return urlFromDist(relative(ROOT, file));
          }
          const asset = join('files', inside);
          cpSync(file, join(dist, asset), { recursive: true });
          return urlFromDist(name.endsWith('/') ? `${asset}/` : asset);
        },
      );
      return changed === code ? null : changed;
    },
  };
}

function urlFromDist(path: string): string {
  return `new URL(${JSON.stringify(path.startsWith('.') ? path : `./${path}`)}, import.meta.url)`;
}

const BUILDS: Readonly<Record<string, () => Promise<void>>> = { action: buildAction, image: buildImage };

if (import.meta.main) await (BUILDS[process.argv[2] ?? ''] ?? build)();
