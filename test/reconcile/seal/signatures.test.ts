import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { STORIES, longTest } from '../../long-test.ts';
import { startStage, type Stage } from '../stage.ts';

/** Every branch demands verified commits, of everybody but those who administer the repository. */
let stage: Stage;

beforeAll(async () => {
  const names = ['forge', 'key', ...(STORIES ? ['late'] : [])];
  stage = await startStage(Object.fromEntries(names.map((name) => [name, {}])));
  for (const name of names) {
    await stage.as('alice').rest.repos.createRepoRuleset({
      ...stage.repository(name).where,
      name: 'signed',
      enforcement: 'active',
      // The last one's rule is not told with those of its default branch.
      conditions: { ref_name: { include: [name === 'late' ? 'refs/heads/drafts/**' : '~ALL'], exclude: [] } },
      rules: [{ type: 'required_signatures' }],
      bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
    });
  }
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A package by command, approved and published; answers the head that was merged. */
async function publishByCommand(name: string): Promise<string> {
  const repo = stage.repository(name);
  const issue = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'A package' });
  const made = await repo.command(issue.data.number, '/portico init web', 'bob');
  expect(made).toMatchObject({ reaction: 'rocket' });
  const [pull] = await repo.pulls();
  const { head, number } = pull!;
  if (pull!.draft) await repo.command(number, '/portico propose', 'bob');
  await repo.review(number, 'APPROVE', undefined, 'carol');
  expect(await repo.command(number, '/portico publish', 'bob')).toMatchObject({ reaction: 'rocket' });
  expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
  expect(await repo.release('web/v1')).toContain(`Proposal #${number}`);
  expect(await repo.git('for-each-ref', 'refs/portico/unsigned/')).toBe('');
  return head.sha;
}

test('the forge makes and signs the commits where its rules demand it, and they are published', async () => {
  const head = await publishByCommand('forge');
  const raw = await stage.repository('forge').git('cat-file', 'commit', head);
  expect(raw).toMatch(/^gpgsig -----BEGIN PGP SIGNATURE-----$/m);
  expect(raw).toMatch(/^Portico-Commit: /m);
});

longTest('a rule that only a refused push tells of is obeyed from then on', async () => {
  await publishByCommand('late');
});

/** As SSH writes it: with its length before it. */
function part(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

test('with a key commits and tags are signed by it', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { data: machine } = await stage.as('stan').rest.users.getAuthenticated();
  const x = Buffer.from(privateKey.export({ format: 'jwk' }).x!, 'base64url');
  const publicKey = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(x)]).toString('base64');
  await stage.as('stan').rest.users.createSshSigningKeyForAuthenticatedUser({
    title: 'portico',
    key: `ssh-ed25519 ${publicKey}`,
  });
  await stage.stopBot();
  await stage.startBot({
    committer: { name: 'Stan', email: `${machine.id}+stan@users.noreply.127.0.0.1` },
    signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  const head = await publishByCommand('key');
  const repo = stage.repository('key');
  expect(await repo.git('cat-file', 'commit', head)).toMatch(/^gpgsig -----BEGIN SSH SIGNATURE-----$/m);
  expect(await repo.git('cat-file', 'tag', 'web/v1')).toMatch(/^-----BEGIN SSH SIGNATURE-----$/m);
});
