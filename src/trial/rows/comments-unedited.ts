import { z } from 'zod';

import { read } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const numbered = z.object({ number: z.number() });
const comment = z.object({
  id: z.number(),
  node_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
const edited = z.object({
  data: z.object({
    node: z.object({
      lastEditedAt: z.string().nullable(),
      includesCreatedEdit: z.boolean(),
      editor: z.object({ login: z.string() }).nullable(),
    }),
  }),
});

const QUERY = `query($id: ID!) {
  node(id: $id) { ... on IssueComment { lastEditedAt includesCreatedEdit editor { login } } }
}`;

/** Writes a comment and asks what the forge says of its edits; edits it and asks again. */
export const commentsUnedited: Row = {
  number: 1,
  belief:
    'GraphQL says of a comment that nobody edited that it was not (no lastEditedAt, no editor), whatever its updated_at is, and of an edited one that it was',
  async play({ blueprints: { path }, rest, graphql, name }) {
    const { number } = await rest.read(numbered, 'POST', `${path}/issues`, { title: name('comment') });
    const body = { body: 'A comment of `portico trial`.' };
    const fresh = await rest.read(comment, 'POST', `${path}/issues/${number}/comments`, body);
    const again = await rest.read(comment, 'GET', `${path}/issues/comments/${fresh.id}`);
    const before = read(edited, await graphql(QUERY, { id: fresh.node_id })).data.node;
    await rest.read(comment, 'PATCH', `${path}/issues/comments/${fresh.id}`, { body: 'Edited.' });
    const after = read(edited, await graphql(QUERY, { id: fresh.node_id })).data.node;
    const apart = (Date.parse(again.updated_at) - Date.parse(again.created_at)) / 1_000;
    const times = apart === 0 ? 'its two times were equal' : `updated_at was ${apart} s after created_at`;
    if (before.lastEditedAt !== null || before.editor !== null || before.includesCreatedEdit) {
      return otherwise(`a fresh comment counts as edited by ${before.editor?.login ?? 'nobody'}; ${times}`);
    }
    if (after.lastEditedAt === null) return otherwise('an edited comment does not count as edited');
    return asBelieved(`not edited, then edited by ${after.editor?.login ?? 'nobody'}; ${times}`);
  },
};
