import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { portico, scratch } from './run-portico.ts';

/** What is typed, or stands in a file, is neither said again nor written anywhere. */
const SECRET = 'topsecret123';

const KPTFILE = (repo: string): string => `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: { name: web }
upstream:
  type: git
  git: { repo: '${repo}', directory: /web, ref: web/v1 }
upstreamLock:
  type: git
  git: { repo: '${repo}', directory: /web, ref: web/v1, commit: ${'a'.repeat(40)} }
`;

describe('credentials in addresses', () => {
  test.each([
    `https://user:${SECRET}@127.0.0.1:1/acme/x.git/web@v1`,
    `https://${SECRET}@127.0.0.1:1/acme/x.git/web@v1`,
    `https://127.0.0.1:1/acme/x.git/web?access_token=${SECRET}`,
    `ssh://git:${SECRET}@127.0.0.1:1/acme/x.git/web@v1`,
  ])('portico get %j is refused, and does not repeat it', async (address) => {
    using dir = scratch();
    for (const options of [[], ['--json']]) {
      const { code, stdout, stderr } = await portico(['get', address, 'web', ...options], {
        cwd: dir.path('.'),
      });
      expect(code).toBe(64);
      expect(stderr).toContain('user name, password or token, which would be written into the Kptfile');
      expect(`${stdout}${stderr}`).not.toContain(SECRET);
    }
    expect(existsSync(dir.path('web'))).toBe(false);
  });

  test('portico update of a Kptfile that holds one is refused, and the file stays as it is', async () => {
    using dir = scratch();
    const kptfile = KPTFILE(`https://user:${SECRET}@127.0.0.1:1/acme/x`);
    dir.write({ 'web/Kptfile': kptfile });
    const { code, stdout, stderr } = await portico(['update', 'web@web/v2'], { cwd: dir.path('.') });
    expect(code).toBe(65);
    expect(stderr).toContain('upstream.git.repo contains a user name, password or token');
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
    expect(readFileSync(dir.path('web/Kptfile'), 'utf8')).toBe(kptfile);
  });

  test('portico check names the place, not the credential', async () => {
    using dir = scratch();
    dir.write({ 'web/Kptfile': KPTFILE(`https://user:${SECRET}@127.0.0.1:1/acme/x`) });
    const { code, stdout, stderr } = await portico(['check', 'web'], { cwd: dir.path('.') });
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('upstreamLock.git.repo contains a user name, password or token');
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
  });

  test('words that are in the way are told without it', async () => {
    const address = `https://user:${SECRET}@127.0.0.1:1/acme/x.git`;
    const { code, stdout, stderr } = await portico(['draft', 'copy', 'a', address, '--json']);
    expect(code).toBe(64);
    expect(stderr).toContain('https://***@127.0.0.1:1/acme/x.git');
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
  });
});
