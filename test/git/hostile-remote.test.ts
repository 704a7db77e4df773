import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { createMirrors } from '../../src/bot/mirrors.ts';
import { remoteLogin } from '../../src/fetching/credentials.ts';
import type { Mirror, RefusedToken } from '../../src/git/mirror-types.ts';
import { openMirror } from '../../src/git/mirror.ts';
import { gitReach } from '../../src/network/git-reach.ts';
import { parseInsideHosts } from '../../src/network/inside-host.ts';
import { createOutsideFetch } from '../../src/network/outside-fetch.ts';
import { BOT, file, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;

describe('the remote is not trusted', () => {
  test('a refused token is told of, and the one tried that comes after it, while there is one', async () => {
    seed(at.origin, { x: '1' });
    const asked: (RefusedToken | undefined)[] = [];
    const token = (refused?: RefusedToken): Promise<string> => {
      asked.push(refused);
      return Promise.resolve(refused?.times === 2 ? 'ghs_secret' : 'ghs_expired');
    };
    mirror = await openMirror({ dir: join(at.scratch, at.name), url: at.url, protocols: ['http'], token });
    at.closeLater(mirror);
    const refused = { token: 'ghs_expired', status: 401 };
    expect(asked).toEqual([undefined, { ...refused, times: 1 }, { ...refused, times: 2 }]);
    expect(await mirror.resolve('main')).not.toBeNull();
  });

  test('a wrong token is an error that does not tell it, and leaves nothing behind', async () => {
    const error = await at.open({ token: 'ghs_wrong' }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'GIT_AUTH', blame: 'forge' });
    const told = `${(error as Error).message}${(error as Error).stack}`;
    expect(told).not.toContain('ghs_wrong');
    expect(told).not.toContain(Buffer.from('x-access-token:ghs_wrong').toString('base64'));
    expect(readdirSync(at.scratch).filter((name) => name.startsWith(at.name))).toEqual([]);
  });

  test('the token is nowhere on disk', async () => {
    seed(at.origin, { x: '1' });
    mirror = await at.open();
    for (const entry of readdirSync(mirror.dir, { recursive: true, withFileTypes: true })) {
      expect(entry.name).not.toContain('ghs_');
    }
    expect(git(mirror.dir, ['config', '--list'])).not.toMatch(/secret|extraheader|x-access-token|@/i);
  });

  test('more than a mirror may hold is broken off, and what was there stays', async () => {
    const small = seed(at.origin, { x: '1' });
    const limited = { maxBytes: 1_000_000 };
    mirror = await at.open(limited);
    seed(at.origin, { large: randomBytes(1_500_000).toString('base64') });
    for (let time = 0; time < 2; time += 1) {
      await expect(mirror.fetch()).rejects.toMatchObject({
        code: 'GIT_TOO_LARGE',
        message: 'the repository is larger than 1 MB',
      });
    }
    expect(await mirror.commit(small)).toMatchObject({ oid: small });
    await mirror[Symbol.asyncDispose]();
    rmSync(mirror.dir, { recursive: true });
    await expect(at.open(limited)).rejects.toMatchObject({ code: 'GIT_TOO_LARGE' });
    expect(readdirSync(at.scratch).filter((name) => name.startsWith(at.name))).toEqual([]);
  });

  test('a missing repository', async () => {
    await expect(at.open({ url: `${at.server.url}/none.git` })).rejects.toMatchObject({
      code: 'GIT_NOT_FOUND',
    });
  });

  test.each([
    'ext::sh -c id',
    'file:///etc',
    '/etc',
    'ssh://git@example.com/x',
    'git@example.com:x/y.git',
    '--upload-pack=id',
    'https://user:password@example.com/x.git',
  ])('the URL %j is refused', async (bad) => {
    await expect(at.open({ url: bad })).rejects.toMatchObject({ code: 'INVALID_URL' });
  });

  test('http is refused where the forge is on https', async () => {
    const opening = openMirror({ dir: join(at.scratch, at.name), url: at.url });
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_URL' });
  });

  test('a redirect is not followed', async () => {
    const reached: string[] = [];
    at.server.intercept = (request, response) => {
      if (request.url?.startsWith('/elsewhere')) reached.push(request.url);
      response
        .writeHead(302, { location: `${at.server.url}/elsewhere/info/refs?service=git-upload-pack` })
        .end();
      return true;
    };
    await expect(at.open()).rejects.toMatchObject({ blame: 'forge' });
    expect(reached).toEqual([]);
  });

  describe('a host that somebody else named', () => {
    const inside = [{ address: '127.0.0.1', family: 4 }];
    const resolve = (): Promise<typeof inside> => Promise.resolve(inside);
    const judged = gitReach(createOutsideFetch({ resolve: (_name, done) => done(null, inside) }), {
      resolve,
    });

    test('is not connected to where its name leads into an internal network', async () => {
      const mirrors = createMirrors({
        directory: join(at.scratch, 'mirrors'),
        gitUrl: 'https://forge.example.com',
        maxOutside: 1_000_000,
        reach: judged,
        tokenFor: () => Promise.resolve(null),
        credentialsOf: () => () => ({ username: 'robot', password: 's3cret' }),
      });
      const { port } = new URL(at.url);
      const opening = mirrors.openAddress(`https://upstream.example.com:${port}/${at.name}.git`);
      await expect(opening).rejects.toMatchObject({
        code: 'ADDRESS_REFUSED',
        message: expect.stringContaining('leads into an internal network') as string,
      });
      await mirrors.close();
    });

    test('is connected to where it was judged to be, whatever its name leads to by then', async () => {
      const commit = seed(at.origin, { x: '1' });
      at.server.token = undefined;
      // No resolver knows the name.
      const url = at.url.replace('127.0.0.1', 'upstream.example.invalid');
      const asked: string[] = [];
      const reach = {
        ...judged,
        addresses: ({ host }: URL): Promise<readonly string[]> => {
          asked.push(host);
          return Promise.resolve(['127.0.0.1']);
        },
      };
      mirror = await openMirror({ dir: join(at.scratch, at.name), url, protocols: ['http'], reach });
      at.closeLater(mirror);
      expect(await mirror.resolve('main')).toBe(commit);
      const before = asked.length;
      await mirror.remoteRefs();
      expect(asked.slice(before)).toEqual([new URL(url).host]);
    });

    test('is read with the credential that is for it, which goes nowhere else and is told to nobody', async () => {
      const commit = seed(at.origin, { x: '1' });
      const secret = Buffer.from('robot:s3cret-s3cret').toString('base64');
      const sent: (string | undefined)[] = [];
      let moved: string | undefined;
      at.server.token = undefined;
      at.server.intercept = ({ headers: { authorization } }, response) => {
        sent.push(authorization);
        if (authorization !== `Basic ${secret}`) {
          response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
          return true;
        }
        if (moved === undefined) return false;
        response.writeHead(301, { location: `${moved}/info/refs?service=git-upload-pack` }).end();
        return true;
      };
      const reach = { ...judged, addresses: () => Promise.resolve(['127.0.0.1']) };
      const url = at.url.replace('127.0.0.1', 'upstream.example.invalid');
      const options = { url, protocols: ['http'] as const, moves: 'told' as const, reach };
      const open = async (name: string, password: string): Promise<Mirror> => {
        const opened = await openMirror({
          ...options,
          dir: join(at.scratch, `${at.name}-${name}`),
          ...remoteLogin(() => ({ username: 'robot', password })),
        });
        at.closeLater(opened);
        return opened;
      };
      mirror = await open('right', 's3cret-s3cret');
      expect(await mirror.resolve('main')).toBe(commit);
      await mirror.fetch();
      for (const entry of readdirSync(mirror.dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const held = readFileSync(join(entry.parentPath, entry.name), 'latin1');
        expect(held).not.toMatch(/s3cret|extraheader|robot/i);
        expect(held).not.toContain(secret);
      }

      sent.length = 0;
      const error = await open('wrong', 'an0ther-s3cret').catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'GIT_AUTH' });
      const wrong = Buffer.from('robot:an0ther-s3cret').toString('base64');
      expect(sent).toContain(`Basic ${wrong}`);
      expect(`${String(error)} ${(error as Error).stack ?? ''}`).not.toMatch(
        new RegExp(`an0ther|${wrong.replaceAll('+', '.')}`),
      );

      // Another server, for what a redirect leads to.
      const elsewhere: (string | undefined)[] = [];
      const other = createServer((request, response) => {
        elsewhere.push(request.headers.authorization);
        response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      moved = `http://127.0.0.1:${(other.address() as AddressInfo).port}/a/b`;
      await expect(mirror.fetch()).rejects.toMatchObject({ code: 'GIT_NOT_FOUND' });
      expect(elsewhere).toEqual([]);
      other.close();
    });

    test('that moved and needs a credential is asked with it where it went', async () => {
      at.server.intercept = ({ headers }, response) => {
        if (headers.authorization === undefined) response.writeHead(401).end();
        else response.writeHead(301, { location: '/a/b/info/refs?service=git-upload-pack' }).end();
        return true;
      };
      const fetch = createOutsideFetch({ inside: parseInsideHosts(at.server.url) });
      const opening = openMirror({
        dir: join(at.scratch, at.name),
        url: at.url,
        protocols: ['http'],
        moves: 'told',
        reach: { ...gitReach(fetch, {}), addresses: () => Promise.resolve([]) },
        ...remoteLogin(() => ({ username: 'robot', password: 's3cret' })),
      });
      await expect(opening).rejects.toMatchObject({
        code: 'GIT_MOVED',
        cause: { movedTo: `${at.server.url}/a/b` },
      });
    });

    test('is asked by the same way where it leads to, without a word of ours to hosts inside', async () => {
      at.server.intercept = (_request, response) => {
        response.writeHead(301, { location: '/a/b/info/refs?service=git-upload-pack' }).end();
        return true;
      };
      const before = at.server.requests.length;
      const reach = { ...judged, addresses: () => Promise.resolve([]) };
      const options = { dir: join(at.scratch, at.name), url: at.url, protocols: ['http'] as const };
      await expect(openMirror({ ...options, moves: 'told', reach })).rejects.toMatchObject({
        code: 'GIT_NOT_FOUND',
      });
      // Git's own question alone.
      expect(at.server.requests.slice(before)).toHaveLength(1);
    });
  });

  test('hooks, filters and monitors of the mirror are not run', async () => {
    const commit = seed(at.origin, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', x: '1\n' });
    mirror = await at.open();
    const mark = join(at.scratch, `ran-${at.name}`);
    const run = `touch ${mark}`;
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'diff.evil.command',
      'merge.evil.driver',
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'uploadpack.packObjectsHook',
    ]) {
      git(mirror.dir, ['config', key, run]);
    }
    for (const hook of ['reference-transaction', 'pre-push', 'post-update', 'pre-auto-gc', 'post-checkout']) {
      git(mirror.dir, ['config', 'core.hooksPath', join(mirror.dir, 'hooks')]);
      mkdirSync(join(mirror.dir, 'hooks'), { recursive: true });
      writeFileSync(join(mirror.dir, 'hooks', hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
      seed(at.origin, { y: hook });
      await mirror.fetch();
      const tree = await mirror.writeTree('refs/heads/main', new Map([['x', file(`${hook}\n`)]]));
      const main = (await mirror.resolve('main'))!;
      const next = await mirror.commitTree({ tree, parents: [main], message: 'x\n', committer: BOT });
      expect(await mirror.push([{ ref: 'refs/heads/main', to: next, expect: main }])).toMatchObject({
        ok: true,
      });
      await mirror.mergeTrees(commit, next);
      await mirror.changedPaths(commit, next);
    }
    expect(existsSync(mark)).toBe(false);
  });
});
