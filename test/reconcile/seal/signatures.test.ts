// @module-tag story
import { generateKeyPairSync } from 'node:crypto';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Every branch demands verified commits, of everybody but those who administer the repository. */
let stage: Stage;

/** Where not all branches demand them. */
const DEMANDS: Readonly<Record<string, string>> = {
  late: 'refs/heads/drafts/**',
  // People may push as they like, and what is merged must be signed.
  people: '~DEFAULT_BRANCH',
};

beforeAll(async () => {
  const names = ['forge', 'key', 'late', 'people', 'forge-down', 'key-down'];
  const down = { spec: 'branch: main\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }' };
  stage = await startStage(
    Object.fromEntries(names.map((name) => [name, name.endsWith('-down') ? down : {}])),
    { shares: true },
  );
  for (const name of names) {
    await stage.as('alice').rest.repos.createRepoRuleset({
      ...stage.repository(name).where,
      name: 'signed',
      enforcement: 'active',
      // The last one's rule is not told with those of its default branch.
      conditions: { ref_name: { include: [DEMANDS[name] ?? '~ALL'], exclude: [] } },
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

/** Publishes a second revision where the package is, and takes it where it was cloned; answers that head as the forge shows it. */
async function updateByPull(name: string) {
  const [up, down] = [stage.repository(name), stage.repository(`${name}-down`)];
  const at = (await up.tags()).get('web/v1')!;
  const files = Object.fromEntries(
    await Promise.all(
      (await up.git('ls-tree', '--name-only', at, 'web/'))
        .split('\n')
        .map(async (path) => [path, (await up.read(path, at))!] as const),
    ),
  );
  const Kptfile = locked(files['web/Kptfile']!, up.url, 'web', 'web/v1', at);
  await down.push('main', { ...files, 'web/Kptfile': Kptfile });
  await up.tag('web/v2', await up.push('main', { 'web/more.yaml': configMap('more', { a: 'b' }) }));
  await stage.sweep();
  const [pull] = await down.pulls();
  expect(pull?.title).toBe('Update web to upstream v2');
  const { data } = await stage.as('bob').rest.repos.getCommit({ ...down.where, ref: pull!.head.sha });
  expect(await down.command(pull!.number, '/portico publish', 'bob')).toMatchObject({ reaction: 'rocket' });
  expect([...(await down.tags()).keys()]).toEqual(['web/v1']);
  return data.commit.verification;
}

test('an update is signed by the forge, and published', async () => {
  expect(await updateByPull('forge')).toMatchObject({
    verified: true,
    reason: 'valid',
    signature: expect.stringMatching(/^-----BEGIN PGP/),
  });
});

test('what people pushed without a signature is not merged, and the remedy is told', async () => {
  const repo = stage.repository('people');
  const pull = await repo.propose('drafts/web/one', below('web', smallPackage('web')), { as: 'bob' });
  await repo.review(pull.number, 'APPROVE', undefined, 'carol');
  const { reaction, reply } = await repo.command(pull.number, '/portico publish', 'bob');
  expect(reaction).toBe('confused');
  expect(reply).toContain('Commits must have verified signatures.');
  expect(reply).toContain('Sign them with a key that your account has');
  // The button squashes, and the forge signs.
  await repo.press(pull.number, 'squash', 'bob');
  expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
});

test('a rule that only a refused push tells of is obeyed from then on', async () => {
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

test('an update is signed with the key, and published with a signed tag', async () => {
  expect(await updateByPull('key')).toMatchObject({
    verified: true,
    reason: 'valid',
    signature: expect.stringMatching(/^-----BEGIN SSH/),
  });
  const down = stage.repository('key-down');
  const tag_sha = await down.git('rev-parse', 'refs/tags/web/v1');
  const { data } = await stage.as('bob').rest.git.getTag({ ...down.where, tag_sha });
  expect(data.verification).toMatchObject({ verified: true, reason: 'valid' });
});
