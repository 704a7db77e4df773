import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

/** The variables that the code reads against those that docs/installing.md tells of, both ways. */

/** The system's own, those of GitHub Actions and of pods; they mean here what they mean everywhere. */
const EVERYWHERE = new Set([
  'PATH',
  'SystemRoot',
  'TMPDIR',
  'TERM',
  'XDG_CACHE_HOME',
  'INIT_CWD',
  'HOSTNAME',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'GITHUB_EVENT_NAME',
  'GITHUB_EVENT_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STEP_SUMMARY',
  'RUNNER_TEMP',
]);

const text = globSync('src/**/*.{ts,js}')
  // What a runner sets for a step is GitHub's, and docs/github-action.md names what a person sets.
  .filter((file) => !file.startsWith('src/action/'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

function read(): Set<string> {
  const schema = /const variables = z\.object\(\{(.*?)\n\}\);/s.exec(text)![1]!;
  const inherited = /const INHERITED = \[(.*?)\];/s.exec(text)![1]!;
  return new Set(
    [
      ...[...schema.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name),
      ...[...inherited.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
      ...[...text.matchAll(/\benv(?:\.|\[')([A-Za-z_]+)/g)].map(([, name = '']) => name),
      ...[...text.matchAll(/\{ ([A-Z_]+): direct, ([A-Z_]+): path \} = env/g)].flatMap(
        ([, ...names]) => names,
      ),
      ...[...text.matchAll(/readEither\(env, files, \['([A-Z_]+)', '([A-Z_]+)'\]\)/g)].flatMap(
        ([, ...names]) => names,
      ),
      ...(text.match(/\bPORTICO_[A-Z_]+\b/g) ?? []),
    ].filter((name) => /^[A-Za-z]+(?:_[A-Za-z]+)*$/.test(name) && /[A-Z]{2}|_/.test(name)),
  );
}

const page = readFileSync('docs/installing.md', 'utf8');
const told = new Set(
  [...page.matchAll(/^\| (`[A-Za-z_]+`(?:(?:, | or )`[A-Za-z_]+`)*) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).filter((name) => /^[A-Z]{2}|_/.test(name)),
  ),
);

test('every variable that is read is in the table', () => {
  const names = read();
  expect([...names].filter((name) => name.startsWith('PORTICO_')).length).toBeGreaterThan(5);
  expect([...names].filter((name) => !told.has(name.toUpperCase()) && !EVERYWHERE.has(name))).toEqual([]);
});

test('every variable of the table is read', () => {
  const known = new Set([...read()].map((name) => name.toUpperCase()));
  // Read by Node itself, and by the exporter of OpenTelemetry.
  const others = ['NODE_USE_ENV_PROXY', 'NODE_EXTRA_CA_CERTS', 'OTEL_EXPORTER_OTLP_HEADERS'];
  expect([...told].filter((name) => !known.has(name) && !others.includes(name))).toEqual([]);
});
