import { globSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { ISSUE_FORMS, parseIssueForm } from '../../src/command/issue-form.ts';
import { commands } from '../../src/command/table.ts';

/** As the forge writes the answers of a form. */
function sent(answers: Readonly<Record<string, string>>): string {
  return Object.entries(answers)
    .map(([label, answer]) => `### ${label}\n\n${answer === '' ? '_No response_' : answer}`)
    .join('\n\n');
}

const init = (answers: Readonly<Record<string, string>>): string =>
  sent({ 'Path of the new package': '', Workspace: '', Description: '', Keywords: '', ...answers });

describe('the forms', () => {
  const folder = new URL('../../workflows/issue-forms/', import.meta.url);
  test('each file asks for what the parser knows, in its order', () => {
    const files = globSync('*.yml', { cwd: folder }).sort();
    const labels = files.map((file) => {
      const { body } = parse(readFileSync(new URL(file, folder), 'utf8')) as {
        body: { type: string; attributes: { label: string } }[];
      };
      return [file.replace(/^portico-|\.yml$/g, ''), body.map(({ attributes }) => attributes.label)] as const;
    });
    const known = ISSUE_FORMS.map(({ verb, fields }) => [verb, fields.map(({ label }) => label)] as const);
    expect(new Map(labels)).toEqual(new Map(known));
    for (const { verb } of ISSUE_FORMS) expect(commands.map(({ name }) => name)).toContain(verb);
  });

  test.each<[string, string | undefined]>([
    [init({ 'Path of the new package': 'apps/web' }), '/portico init apps/web'],
    [
      init({
        'Path of the new package': 'web',
        Workspace: 'next',
        Description: "It's a\nweb",
        Keywords: 'a, b',
      }),
      String.raw`/portico init web --workspace=next '--description=It'\''s a web' '--keywords=a, b'`,
    ],
    [init({ 'Path of the new package': 'web' }).replaceAll('\n', '\r\n'), '/portico init web'],
    // Quotes, options and commands in an answer are text of that answer.
    [init({ 'Path of the new package': "x' --anyway '" }), String.raw`/portico init 'x'\'' --anyway '\'''`],
    [init({ 'Path of the new package': '/portico publish' }), "/portico init '/portico publish'"],
    [init({}), '/portico init'],
    [
      sent({
        'Upstream package': 'acme/b:db',
        'Revision of the upstream': 'v3',
        'Path of the new package': '',
        Workspace: '',
      }),
      '/portico clone acme/b:db@v3',
    ],
    [
      sent({ 'Package to roll back': 'web', 'Revision to bring back': 'v7', Workspace: '' }),
      '/portico rollback web@v7',
    ],
    [sent({ 'Path of the new package': 'web' }), undefined],
    [`Hello\n\n${init({ 'Path of the new package': 'web' })}`, undefined],
    [`${init({ 'Path of the new package': 'web' })}\n\n### More\n\ntext`, undefined],
    [init({ 'Path of the new package': 'x'.repeat(9_000) }), undefined],
    ['', undefined],
  ])('%j', (body, want) => expect(parseIssueForm(body)?.text).toBe(want));
});
