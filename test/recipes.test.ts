/** The recipes of CONTRIBUTING.md, applied to a copy of the source: what they add has to show wherever its kind shows. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, run } from './cli/run-portico.ts';
import { longTest } from './long-test.ts';

interface Piece {
  readonly kind: string;
  readonly file: string;
  readonly text: string;
}

const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const pieces: readonly Piece[] = [...page.matchAll(/^```(ts|diff) (\S+)\n(.*?)^```$/gms)].map(
  ([, kind = '', file = '', text = '']) => ({ kind, file, text }),
);

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'portico-recipes-'));
  for (const name of ['src', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'test/command'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const { kind, file, text } of pieces) {
    const before = kind === 'diff' ? readFileSync(join(copy, file), 'utf8') : '';
    writeFileSync(join(copy, file), kind === 'diff' ? added(before, text) : text);
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The text with the lines of a diff that begin with `+`, each below the line that stands before it there; `…` stands for any end. */
function added(text: string, diff: string): string {
  const lines = text.split('\n');
  let at = -1;
  for (const line of diff.split('\n').filter((one) => one !== '')) {
    if (line.startsWith('+')) lines.splice((at += 1), 0, line.slice(1));
    else {
      const places = lines.flatMap((one, index) => (isLine(one, line.slice(1)) ? [index] : []));
      expect(places, `once in the file: ${line}`).toHaveLength(1);
      at = places[0]!;
    }
  }
  return lines.join('\n');
}

function isLine(line: string, meant: string): boolean {
  return meant.endsWith('…') ? line.startsWith(meant.slice(0, -1)) : line === meant;
}

function doc(name: string): string {
  return readFileSync(join(copy, 'docs', name), 'utf8');
}

/** What a program says that stands in the copy. */
async function said(...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, args, { cwd: copy });
  return stdout + stderr;
}

/** What a list of expressions gives, as JSON, for which these are imported from the copy. */
async function valueOf(
  imports: Readonly<Record<string, string>>,
  expression: string,
): Promise<readonly unknown[]> {
  const lines = Object.entries(imports).map(([names, file]) => `import { ${names} } from './${file}';`);
  const script = `${lines.join('\n')}\nconsole.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: copy,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('there is a recipe for each kind of verb', () => {
  const [, recipes = ''] = page.split('## Recipes');
  expect([...recipes.matchAll(/^### (.+)$/gm)].map(([, title]) => title)).toEqual([
    'A slash-command',
    'A built-in function',
    'A ready-made policy',
    'A check of proposals',
    'A kind of job',
    'A verb of the command line',
  ]);
  expect(pieces.length).toBeGreaterThan(12);
});

describe('after the recipes', () => {
  test('the generated pages have the command, the function and the policy', async () => {
    await said('scripts/generate-docs.ts');
    expect(doc('commands.md')).toContain('## greet\n\n`/portico greet`\n\nGreet the author.');
    expect(doc('functions.md')).toContain('| `count-resources` | v0.1 | validator |');
    expect(doc('policies.md')).toContain('### `no-empty-config-maps`\n\nEvery ConfigMap holds data.');
    expect(doc('portico.schema.json')).toContain('"greet"');
    expect(doc('portico.schema.json')).toContain('no-empty-config-maps');
  });

  test('the command is helped with, guessed, obeyed and kept to those whom the configuration names', async () => {
    const answers = await valueOf(
      {
        say: 'test/command/command-state.ts',
        parseRepositoryConfig: 'src/config/parse-repository-config.ts',
      },
      `[
        say('/portico help').reply.includes('| \`/portico greet\` | Greet the author. |'),
        say('/portico help greet').reply.includes('for the role write or higher'),
        say('/portico gret').hint,
        say('/portico greet').reply,
        ...['greet', 'great'].map((name) => parseRepositoryConfig({ file: 'p', bytes: Buffer.from(
          'apiVersion: config.portico.dev/v1alpha1\\nkind: Repository\\nmetadata: { name: b }\\nspec: { access: { ' + name + ': [admin] } }\\n') }))
          .map(({ config }) => config && say('/portico greet', { config }).code),
      ]`,
    );
    const guess: unknown = expect.stringContaining('/portico greet');
    expect(answers).toEqual([true, true, guess, 'Hello, alice.', 'not-permitted', null]);
  });

  test('the command line knows its verb, the command and the function', async () => {
    expect(await said('src/portico.js', '--help')).toMatch(/^ {2}hello +greet somebody$/m);
    expect(await said('src/portico.js', 'hello', 'ada')).toBe('Hello, ada.\n');
    expect(await said('src/portico.js', 'greet')).toContain('Write /portico greet');
    expect(await said('src/portico.js', 'get', 'functions')).toContain('count-resources');
  });

  test('the check is one of a proposal, and the kind of job waits in its lane', async () => {
    const [lane, kind, checks] = await valueOf(
      {
        LANES: 'src/bot/lanes.ts',
        readJob: 'src/bot/received-job.ts',
        greetingJob: 'src/reconcile/sweep/greeting.ts',
        proposalChecks: 'src/reconcile/proposal/checks.ts',
        defaultRepositoryConfig: 'src/config/parse-repository-config.ts',
      },
      `[
        LANES.find(({ kinds }) => kinds.includes('greeting')).name,
        readJob({ ...greetingJob({ installationId: 1, id: 2, owner: 'a', name: 'b' }), attempt: 1 }).kind,
        proposalChecks({
          config: defaultRepositoryConfig(), headSha: 'a', digest: 'sha256:a', mergeBase: 'b', kptfiles: new Map(), rendered: [],
          removed: [], usedBy: [], leftBehind: [], commit: { state: 'rendered' }, conflicts: [], lost: false,
          behind: { packages: [], reason: '' }, approval: { state: { kind: 'not-asked', sentence: '', notes: [] } },
        }).map(({ name, summary }) => [name, summary.includes('portico/size')]),
      ]`,
    );
    expect([lane, kind]).toEqual(['index', 'greeting']);
    expect(checks).toContainEqual(['portico/size', false]);
    expect(checks).toContainEqual(['portico', true]);
  });

  longTest(
    'nothing else is missing: all types hold',
    async () => {
      const { include: _all, ...settings } = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8'));
      writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...settings, include: ['src'] }));
      expect(await said('node_modules/.bin/tsc', '--noEmit')).toBe('');
    },
    300_000,
  );
});
