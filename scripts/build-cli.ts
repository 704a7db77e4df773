/**
 * Makes `packages/cli/dist/`, the command line as it is installed: JavaScript for Node 20 and newer with everything that it needs,
 * the licences of what is bundled, and a list of its components. The server and the local forge are not in it.
 *
 *   npm run build:cli            and then: npm install --global ./packages/cli/dist
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import type { Plugin } from 'rolldown';

import { filesBesideModules } from './build.ts';
import { componentsOf, notices, softwareBillOfMaterials } from './components.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HERE = join(ROOT, 'packages/cli');
const SERVER_VERBS = join(ROOT, 'src/cli/server-verbs.ts');
const APP_VERBS = join(ROOT, 'src/cli/app/app.ts');
const POLYFILLS = 'newer-javascript.js';

/** Builds into a directory, which is made anew, and gives it. */
export async function buildCli(dist = join(HERE, 'dist')): Promise<string> {
  rmSync(dist, { recursive: true, force: true });
  await using bundle = await rolldown({
    input: { portico: join(HERE, 'start.js'), [POLYFILLS.replace(/\.js$/, '')]: join(HERE, POLYFILLS) },
    platform: 'node',
    external: [/^node:/],
    // The oldest Node that it is for has no `using`.
    transform: { target: 'node20' },
    plugins: [withoutServer(), filesBesideModules(dist, { withRoot: true }), builtinsWithoutFacade()],
    logLevel: 'warn',
    onLog(level, log, report) {
      // Only a warning to the bundler, which leaves the import as it is; nobody has the module where this is installed.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(`${log.message}\nRun npm ci.`);
      report(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: 'esm',
    minify: { compress: true, mangle: false, codegen: true },
    chunkFileNames: '[name]-[hash].js',
    // What every verb needs is one file: each file more takes a start time.
    codeSplitting: { groups: [{ name: 'cli', test: /src\/cli\.ts$/ }] },
    // Programs that are started are entries, too, and each has to know what its Node lacks.
    banner: ({ isEntry, fileName }) =>
      isEntry && fileName !== POLYFILLS && fileName !== 'portico.js' ? `import './${POLYFILLS}';` : '',
  });
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const components = componentsOf(modules.map((id) => relative(ROOT, id)));
  // What keeps the folder of the source from being packed or published is not for what is built.
  const { private: _private, scripts: _scripts, ...manifest } = manifestIn(HERE);
  const { version, repository: url } = manifestIn(ROOT);
  const repository = url === undefined ? undefined : { type: 'git', url, directory: 'packages/cli' };
  const published = { ...manifest, version, repository };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), notices(components));
  const bill = softwareBillOfMaterials({ name: manifest.name, version }, components);
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
  copyFileSync(join(HERE, 'README.md'), join(dist, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
  return dist;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: object;
  readonly repository?: string;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** What the verbs of the server load is replaced by a sentence about where the server is. `app create` needs no server. */
function withoutServer(): Plugin {
  const left = new Map([
    ...loadedBy(SERVER_VERBS, 'portico').filter(([, { name }]) => name !== 'app'),
    ...loadedBy(APP_VERBS, 'portico app').filter(([, { name }]) => name === 'checkApp'),
  ]);
  return {
    name: 'without-server',
    resolveId(id, importer) {
      const module = importer === undefined ? '' : join(dirname(importer), id);
      return left.has(module) ? `\0elsewhere:${module}` : null;
    },
    load(id) {
      const verb = id.startsWith('\0elsewhere:') ? left.get(id.slice('\0elsewhere:'.length)) : undefined;
      if (verb === undefined) return null;
      const module = JSON.stringify(join(HERE, 'no-server.js'));
      return `import { elsewhere } from ${module};\nexport const ${verb.name} = elsewhere('${verb.called}');\n`;
    },
  };
}

/**
 * Takes Node's own modules by `process.getBuiltinModule`. A static import makes Node ask each module for everything that it
 * exports, which loads parts that nobody uses, such as `fs/promises`: a tenth of a start.
 */
function builtinsWithoutFacade(): Plugin {
  return {
    name: 'builtins-without-facade',
    renderChunk(code) {
      return code
        .replaceAll(/^import \{([^}]*)\} from "(node:[\w/]+)";$/gm, (_, names: string, id: string) =>
          taken(`{${names.replaceAll(' as ', ': ')}}`, id),
        )
        .replaceAll(/^import (?:\* as )?(\w+) from "(node:[\w/]+)";$/gm, (_, name: string, id: string) =>
          taken(name, id),
        );
    },
  };
}

function taken(names: string, id: string): string {
  return `const ${names} = process.getBuiltinModule("${id}");`;
}

/** The modules that a table of verbs loads: what each gives, and how the verb is called. */
function loadedBy(
  table: string,
  before: string,
): [string, { readonly name: string; readonly called: string }][] {
  const loads = readFileSync(table, 'utf8').matchAll(/import\('([^']+)'\)\)+\.(\w+)/g);
  return [...loads].map(([, file = '', name = '']) => {
    const module = join(dirname(table), file);
    return [module, { name, called: `${before} ${basename(file, '.ts')}` }];
  });
}

if (import.meta.main) await buildCli();
