import { expect, test } from 'vitest';

import type { Comment } from '../../../src/reconcile/forge/comments.ts';
import { sealedComment, sealedRecords } from '../../../src/reconcile/seal/sealed-comment.ts';
import { createKeyring } from '../../../src/revision/keyring.ts';

const seals = createKeyring(['a key']);
const committer = { name: 'portico[bot]', email: '2+portico[bot]@users.noreply.github.com' };
const app = { id: 1, slug: 'portico', botLogin: 'portico[bot]', committer };

const comment = (id: number, author: string, body: string): Comment => ({
  id,
  nodeId: String(id),
  author,
  authorIsBot: author.endsWith('[bot]'),
  appId: null,
  body,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

test('a record counts where the App wrote it and nobody else wrote there since; only of those is the forge asked (67)', async () => {
  const said = (value: string, place = '1#2'): string => sealedComment('plan', place, { value }, seals);
  const comments = [
    comment(1, 'portico[bot]', said('own')),
    comment(2, 'portico[bot]', said('put back')),
    comment(3, 'mallory', said('copied')),
    comment(4, 'portico[bot]', said('of another issue', '1#3')),
    comment(5, 'portico[bot]', 'Thanks.'),
  ];
  const asked: string[] = [];
  const isAuthorsOwn = (text: { readonly nodeId: string }): Promise<boolean> => {
    asked.push(text.nodeId);
    return Promise.resolve(text.nodeId !== '2');
  };
  const found = await sealedRecords({
    ports: { app, seals },
    forge: { isAuthorsOwn },
    kind: 'plan',
    place: '1#2',
    comments,
  });
  expect(found).toEqual([{ value: 'own' }]);
  expect(asked).toEqual(['1', '2']);
});
