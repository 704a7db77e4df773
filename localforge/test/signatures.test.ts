// @module-tag story
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { closeClean, collaboration, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeAll(async () => {
  forge = await collaboration();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await closeClean(forge);
});

/** The address that the forge knows the account by. */
async function addressOf(login: string): Promise<string> {
  const { data } = await forge.alice.rest.users.getByUsername({ username: login });
  return `${data.id}+${login}@users.noreply.127.0.0.1`;
}

/** A key pair as people make it; answers the public part. */
function makeKey(name: string, ...options: readonly string[]): string {
  const file = join(forge.directory, name);
  execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'bob@laptop', '-f', file, ...options]);
  return execFileSync('cat', [`${file}.pub`], { encoding: 'utf8' }).trim();
}

/** Real git signs with that key, or not at all, as somebody. */
async function signs(key: string | null, email: string): Promise<void> {
  vi.stubEnv('GIT_COMMITTER_EMAIL', email);
  const settings = {
    'gpg.format': 'ssh',
    'user.signingkey': join(forge.directory, `${key}.pub`),
    'commit.gpgsign': String(key !== null),
  };
  for (const [name, value] of Object.entries(settings)) await forge.git(forge.clone, 'config', name, value);
}

let count = 0;

/** A commit on a branch, which is made where it is not there. */
async function commitNow(branch = 'signed'): Promise<string> {
  count += 1;
  const known = await forge.tryGit(forge.clone, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  return forge.commit(branch, { 'a.yaml': `a: ${count}\n` }, known.ok ? {} : { from: 'origin/main' });
}

async function verdictOf(ref: string) {
  const { data } = await forge.bob.rest.repos.getCommit({ ...REPO, ref });
  const { data: same } = await forge.bob.rest.git.getCommit({ ...REPO, commit_sha: ref });
  expect(same.verification).toEqual(data.commit.verification);
  return data.commit.verification!;
}

/** A commit made through the API by hand. */
async function made(signature: string, email: string) {
  const { data: head } = await forge.bob.rest.repos.getCommit({ ...REPO, ref: 'main' });
  const author = { name: 'Bob', email, date: '2026-01-01T00:00:00Z' };
  const tree = head.commit.tree.sha;
  const { data } = await forge.bob.rest.git.createCommit({
    ...REPO,
    message: 'By hand',
    tree,
    parents: [head.sha],
    author,
    signature,
  });
  return data.verification;
}

describe('signatures by SSH keys', { tags: ['ssh-keygen'] }, () => {
  test('count where the committer has the key, and say why not otherwise', async () => {
    const bob = await addressOf('bob');
    await signs(null, bob);
    expect(await verdictOf(await commitNow())).toEqual({
      verified: false,
      reason: 'unsigned',
      signature: null,
      payload: null,
      verified_at: null,
    });

    const key = makeKey('bob', '-t', 'ed25519');
    await signs('bob', bob);
    const early = await commitNow();
    expect(await verdictOf(early)).toMatchObject({ verified: false, reason: 'unknown_key' });
    const { data } = await forge.bob.rest.users.createSshSigningKeyForAuthenticatedUser({
      title: 'laptop',
      key,
    });
    const verdict = await verdictOf(early);
    expect(verdict).toMatchObject({ verified: true, reason: 'valid' });
    expect(verdict.signature).toMatch(/^-----BEGIN SSH SIGNATURE-----\n/);
    expect(verdict.payload).toMatch(/^tree [0-9a-f]{40}\nparent [^]*\n\nChange signed\n$/);
    expect(Date.parse(verdict.verified_at!)).not.toBeNaN();

    await signs('bob', 'nobody@example.com');
    expect(await verdictOf(await commitNow())).toMatchObject({ verified: false, reason: 'no_user' });
    await signs('bob', await addressOf('alice'));
    expect(await verdictOf(await commitNow())).toMatchObject({ verified: false, reason: 'bad_email' });

    expect(await made(verdict.signature!, bob)).toMatchObject({ verified: false, reason: 'invalid' });
    const broken = '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----';
    expect(await made(broken, bob)).toMatchObject({ reason: 'malformed_signature' });
    const other = '-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----';
    expect(await made(other, bob)).toMatchObject({ reason: 'unknown_signature_type' });

    const listed = await forge.alice.rest.users.listSshSigningKeysForUser({ username: 'bob' });
    expect(listed.data).toEqual([{ id: data.id, title: 'laptop', key, created_at: data.created_at }]);
    const again = await refused(
      forge.eve.rest.users.createSshSigningKeyForAuthenticatedUser({ title: 'his', key }),
    );
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('key is already in use')]);
    const one = { ssh_signing_key_id: data.id };
    expect((await refused(forge.eve.rest.users.deleteSshSigningKeyForAuthenticatedUser(one))).status).toBe(
      404,
    );
    await forge.bob.rest.users.deleteSshSigningKeyForAuthenticatedUser(one);
    expect(await verdictOf(early)).toMatchObject({ verified: false, reason: 'unknown_key' });
  });

  test.each([
    ['rsa', '2048'],
    ['ecdsa', '256'],
    ['ecdsa', '521'],
  ])('are read of %s keys with %s bits, of commits and of tags', async (kind, bits) => {
    const name = `${kind}-${bits}`;
    const key = makeKey(name, '-t', kind, '-b', bits);
    await forge.bob.rest.users.createSshSigningKeyForAuthenticatedUser({ title: name, key });
    await signs(name, await addressOf('bob'));
    const sha = await commitNow();
    expect(await verdictOf(sha)).toMatchObject({ verified: true, reason: 'valid' });
    await forge.git(forge.clone, 'tag', '-s', '-m', `As ${name}`, name);
    await forge.git(forge.clone, 'push', '-q', 'origin', name);
    const tag_sha = (await forge.git(forge.clone, 'rev-parse', name)).trim();
    const { data } = await forge.bob.rest.git.getTag({ ...REPO, tag_sha });
    expect(data.verification).toMatchObject({ verified: true, reason: 'valid' });
  });

  test('a ruleset that demands them refuses the first commit without one, in GitHub’s words', async () => {
    await forge.alice.rest.repos.createRepoRuleset({
      ...REPO,
      name: 'signed',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/kept'], exclude: [] } },
      rules: [{ type: 'required_signatures' }],
    });
    const key = makeKey('again', '-t', 'ed25519');
    await forge.bob.rest.users.createSshSigningKeyForAuthenticatedUser({ title: 'again', key });
    await signs('again', await addressOf('bob'));
    await commitNow('kept');
    await signs(null, await addressOf('bob'));
    const push = commitNow('kept');
    await expect(push).rejects.toThrow(
      /GH013: Repository rule violations found for refs\/heads\/kept\.[^]*Commits must have verified signatures\.[^]*Found 1 violation:[^]*[0-9a-f]{40}/,
    );
  });
});

test('what the App makes through the API without an author is signed by the forge', async () => {
  const { data: head } = await forge.bob.rest.repos.getCommit({ ...REPO, ref: 'main' });
  const tree = head.commit.tree.sha;
  const { data } = await forge.app.rest.git.createCommit({
    ...REPO,
    message: 'x',
    tree,
    parents: [head.sha],
  });
  expect(data.verification).toMatchObject({ verified: true, reason: 'valid' });
  expect(data.verification.payload).toMatch(/^tree /);
});
