import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { environmentReference } from '../../src/config/environment-reference.ts';
import { VARIABLES } from '../../src/config/environment-table.ts';
import { variables } from '../../src/config/environment-variables.ts';

/** The variables that the code reads against those that docs/environment.md tells of, both ways. */

/** The system's own, those of GitHub Actions and of pods; they mean here what they mean everywhere. */
const EVERYWHERE = new Set([
  'PATH',
  'SystemRoot',
  'TMPDIR',
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

/** Read by Node itself, and by the exporter of OpenTelemetry. */
const OTHERS = new Set([
  'NODE_USE_ENV_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'NO_COLOR',
  'FORCE_COLOR',
]);

const text = globSync('src/**/*.{ts,js}')
  // What a runner sets for a step is GitHub's, and docs/github-action.md names what a person sets.
  .filter((file) => !file.startsWith('src/action/'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

function read(): Set<string> {
  const runner = /const runner = z\.object\(\{(.*?)\n\}\);/s.exec(text)![1]!;
  const inherited = /const INHERITED = \[(.*?)\];/s.exec(text)![1]!;
  return new Set(
    [
      ...Object.keys(variables.shape),
      ...[...runner.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name),
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

const documented = VARIABLES.flatMap((topic) =>
  topic.variables.flatMap(({ name, file }) => [name, file ?? []].flat()),
);
const told = new Set(documented);

test('every variable that is read is in the table', () => {
  const names = read();
  expect([...names].filter((name) => name.startsWith('PORTICO_')).length).toBeGreaterThan(5);
  expect([...names].filter((name) => !told.has(name.toUpperCase()) && !EVERYWHERE.has(name))).toEqual([]);
});

test('every variable of the table is read, and stands there once', () => {
  const known = new Set([...read()].map((name) => name.toUpperCase()));
  expect([...told].filter((name) => !known.has(name) && !OTHERS.has(name))).toEqual([]);
  expect(documented).toHaveLength(told.size);
});

test('the page is what the table and the code say', () => {
  const page = readFileSync('docs/environment.md', 'utf8');
  expect(page, 'run: npm run docs').toBe(environmentReference());
  expect(page).toContain('| `PORT` | `3000` | port to listen on |');
  expect(page).toContain('| `WEBHOOK_SECRET` | required | ');
  expect(page).toContain('| `GATE_HOSTS` | none | ');
});
