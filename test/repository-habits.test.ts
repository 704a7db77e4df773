import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { ROOT, run, scratch } from './cli/run-portico.ts';

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT }).map(
  (file) => [file, parse(read(file)) as Workflow] as const,
);

test.each(workflows)(
  '%s names actions by commit, and has no right that no job asks for',
  (file, workflow) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const text = read(file);
    for (const [, action = ''] of text.matchAll(/uses: (\S+.*)$/gm))
      expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const { needs = [] } of Object.values(workflow.jobs))
      for (const name of [needs].flat()) expect(Object.keys(workflow.jobs)).toContain(name);
    // What comes from outside is data: an expression in a script would be run.
    for (const { steps = [] } of Object.values(workflow.jobs))
      for (const { run = '' } of steps)
        expect(run).not.toMatch(/\$\{\{ *(?:github\.(?:event|head_ref|ref_name)|inputs)/);
  },
);

test('no library runs where a workflow has rights', () => {
  for (const [file, { jobs }] of workflows) {
    for (const [name, { permissions = {}, steps = [] }] of Object.entries(jobs)) {
      if (!Object.values(permissions).includes('write')) continue;
      const commands = steps.map((step) => step.run ?? '').join('\n');
      expect(commands, `${file}: ${name}`).not.toMatch(/\b(?:npm (?:ci|install|run|exec|test)|npx|node) /);
    }
  }
});

test('actionlint finds nothing in workflows, ours and those to copy', { tags: ['actionlint'] }, async () => {
  using dir = scratch();
  // It reads the Action from the repository where workflows name it by a path.
  const copied = globSync('{.github/,}workflows/*.yml', { cwd: ROOT }).map((file) => [
    `.github/workflows/${basename(file)}`,
    read(file).replace(/uses: OWNER\/portico@\S+/, 'uses: ./'),
  ]);
  expect(copied.length).toBeGreaterThan(6);
  dir.write({
    ...Object.fromEntries(copied),
    '.git/HEAD': 'ref: refs/heads/main\n',
    'action.yml': read('action.yml'),
    'dist-action/action.js': '',
  });
  const { code, stdout, stderr } = await run('actionlint', ['-no-color'], { cwd: dir.path('.') });
  expect([code, stdout, stderr]).toEqual([0, '', '']);
});

test('scripts that workflows start are there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const [file] of workflows) {
    for (const [, name = ''] of read(file).matchAll(/npm run (?:-s )?([\w:]+)/g))
      expect(scripts, file).toHaveProperty([name]);
    for (const [, script = ''] of read(file).matchAll(/node (scripts\/\S+)/g))
      expect(existsSync(join(ROOT, script))).toBe(true);
  }
});

/** Claims of things that are not published, each with what to write instead. A release changes `repository` in package.json only. */
const CLAIMS: readonly (readonly [claim: RegExp, instead: string])[] = [
  [/\bnpx (?:-\S+ )*@portico\//, 'npm run -s portico -- …, in a clone'],
  [/\bnpm (?:i|install|add|exec) [^\n`]*@portico\//, 'npm install --global ./packages/cli/dist'],
  [
    /\b(?:github\.com|githubusercontent\.com|ghcr\.io)[/:](?!OWNER\b)[\w-]+\/portico\b/,
    '`repository` of package.json',
  ],
  [/\b(?:github\.com|ghcr\.io)\/portico\b|(?<![\w/])@portico\/(?:maintainers|security)\b/, 'no account'],
  [/!\[[^\]]*\]\(https?:[^)]*(?:badge|shields)/, 'no badge'],
];

test('nothing claims a package, an image, a badge or a repository that does not exist', () => {
  const files = globSync(
    [
      '*.{md,yml,json}',
      'Dockerfile',
      '{docs,deploy,packages,workflows,scripts,src}/**/*.*',
      'localforge/{*.*,src/**/*.*,examples/*.*}',
      '.github/**/*.{md,yml}',
      '.github/CODEOWNERS',
      'site/.vitepress/**/*.ts',
    ],
    { cwd: ROOT, exclude: ['**/node_modules', '**/dist', '**/cache', '**/*.png'] },
  ).filter((file) => statSync(join(ROOT, file)).isFile());
  expect(files.length).toBeGreaterThan(1000);
  const { repository = 'none' } = JSON.parse(read('package.json')) as { repository?: string };
  const claims = files.flatMap((file) => {
    const text = file === 'package.json' ? read(file).replace(repository, '') : read(file);
    return CLAIMS.flatMap(([claim, instead]) => {
      const [found] = claim.exec(text) ?? [];
      return found === undefined ? [] : [`${file}: "${found}" → ${instead}`];
    });
  });
  expect(claims).toEqual([]);
});

test.each([
  'Run `npx @portico/cli --help`',
  'npx --yes @portico/cli',
  'npm install --global @portico/cli',
  '[ci](https://github.com/portico/portico/actions)',
  '"git+https://github.com/acme/portico.git"',
  'image: ghcr.io/portico/portico:0.1.0',
  'https://raw.githubusercontent.com/portico/portico/main/docs/portico.schema.json',
  'url: https://github.com/portico',
  '/src/ @portico/security',
  '![ci](https://img.shields.io/npm/v/portico)',
])('the claim %j is found', (text) => {
  expect(CLAIMS.some(([claim]) => claim.test(text))).toBe(true);
});

test('updates are of directories that exist', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { 'package-ecosystem': string; directory?: string; directories?: string[] }[];
  };
  const manifests: Record<string, string> = {
    npm: 'package.json',
    docker: 'Dockerfile',
    'github-actions': '.github/workflows',
  };
  for (const { 'package-ecosystem': ecosystem, directory, directories = [directory ?? ''] } of updates)
    for (const place of directories)
      expect(existsSync(join(ROOT, place, manifests[ecosystem] ?? '?'))).toBe(true);
});

test('forms for issues have what GitHub asks of them', () => {
  for (const file of ['bug', 'idea']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}.yml`)) as {
      name: string;
      description: string;
      body: {
        type: string;
        id?: string;
        attributes: { label?: string; value?: string; options?: string[] };
      }[];
    };
    expect([form.name, form.description].every((text) => text.length > 0)).toBe(true);
    const ids = form.body.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of form.body) {
      expect(['markdown', 'input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect(type === 'markdown' ? attributes.value : attributes.label).toBeDefined();
      if (type === 'dropdown') expect(attributes.options?.length).toBeGreaterThan(1);
    }
  }
});
