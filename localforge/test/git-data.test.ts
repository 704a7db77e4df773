import { execFileSync } from 'node:child_process';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
let root: string;
const repo = { owner: 'acme', repo: 'open' };
const status = (code: number) => expect.objectContaining({ status: code });

beforeAll(async () => {
  box = await testForge();
  const made = await box.as('alice-token').rest.repos.createOrUpdateFileContents({
    ...repo,
    path: 'a/x.yaml',
    message: 'Root',
    content: Buffer.from('1\n2\n3\n').toString('base64'),
  });
  root = made.data.commit.sha!;
});
afterAll(() => box[Symbol.asyncDispose]());

/** A commit on top of `parent` that sets files (null removes), by the API. */
async function commit(
  parent: string,
  files: Record<string, string | null>,
  message = 'Change',
): Promise<string> {
  const { rest } = box.as('alice-token');
  const base = (await rest.git.getCommit({ ...repo, commit_sha: parent })).data.tree.sha;
  const tree = await rest.git.createTree({
    ...repo,
    base_tree: base,
    tree: Object.entries(files).map(([path, content]) =>
      content === null
        ? { path, mode: '100644' as const, type: 'blob' as const, sha: null }
        : { path, mode: '100644' as const, type: 'blob' as const, content },
    ),
  });
  const made = await rest.git.createCommit({ ...repo, message, tree: tree.data.sha, parents: [parent] });
  return made.data.sha;
}

describe('objects', () => {
  test('have the ids that git gives them', async () => {
    const { rest } = box.as('alice-token');
    const blob = await rest.git.createBlob({ ...repo, content: 'aGkK', encoding: 'base64' });
    expect(blob.data.sha).toBe(
      execFileSync('git', ['hash-object', '--stdin'], { input: 'hi\n' }).toString().trim(),
    );
    const sha = await commit(root, { 'a/y.yaml': 'y\n', 'b/c/z': 'z\n', 'b-c': 'sorted\n' });
    const clone = `${box.directory}/objects`;
    await rest.git.createRef({ ...repo, ref: 'refs/heads/objects', sha });
    await box.git(box.directory, 'clone', '-q', '-b', 'objects', `${box.forge.gitUrl}/acme/open`, clone);
    await box.git(clone, 'fsck', '--strict');
    expect((await box.git(clone, 'rev-parse', 'HEAD')).trim()).toBe(sha);
    const tree = await rest.git.getTree({ ...repo, tree_sha: sha, recursive: '1' });
    const listed = await box.git(clone, 'ls-tree', '-r', '-t', '--name-only', 'HEAD');
    expect(tree.data.tree.map((entry) => entry.path).toSorted()).toEqual(
      listed.trim().split('\n').toSorted(),
    );
    const removed = await commit(sha, { 'b/c/z': null });
    const after = await rest.git.getTree({ ...repo, tree_sha: removed, recursive: '1' });
    expect(after.data.tree.map((entry) => entry.path)).toEqual(['a', 'a/x.yaml', 'a/y.yaml', 'b-c']);
  });

  test('are refused when they name what is not there', async () => {
    const { rest } = box.as('alice-token');
    const nothing = '1'.repeat(40);
    await expect(
      rest.git.createTree({ ...repo, tree: [{ path: 'x', mode: '100644', sha: nothing }] }),
    ).rejects.toEqual(status(422));
    for (const path of ['../x', 'x\0y']) {
      await expect(
        rest.git.createTree({ ...repo, tree: [{ path, mode: '100644', content: '' }] }),
      ).rejects.toEqual(status(422));
    }
    await expect(rest.git.createCommit({ ...repo, message: 'x', tree: nothing })).rejects.toEqual(
      status(422),
    );
    await expect(rest.git.createRef({ ...repo, ref: 'refs/heads/x', sha: nothing })).rejects.toEqual(
      status(422),
    );
    await expect(rest.git.getBlob({ ...repo, file_sha: nothing })).rejects.toEqual(status(404));
  });

  test('an annotated tag keeps its message, and lists under its commit', async () => {
    const { rest } = box.as('alice-token');
    const message = 'pkg v1\n\nPortico-Digest: abc\n';
    const tag = await rest.git.createTag({ ...repo, tag: 'pkg/v1', message, object: root, type: 'commit' });
    await rest.git.createRef({ ...repo, ref: 'refs/tags/pkg/v1', sha: tag.data.sha });
    expect((await rest.git.getTag({ ...repo, tag_sha: tag.data.sha })).data.message).toBe(message.trimEnd());
    const tags = (await rest.repos.listTags(repo)).data;
    expect(tags).toMatchObject([{ name: 'pkg/v1', commit: { sha: root } }]);
    expect((await rest.repos.getCommit({ ...repo, ref: 'pkg/v1' })).data.sha).toBe(root);
  });
});

describe('refs', () => {
  test('are made once, move forward, and go only when they are there', async () => {
    const { rest } = box.as('alice-token');
    const next = await commit(root, { 'a/x.yaml': '1\n2\nthree\n' });
    const side = await commit(root, { side: 's\n' });
    const ref = 'heads/drafts/pkg/w1';
    await rest.git.createRef({ ...repo, ref: `refs/${ref}`, sha: root });
    await expect(rest.git.createRef({ ...repo, ref: `refs/${ref}`, sha: root })).rejects.toEqual(status(422));
    await expect(rest.git.createRef({ ...repo, ref: 'refs/heads/drafts', sha: root })).rejects.toEqual(
      status(422),
    );
    await rest.git.updateRef({ ...repo, ref, sha: next });
    await expect(rest.git.updateRef({ ...repo, ref, sha: side })).rejects.toEqual(status(422));
    expect((await rest.git.getRef({ ...repo, ref })).data.object.sha).toBe(next);
    await rest.git.updateRef({ ...repo, ref, sha: side, force: true });
    const matching = await rest.git.listMatchingRefs({ ...repo, ref: 'heads/drafts/pk' });
    expect(matching.data.map((one) => one.ref)).toEqual([`refs/${ref}`]);
    await rest.git.deleteRef({ ...repo, ref });
    await expect(rest.git.deleteRef({ ...repo, ref })).rejects.toEqual(status(422));
    await expect(rest.git.getRef({ ...repo, ref })).rejects.toEqual(status(404));
    await expect(rest.git.deleteRef({ ...repo, ref: 'heads/main' })).rejects.toEqual(status(422));
  });

  test.each([
    'refs/heads/a b',
    'refs/heads/../x',
    'main',
    'refs/pull/1/head',
    'refs/heads/x.lock',
    'refs/heads/-x\n',
  ])('refuse the name %j', async (ref) => {
    await expect(box.as('alice-token').rest.git.createRef({ ...repo, ref, sha: root })).rejects.toEqual(
      status(422),
    );
  });
});

describe('commits and comparisons', () => {
  test('show what changed', async () => {
    const { rest } = box.as('alice-token');
    const next = await commit(root, { 'a/x.yaml': '1\n2\n3\n4\n', 'new.bin': '\u0000\u0001' });
    const side = await commit(root, { 'a/x.yaml': null, 'b/x.yaml': '1\n2\n3\n' }, 'Move');
    const one = (await rest.repos.getCommit({ ...repo, ref: next })).data;
    expect(one.stats).toEqual({ total: 1, additions: 1, deletions: 0 });
    expect(one.author).toMatchObject({ login: 'alice' });
    expect(one.files).toMatchObject([
      { filename: 'a/x.yaml', status: 'modified', additions: 1, patch: '@@ -1,3 +1,4 @@\n 1\n 2\n 3\n+4' },
      { filename: 'new.bin', status: 'added' },
    ]);
    expect(one.files![1]).not.toHaveProperty('patch');
    const moved = (await rest.repos.getCommit({ ...repo, ref: side })).data;
    expect(moved.files).toMatchObject([
      { status: 'renamed', filename: 'b/x.yaml', previous_filename: 'a/x.yaml', changes: 0 },
    ]);

    const three = (await rest.repos.compareCommitsWithBasehead({ ...repo, basehead: `${side}...${next}` }))
      .data;
    expect(three).toMatchObject({
      status: 'diverged',
      ahead_by: 1,
      behind_by: 1,
      merge_base_commit: { sha: root },
    });
    expect(three.files!.map((file) => file.filename)).toEqual(['a/x.yaml', 'new.bin']);
    const two = (await rest.repos.compareCommitsWithBasehead({ ...repo, basehead: `${side}..${next}` })).data;
    expect(two.files!.map((file) => [file.filename, file.status])).toEqual([
      ['a/x.yaml', 'renamed'],
      ['new.bin', 'added'],
    ]);
    const diff = await rest.repos.compareCommitsWithBasehead({
      ...repo,
      basehead: `main...${next}`,
      mediaType: { format: 'diff' },
    });
    expect(diff.data as unknown as string).toMatch(/^diff --git a\/a\/x.yaml/);
    const listed = (await rest.repos.listCommits({ ...repo, sha: next, path: 'new.bin' })).data;
    expect(listed.map((entry) => entry.sha)).toEqual([next]);
    await expect(rest.repos.getCommit({ ...repo, ref: 'nothing' })).rejects.toEqual(status(422));
    await expect(
      rest.repos.compareCommitsWithBasehead({ ...repo, basehead: 'main...nothing' }),
    ).rejects.toEqual(status(404));
  });
});
