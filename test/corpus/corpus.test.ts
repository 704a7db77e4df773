import { statSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { FAMILIES } from '../../scripts/oracles/families.ts';
import { TOOLS } from '../../scripts/oracles/tools.ts';
import { caseFiles, families, readHeads, readRules } from './read-cases.ts';

describe.each(families())('the golden cases of %s', (family) => {
  const cases = readHeads(family);

  test('hold every rule of the family, and name no other', () => {
    const held = new Set(cases.flatMap(({ rules }) => rules));
    expect([...held].sort()).toEqual(Object.keys(readRules(family)).sort());
  });

  test('have different names', () => {
    const names = cases.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('name the version of the tool that `npm run oracles` installs, or say why no tool can be asked', () => {
    const wrong = cases.filter(({ tool, authored }) =>
      tool === undefined ? authored === undefined : TOOLS[tool.name]?.version !== tool.version,
    );
    const asked = FAMILIES.find(({ name }) => name === family)?.tools ?? [];
    for (const { name, tool } of cases) if (tool !== undefined) expect(asked, name).toContain(tool.name);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

test('the corpus stays small enough to review', () => {
  const bytes = families()
    .flatMap(caseFiles)
    .map((path) => statSync(path).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15 * 1024 * 1024);
});
