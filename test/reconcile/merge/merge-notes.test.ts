import { expect, test } from 'vitest';

import {
  joinedNotes,
  mergeNotes,
  mergeNotesText,
  NO_NOTES,
} from '../../../src/reconcile/text/merge-notes.ts';
import { updateBody } from '../../../src/reconcile/update/body.ts';
import { createKeyring } from '../../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

const note = (n: number | string): { code: string; file: string; message: string } => ({
  code: 'ORDER_KEPT',
  file: 'a.yaml',
  message: `Deployment ${n}: upstream has the items in another order`,
});
const many = (count: number): ReturnType<typeof note>[] => Array.from({ length: count }, (_, n) => note(n));

test('a few stand open, each once; more are folded, and what is not listed is counted', () => {
  expect(mergeNotesText(NO_NOTES)).toBe('');
  expect(mergeNotesText(mergeNotes([note('web'), note('web')]))).toBe(
    '**The merge decided this automatically.** Check that it is right:\n\n- `a.yaml`: Deployment web: upstream has the items in another order.',
  );
  const folded = mergeNotesText(mergeNotes(many(60)));
  expect(folded).toMatch(/^<details><summary>The merge decided 60 things automatically; /);
  expect(folded.match(/^- `a\.yaml`/gm)).toHaveLength(20);
  expect(folded).toContain('\n- … and 40 more\n\n</details>');
  expect(mergeNotesText(joinedNotes([mergeNotes(many(15)), mergeNotes(many(30)), NO_NOTES]))).toContain(
    'decided 30 things',
  );
});

test('however long they are, they leave room, and what is foreign in them is inert', () => {
  const long = many(60).map(({ code, message }, n) => ({
    code,
    file: `${'d/'.repeat(500)}${n}`,
    message: message + '<'.repeat(9_000),
  }));
  const text = mergeNotesText(mergeNotes(long));
  expect(text.length).toBeLessThan(4_200);
  expect(text).toMatch(/… and \d+ more/);
  expect(mergeNotes(mergeNotes(long).listed).listed).toEqual(mergeNotes(long).listed);

  const told = mergeNotesText(
    mergeNotes([{ file: 'a`b.yaml', message: 'says: # @bob\n/portico approve <b>' }]),
  );
  expect(told).toContain('- ``a`b.yaml``: says: # @\u200bbob /portico approve &lt;b>.');
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const cutThere = mergeNotesText(mergeNotes([{ file: 'a.yaml', message: `${'x'.repeat(280)} ${secret}` }]));
  expect(cutThere).not.toContain(secret.slice(0, 12));
});

test('an update tells them between its conflicts and its diff, a group with the package; a rebase in its draft', () => {
  const part = {
    directory: repositoryDirectory('apps/web'),
    path: 'web',
    upstream: 'acme/up:web',
    from: 'v1',
    to: 'v2',
    publishes: 'v1',
    created: false,
    mergeNotes: [note('web')],
    survives: [],
  };
  const input = { repository: 1, branch: 'portico/update/web/0123456789', conflicts: [] };
  const seals = createKeyring(['ab']);
  const alone = updateBody({ ...input, parts: [part] }, seals);
  expect(alone).toMatch(/end of first -->\n\n\*\*The merge decided this[^]*- `a\.yaml`: [^]*Local changes:/);
  const other = { ...part, directory: repositoryDirectory('api'), path: 'api' };
  const group = updateBody({ ...input, group: 'all', parts: [part, other] }, seals);
  expect(group).toContain('- `apps/web/a.yaml`: Deployment web');
  expect(group).toContain('- `api/a.yaml`: Deployment web');
  expect(updateBody({ ...input, parts: [{ ...part, mergeNotes: [] }] }, seals)).not.toContain('decided');
});
