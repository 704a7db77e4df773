import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { ROOT, run } from './cli/run-portico.ts';
import { longTest } from './long-test.ts';

longTest('the documentation becomes a site with all its pages', async () => {
  const { code, stderr } = await run('npm', ['run', '--silent', 'docs:site'], { cwd: ROOT });
  expect(code, stderr).toBe(0);
  const made = readdirSync(join(ROOT, 'site/dist'));
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  for (const page of pages) {
    const name = page === 'lifecycle.md' ? 'index.html' : page.replace(/\.md$/, '.html');
    expect(made).toContain(name);
    const title = /^# (.+)$/m.exec(readFileSync(join(ROOT, 'docs', page), 'utf8'))?.[1] ?? '';
    expect(readFileSync(join(ROOT, 'site/dist', name), 'utf8')).toContain(title.split(/[`'&]/)[0]);
  }
  // Pictures come along, under names of the generator.
  for (const name of readdirSync(join(ROOT, 'docs/pictures')))
    expect(readdirSync(join(ROOT, 'site/dist/assets')).join(' ')).toContain(name.replace(/\.png$/, '.'));
  // Templates of other tools stand as they are written.
  expect(readFileSync(join(ROOT, 'site/dist/rollouts.html'), 'utf8')).toContain('continuous-delivery/{{');
});
