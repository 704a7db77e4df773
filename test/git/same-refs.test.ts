import { expect, test } from 'vitest';

import { useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();

async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = at.server.requests.length;
  await work();
  return at.server.requests.slice(before).map((line) => line.replace(/repo-\d+/, 'repo'));
}

const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;

const ASKED = 'POST /repo.git/git-upload-pack';

test('a fetch that brings nothing is one question, and git is started for whatever moved', async () => {
  const first = seed(at.origin, { x: '1' });
  git(at.origin, ['tag', '-a', '-m', 'app/v1', 'app/v1', first]);
  git(at.origin, ['update-ref', 'refs/portico/published/app/v1', first]);
  git(at.origin, ['update-ref', 'refs/pull/1/head', first]);
  const mirror = await at.open();
  expect(await requestsOf(() => mirror.fetch())).toEqual([ASKED]);
  git(at.origin, ['pack-refs', '--all']);
  expect(await requestsOf(() => mirror.fetch())).toEqual([ASKED]);

  const moves: (readonly string[])[] = [
    ['update-ref', 'refs/heads/drafts/a', first],
    ['update-ref', 'refs/portico/published/app/v2', first],
    ['update-ref', '-d', 'refs/tags/app/v1'],
    // As many as before, and another id.
    ['tag', '-a', '-f', '-m', 'Again', 'other', first],
    ['tag', '-f', 'other', first],
  ];
  for (const move of moves) {
    git(at.origin, move);
    let moved: ReadonlyMap<string, unknown> = new Map();
    const asked = await requestsOf(async () => (moved = await mirror.fetch()));
    expect([move, moved.size, asked[1]]).toEqual([
      move,
      1,
      'GET /repo.git/info/refs?service=git-upload-pack',
    ]);
    expect(await requestsOf(() => mirror.fetch())).toEqual([ASKED]);
  }
});

test('whatever else is answered, git asks again', async () => {
  const first = seed(at.origin, { x: '1' });
  const mirror = await at.open();
  const right = line(`${first} refs/heads/main\n`);
  const type = 'application/x-git-upload-pack-result';
  const answers: (readonly [status: number, type: string, body: string])[] = [
    [200, type, ''],
    [200, type, right],
    [200, type, `${right}0000${right}`],
    [200, type, `${line('ERR no')}0000`],
    [200, type, `ffff${first}`],
    [200, type, `0001${right}0000`],
    [200, 'text/html', `${right}0000`],
    [302, type, `${right}0000`],
    [500, type, `${right}0000`],
  ];
  for (const answer of answers) {
    const [status, contentType, body] = answer;
    let times = 0;
    at.server.intercept = ({ method }, response) => {
      if (method !== 'POST' || (times += 1) > 1) return false;
      response.writeHead(status, { 'content-type': contentType, location: at.url }).end(body);
      return true;
    };
    const asked = await requestsOf(() => mirror.fetch());
    expect([answer, asked]).toEqual([
      answer,
      [ASKED, 'GET /repo.git/info/refs?service=git-upload-pack', ASKED],
    ]);
  }
  at.server.intercept = undefined;
  at.server.token = 'ghs_other';
  await expect(mirror.fetch()).rejects.toMatchObject({ code: 'GIT_AUTH' });
  const question = AbortSignal.abort(new Error('enough'));
  await expect(mirror.fetch({}, question)).rejects.toThrow('enough');
});

test('where the question does not get through it is not asked again for a while', async () => {
  seed(at.origin, { x: '1' });
  const mirror = await at.open();
  at.server.intercept = ({ method }, response) => {
    if (method !== 'POST') return false;
    response.destroy();
    return true;
  };
  await expect(mirror.fetch()).rejects.toMatchObject({ code: 'GIT_UNREACHABLE' });
  at.server.intercept = undefined;
  const asked = await requestsOf(() => mirror.fetch());
  expect(asked).toEqual(['GET /repo.git/info/refs?service=git-upload-pack', ASKED]);
});
