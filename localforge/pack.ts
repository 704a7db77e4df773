/**
 * Makes `dist/`, the package as it is published: JavaScript with declarations, because Node reads TypeScript only outside of
 * `node_modules`. `npm publish ./localforge/dist` and `npm pack ./localforge/dist` take it from there.
 *
 *   npm run build:localforge
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

rmSync(DIST, { recursive: true, force: true });
execFileSync('tsc', ['-p', join(HERE, 'tsconfig.build.json')], { stdio: 'inherit' });
const {
  private: _unpublished,
  devDependencies: _development,
  ...manifest
} = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as Manifest;
const published = {
  ...manifest,
  exports: mapped(manifest.exports, (file) => ({
    types: withEnding(file, '.d.ts'),
    default: withEnding(file, '.js'),
  })),
  bin: mapped(manifest.bin, (file) => withEnding(file, '.js')),
};
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'));
copyFileSync(join(HERE, '../LICENSE'), join(DIST, 'LICENSE'));
copyFileSync(join(HERE, 'src/graphql/LICENSE-github-schema'), join(DIST, 'LICENSE-github-schema'));

function mapped<Value>(
  record: Readonly<Record<string, string>>,
  change: (file: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, file]) => [name, change(file)]));
}

function withEnding(file: string, ending: string): string {
  return file.replace(/\.ts$/, ending);
}
