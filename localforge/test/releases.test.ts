import { afterAll, beforeAll, expect, test } from 'vitest';

import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeAll(async () => {
  forge = await collaboration();
});
afterAll(() => closeClean(forge));

test('a release of an absent tag makes the tag', async () => {
  forge.hooks();
  const { data } = await forge.app.rest.repos.createRelease({
    ...REPO,
    tag_name: 'app/v1',
    name: 'app v1',
    body: 'First',
  });
  expect(data).toMatchObject({
    tag_name: 'app/v1',
    draft: false,
    target_commitish: 'main',
    author: { login: 'local-app[bot]' },
  });
  const tags = await forge.git(forge.clone, 'ls-remote', 'origin', 'refs/tags/*');
  expect(tags).toContain('refs/tags/app/v1');
  expect(names(forge.hooks())).toEqual([
    'create',
    'push',
    'release.created',
    'release.published',
    'release.released',
  ]);
  const again = forge.bob.rest.repos.createRelease({ ...REPO, tag_name: 'app/v1' });
  expect((await refused(again)).text).toContain('already_exists');
  const nowhere = forge.bob.rest.repos.createRelease({
    ...REPO,
    tag_name: 'x/v1',
    target_commitish: 'nowhere',
  });
  expect((await refused(nowhere)).status).toBe(422);
});

test('releases are found by tag, by number and as the latest', async () => {
  await forge.bob.rest.repos.createRelease({ ...REPO, tag_name: 'app/v2' });
  await forge.bob.rest.repos.createRelease({ ...REPO, tag_name: 'app/v3-rc', prerelease: true });
  const { data } = await forge.eve.rest.repos.getReleaseByTag({ ...REPO, tag: 'app/v2' });
  expect((await forge.eve.rest.repos.getRelease({ ...REPO, release_id: data.id })).data.tag_name).toBe(
    'app/v2',
  );
  expect((await forge.eve.rest.repos.getLatestRelease(REPO)).data.tag_name).toBe('app/v2');
  const all = (await forge.eve.rest.repos.listReleases(REPO)).data;
  expect(all.map((release) => release.tag_name)).toEqual(['app/v3-rc', 'app/v2', 'app/v1']);
  expect((await refused(forge.eve.rest.repos.getReleaseByTag({ ...REPO, tag: 'absent' }))).status).toBe(404);
});

test('a draft is hidden from readers until it is published', async () => {
  const { data } = await forge.bob.rest.repos.createRelease({ ...REPO, tag_name: 'app/v4', draft: true });
  const one = { ...REPO, release_id: data.id };
  expect((await refused(forge.eve.rest.repos.getRelease(one))).status).toBe(404);
  expect((await refused(forge.bob.rest.repos.getReleaseByTag({ ...REPO, tag: 'app/v4' }))).status).toBe(404);
  expect(await forge.git(forge.clone, 'ls-remote', 'origin', 'refs/tags/app/v4')).toBe('');
  forge.hooks();
  await forge.bob.rest.repos.updateRelease({ ...one, draft: false, body: 'Now' });
  const sent = names(forge.hooks());
  expect(sent).toEqual(['create', 'push', 'release.edited', 'release.published', 'release.released']);
  expect((await forge.eve.rest.repos.getRelease(one)).data.body).toBe('Now');
  await forge.bob.rest.repos.deleteRelease(one);
  expect(names(forge.hooks())).toEqual(['release.deleted']);
  expect((await refused(forge.eve.rest.repos.getRelease(one))).status).toBe(404);
  expect((await refused(forge.eve.rest.repos.createRelease({ ...REPO, tag_name: 'x' }))).status).toBe(404);
});

test('notes name the pull requests that were merged', async () => {
  await forge.commit('work', { 'w.yaml': 'a: 1\n' }, { from: 'main' });
  const pull = await forge.bob.rest.pulls.create({ ...REPO, title: 'Add work', head: 'work', base: 'main' });
  await forge.bob.rest.pulls.merge({ ...REPO, pull_number: pull.data.number });
  const notes = await forge.bob.rest.repos.generateReleaseNotes({
    ...REPO,
    tag_name: 'app/v5',
    previous_tag_name: 'app/v2',
  });
  expect(notes.data.body).toContain(`* Add work by @bob in `);
  const release = await forge.bob.rest.repos.createRelease({
    ...REPO,
    tag_name: 'app/v5',
    generate_release_notes: true,
  });
  expect(release.data.body).toContain('Add work');
});
