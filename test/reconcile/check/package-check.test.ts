import { expect, test } from 'vitest';

import { packageCheck } from '../../../src/reconcile/check/package-check.ts';
import { publicationCheck } from '../../../src/reconcile/check/publication-check.ts';
import { renderCheck } from '../../../src/reconcile/check/render-check.ts';
import type { RenderedPackage } from '../../../src/reconcile/render/proposal-render.ts';
import type { RenderCommit } from '../../../src/reconcile/render/render-commit.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const packageOf = (path: string, mergeBase: string | null): RenderedPackage => ({
  package: {
    path,
    directory: repositoryDirectory(path),
    trees: { mergeBase, left: null, base: mergeBase, head: 'b' },
  },
  ok: true,
  runs: [],
  findings: [],
  changes: new Map(),
});
const fresh = packageOf('web', null);
const commitOf = (pushed: boolean): RenderCommit => ({ state: 'rendered', head: {} as never, pushed });

test('the package check tells new, changed and removed packages apart', () => {
  const rendered = [fresh, packageOf('api', 'a')];
  const { summary } = packageCheck({ kptfiles: new Map(), rendered, removed: ['db'] });
  expect(summary).toContain('| `web` | new |\n| `api` | changed |\n| `db` | removed |');
});

test('the render check says what rendering came to where no function ran', () => {
  expect(renderCheck([fresh], commitOf(false))).toMatchObject({
    title: '1 package rendered',
    summary: 'Rendering changed nothing.',
  });
  expect(renderCheck([fresh], commitOf(true)).summary).toBe('Portico committed what rendering changed.');
  expect(renderCheck([], commitOf(false))).toMatchObject({
    title: 'Nothing to render',
    summary: 'There is no package to render.',
  });
});

test('the remedy of the publication check refers to no names that it does not have', () => {
  const commit = { oid: 'a'.repeat(40) } as never;
  const flagged = new Map([['web', { commit, pull: null }]]);
  const { summary } = publicationCheck('a'.repeat(40), {
    flagged,
    refused: new Map(),
    unapproved: new Map(),
  });
  expect(summary).not.toContain('above');
  expect(summary).toContain('open one; its check `portico/approval` says who must approve it.');
});
