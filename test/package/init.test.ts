import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { initPackage } from '../../src/package/init.ts';
import { readKptfile } from '../../src/package/kptfile.ts';
import { packageOf } from './diff/package-of.ts';

function textsOf(options: Parameters<typeof initPackage>[0]): Record<string, string> {
  return Object.fromEntries(
    [...initPackage(options)].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()]),
  );
}

describe('init', () => {
  test('the three files of kpt pkg init', () => {
    const files = textsOf({
      name: 'database',
      site: 'https://example.com',
      description: 'one',
      keywords: ['sql', 'db'],
    });
    expect(Object.keys(files)).toEqual(['Kptfile', 'README.md', 'package-context.yaml']);
    expect(files['Kptfile']).toBe(`apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: database
  annotations:
    config.kubernetes.io/local-config: "true"
info:
  site: https://example.com
  description: one
  keywords:
  - sql
  - db
`);
    expect(files['README.md']).toContain('# database\n\n## Description\none\n');
    expect(parse(files['package-context.yaml']!)).toMatchObject({
      metadata: { name: 'kptfile.kpt.dev' },
      data: { name: 'example' },
    });
  });

  test.each(['yes', '007', 'a: b', '# x', '', 'line\nbreak', '{', 'ünï', 'on', '\u0000'])(
    'the name and text %j are read back',
    (text) => {
      const { Kptfile } = textsOf({ name: text, description: text, keywords: [text] });
      const { kptfile } = readKptfile(Buffer.from(Kptfile!));
      expect([kptfile.name, kptfile.info.description, kptfile.info.keywords]).toEqual([text, text, [text]]);
    },
  );

  test('what is there stays', () => {
    const existing = packageOf({ 'README.md': 'mine' });
    expect([...initPackage({ name: 'x' }, existing).keys()]).toEqual(['Kptfile', 'package-context.yaml']);
  });
});
