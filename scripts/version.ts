/**
 * The version stands in package.json; this writes it everywhere else and gives the changelog its heading. `npm version` runs it before it
 * commits and tags:
 *
 *   npm version minor
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Where the version stands besides package.json: what comes before it, on the same line. */
const PLACES: readonly (readonly [file: string, before: RegExp])[] = [
  ['packages/cli/package.json', /^ {2}"version": "/m],
  ['localforge/package.json', /^ {2}"version": "/m],
  // The first is the root's own, which npm writes; the second is the local forge's.
  ['package-lock.json', /^ {4}"localforge": \{\n {6}"name": "@portico\/localforge",\n {6}"version": "/m],
  ['Dockerfile', /org\.opencontainers\.image\.version="/],
  ['deploy/chart/Chart.yaml', /^version: /m],
  ['deploy/chart/Chart.yaml', /^appVersion: /m],
  ['deploy/kubernetes/deployment.yaml', /image: registry\.example\.com\/portico:/],
  ['deploy/kubernetes/setters.yaml', /image: registry\.example\.com\/portico:/],
  ['deploy/kustomize/example/kustomization.yaml', /newTag: /],
  ['workflows/portico-catalog.yml', /uses: OWNER\/portico@v/],
  ['workflows/portico-catalog-image.yml', /uses: OWNER\/portico@v/],
  ['workflows/portico-check.yml', /uses: OWNER\/portico@v/],
  ['workflows/portico-run.yml', /uses: OWNER\/portico@v/],
  ['workflows/portico-sweep.yml', /uses: OWNER\/portico@v/],
];

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/;

/** What package.json says. */
export function currentVersion(): string {
  return (JSON.parse(read('package.json')) as { readonly version: string }).version;
}

/** The version at each place. Throws where there is none: the place has changed, and this list has not. */
export function versionsInUse(): readonly { readonly place: string; readonly version: string }[] {
  return PLACES.map(([file, before]) => ({
    place: `${file}: ${before.source}`,
    version: found(file, before).version,
  }));
}

/** Writes a version to all places, and gives their files. */
export function writeVersion(version: string): readonly string[] {
  for (const [file, before] of PLACES) {
    const { at, version: old } = found(file, before);
    const text = read(file);
    writeFileSync(join(ROOT, file), text.slice(0, at) + version + text.slice(at + old.length));
  }
  return [...new Set(PLACES.map(([file]) => file))];
}

/** The changelog with what is unreleased under the version; pure. Throws where nothing is unreleased. */
export function released(changelog: string, version: string, date: string): string {
  const [head = '', rest] = changelog.split(/^## \[Unreleased\]\n/m);
  const [unreleased = ''] = rest?.split(/^## /m) ?? [];
  if (rest === undefined || !/^- /m.test(unreleased))
    throw new Error('CHANGELOG.md has nothing below "## [Unreleased]"');
  return `${head}## [Unreleased]\n\n## [${version}] - ${date}\n${rest}`;
}

/** What the changelog says of a version, for the release's page. Throws where it says nothing. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const own = sections.find((one) => one.startsWith(`## [${version}] `));
  if (own === undefined) throw new Error(`CHANGELOG.md has no ${version}`);
  return `${own.split('\n').slice(1).join('\n').trim()}\n`;
}

function found(file: string, before: RegExp): { readonly at: number; readonly version: string } {
  const text = read(file);
  const match = before.exec(text);
  const at = match === null ? -1 : match.index + match[0].length;
  const version = VERSION.exec(text.slice(at))?.[0];
  if (at === -1 || version === undefined) throw new Error(`${file} has no version after ${before.source}`);
  return { at, version };
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

if (import.meta.main) {
  const [command] = process.argv.slice(2);
  const version = currentVersion();
  if (command === 'notes') process.stdout.write(notesOf(read('CHANGELOG.md'), version));
  else {
    const files = writeVersion(version);
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(join(ROOT, 'CHANGELOG.md'), released(read('CHANGELOG.md'), version, today));
    execFileSync('git', ['add', 'CHANGELOG.md', ...files], { cwd: ROOT, stdio: 'inherit' });
  }
}
