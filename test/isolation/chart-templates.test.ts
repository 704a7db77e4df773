import { expect, test } from 'vitest';

import { OPERATIONS } from '../../src/isolation/operations.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { packageOf } from './hostile-packages.ts';

const DOCUMENT = `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources }
sources:
- id: chart
  helm: { repository: https://charts.example.com, chart: web, version: 1.x }
  destination: upstream
processors:
- { helm: { chart: upstream, release: web, namespace: web }, out: rendered }
`;
const TEMPLATE = '{{- if .Values.on }}\nkind: A\n{{- end }}\n';

function chart(
  version: string,
  document: string,
  others: Readonly<Record<string, string>> = {},
): PackageFiles {
  return packageOf({
    'portico-sources.yaml': document,
    'upstream/Chart.yaml': `name: web\nversion: ${version}\n`,
    'upstream/templates/web.yaml': `# ${version}\n${TEMPLATE}`,
    'upstream/charts/db/Chart.yaml': 'name: db\nversion: 1.0.0\n',
    'upstream/charts/db/templates/db.yaml': `# ${version}\n${TEMPLATE}`,
    ...others,
  });
}

async function unread(before: PackageFiles, after: PackageFiles): Promise<readonly string[]> {
  const { power } = await OPERATIONS.compare({ before, after });
  const told = await OPERATIONS.headChange({ before, after, limit: 1_000 });
  expect(told.grown).toBe(power.unread.length > 0);
  return power.unread;
}

test('templates of charts that are rendered grant nothing by themselves', async () => {
  expect(await unread(chart('1.0.0', DOCUMENT), chart('1.1.0', DOCUMENT))).toEqual([]);
});

test('what cannot be read and is no such template stays unknown', async () => {
  const broken = {
    'rendered/a.yaml': TEMPLATE,
    'templates/b.yaml': TEMPLATE,
    'upstream/values.yaml': TEMPLATE,
  };
  expect(await unread(chart('1.0.0', DOCUMENT), chart('1.1.0', DOCUMENT, broken))).toEqual(
    Object.keys(broken).toSorted(),
  );
});

test('a proposal that begins to call files templates hides none of them', async () => {
  const templates = ['upstream/charts/db/templates/db.yaml', 'upstream/templates/web.yaml'];
  expect(await unread(new Map(), chart('1.0.0', DOCUMENT))).toEqual(templates);
  const manual = DOCUMENT.replace(/helm: \{ repository.*/, 'manual: true');
  expect(await unread(chart('1.0.0', manual), chart('1.1.0', manual))).toEqual(templates);
  expect(await unread(chart('1.0.0', manual), chart('1.1.0', DOCUMENT))).toEqual(templates);
});
