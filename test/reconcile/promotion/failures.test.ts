// @module-tag story
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/**
 * What goes wrong with channels. Told elsewhere: two promotions at once, a file that becomes invalid and a withdrawal with open
 * updates in channels.test.ts; a crash between two tags, and after every other write, in test/e2e/crash-channels.test.ts.
 */
let stage: Stage;
let up: StageRepository;
let shop: StageRepository;

const run = promisify(execFile);
const PACKAGES = ['web', 'api'] as const;
const web = smallPackage('web', { data: { color: 'v0' } });

const fileOf = (name: string): string => `.github/portico/channels/${name}.yaml`;

function channels(name: string, stable: readonly string[], more = '- name: edge\n  members: [v1]\n'): string {
  return `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: ${name}
defaultChannel: candidate
channels:
- name: candidate
  auto: all
- name: stable
  members: [${stable.join(', ')}]
${more}`;
}

async function titles(): Promise<string[]> {
  return (await shop.pulls()).map(({ title }) => title).toSorted();
}

async function tagged(name: string): Promise<string | undefined> {
  const tags = await up.tags();
  const commit = tags.get(name);
  const folder = name.slice(0, name.lastIndexOf('/'));
  return [...tags].find(
    ([tag, other]) => tag.startsWith(`${folder}/`) && /\/v\d+$/.test(tag) && other === commit,
  )?.[0];
}

async function standing(): Promise<(string | null | undefined)[]> {
  const check = (await up.checks(await up.head('main'))).get('portico/channels');
  return [check?.conclusion, check?.output.title];
}

async function board(name: string): Promise<string> {
  await stage.dashboard(name);
  const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository(name).where);
  return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
}

beforeAll(async () => {
  const SPEC = 'branch: main\npublish: { requireApprovals: 0 }';
  stage = await startStage(
    {
      up: {
        spec: SPEC,
        private: false,
        collaborators: { bob: 'write', carol: 'maintain' },
        files: { ...below('web', web), ...below('api', smallPackage('api')) },
      },
      shop: { spec: `${SPEC}\nupdates: { follow: channel/stable }`, private: false },
    },
    { shares: true, watched: true },
  );
  [up, shop] = [stage.repository('up'), stage.repository('shop')];
  for (const revision of ['v1', 'v2', 'v3', 'v4']) {
    const files = PACKAGES.map((name) => [`${name}/config.yaml`, configMap(name, { color: revision })]);
    const commit = await up.push('main', Object.fromEntries(files));
    for (const name of PACKAGES) await up.tag(`${name}/${revision}`, commit);
  }
  await up.push('main', Object.fromEntries(PACKAGES.map((name) => [fileOf(name), channels(name, ['v1'])])));
  const tags = await up.tags();
  const clones = PACKAGES.map((name) => {
    const files = smallPackage(name, { data: { color: 'v1' } });
    const Kptfile = locked(files['Kptfile']!, up.url, name, `${name}/v1`, tags.get(`${name}/v1`)!);
    return below(name, { ...files, Kptfile });
  });
  await shop.push('main', Object.assign({}, ...clones));
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('what goes wrong with channels is put right, or told', () => {
  test('webhooks of a promotion are lost: the sweep does what they asked for, once', async () => {
    stage.forge.setAppWebhookUrl(null);
    await up.push('main', { [fileOf('web')]: channels('web', ['v1', 'v2']) });
    await stage.idle();
    expect([await tagged('web/stable'), await titles()]).toEqual(['web/v1', []]);
    await stage.stopBot();
    await stage.startBot();
    await stage.sweep();
    expect([await tagged('web/stable'), await titles()]).toEqual(['web/v2', ['Update web to upstream v2']]);
    // Said once more, nothing happens.
    expect(await stage.writesOf(() => stage.look('up'))).toEqual([]);
    expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
  });

  test('the tag of a channel is deleted or moved by hand: it is put back, and told', async () => {
    await up.git('update-ref', '-d', 'refs/tags/web/stable');
    await stage.look('up');
    expect(await tagged('web/stable')).toBe('web/v2');
    expect(await standing()).toEqual(['neutral', 'Put right: web/stable']);
    const found = (await up.checks(await up.head('main'))).get('portico/channels');
    expect(found?.output.summary).toContain('| `web/stable` | gone | `v2` |');
    await up.git('update-ref', 'refs/tags/web/stable', (await up.tags()).get('web/v4')!);
    await stage.look('up');
    expect(await tagged('web/stable')).toBe('web/v2');
  });

  test('git, and so Flux, and kpt fetch a channel as a ref', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-channel-'));
    try {
      const listed = (await run('git', ['ls-remote', up.url, 'refs/tags/web/stable'])).stdout;
      const commit = (await up.tags()).get('web/v2')!;
      expect(listed.trim()).toBe(`${commit}\trefs/tags/web/stable`);
      // As Flux does for a `GitRepository` with `ref.tag`, and for one with `ref.name`.
      for (const [at, args] of [
        ['tag', ['clone', '-q', '--depth=1', '--branch', 'web/stable', up.url, 'tag']],
        ['name', ['clone', '-q', '--no-checkout', up.url, 'name']],
      ] as const) {
        await run('git', [...args], { cwd: folder });
        const git = (...argv: string[]) => run('git', argv, { cwd: join(folder, at) });
        if (at === 'name') await git('fetch', '-q', '--depth=1', 'origin', 'refs/tags/web/stable');
        const head = (await git('rev-parse', at === 'name' ? 'FETCH_HEAD' : 'HEAD')).stdout;
        expect(head.trim()).toBe(commit);
      }
      const kpt = await run('kpt', ['version']).catch(() => null);
      if (kpt === null) process.stderr.write('SKIPPED: kpt is not installed.\n');
      else {
        await run('kpt', ['pkg', 'get', `${up.url}.git/web@stable`, 'web'], { cwd: folder });
        const Kptfile = readFileSync(join(folder, 'web', 'Kptfile'), 'utf8');
        expect(Kptfile).toMatch(new RegExp(`ref: web/stable\\n\\s+commit: ${commit}`));
        expect(readFileSync(join(folder, 'web', 'config.yaml'), 'utf8')).toContain('color: v2');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('the upstream cannot be reached: open updates stay, and its last state is told', async () => {
    const before = await shop.pulls();
    await up.push('main', { [fileOf('web')]: channels('web', ['v1', 'v2', 'v3']) });
    for (const answer of [502, 404]) {
      let refused = 0;
      await stage.watching(
        ({ path }) => {
          if (!path.startsWith('/repos/acme/up')) return undefined;
          refused += 1;
          return answer;
        },
        async () => {
          await stage.server().bot.sweep();
          await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(2);
        },
      );
      await stage.idle();
      expect((await shop.pull(before[0]!.number)).state).toBe('open');
    }
    await stage.sweep();
    expect(await titles()).toEqual(['Update web to upstream v3']);
  });

  test('the tag of a revision is moved by hand: channels that name it stop, others go on', async () => {
    const commit = (await up.tags()).get('web/v3')!;
    // Published by Portico, so that it is known where the tag was.
    await up.git('update-ref', 'refs/portico/published/web/v3', commit);
    await up.git('update-ref', 'refs/tags/web/v3', (await up.tags()).get('web/v1')!);
    await up.push('main', { [fileOf('api')]: channels('api', ['v1', 'v2']) });
    await stage.idle();
    expect(await standing()).toEqual(['failure', 'Channels stopped: web']);
    const found = (await up.checks(await up.head('main'))).get('portico/channels');
    expect(found?.output.summary).toContain('C06: v3 has no tag, or one that was moved.');
    expect(await titles()).toEqual(['Update api to upstream v2', 'Update web to upstream v3']);
    expect(await board('up')).toContain('| `web` |  |  |  |  | stopped: ');
    expect(await board('shop')).toContain('`channel-stopped`');
    // A person decides: the tag goes back.
    await up.git('update-ref', 'refs/tags/web/v3', commit);
    await stage.look('up');
    expect(await standing()).toEqual(['success', 'Channels match their files']);
  });

  test('a downstream is merged by hand to a commit that no revision has: it has drifted', async () => {
    const Kptfile = (await shop.read('api/Kptfile'))!;
    const beside = await up.push('beside', { 'api/config.yaml': configMap('api', { color: 'own' }) });
    await shop.push('main', {
      'api/Kptfile': Kptfile.replace(/ref: api\/v1/g, 'ref: beside').replace(
        /commit: .*/,
        `commit: ${beside}`,
      ),
    });
    await stage.idle();
    expect(await board('shop')).toMatch(/\| `api` \|[^\n]*`drifted`[^\n]*the nearest is v4/);
    expect(await board('up')).toMatch(/\| `acme\/shop:api` \| `api\/stable` \|[^\n]*\| `drifted` \|/);
    await shop.push('main', { 'api/Kptfile': Kptfile });
    await stage.idle();
  });

  test('a channel that is followed is not deleted; with a label it is, and who followed it stays', async () => {
    const text = channels('api', ['v1', 'v2']).replace(/- name: stable\n.*\n/, '');
    const { number } = await up.propose('away', { [fileOf('api')]: text });
    const check = async (): Promise<unknown[]> => {
      await stage.look('up');
      const found = (await up.checksOf(number)).get('portico/channels');
      return [found?.conclusion, found?.output.title];
    };
    expect(await check()).toEqual([
      'failure',
      expect.stringMatching(/^C17: the channel stable goes, and is followed by acme\/shop:api/),
    ]);
    await stage.as('alice').rest.issues.addLabels({ ...up.where, issue_number: number, labels: ['force'] });
    expect((await check())[0]).toBe('success');
    await up.merge(number);
    await stage.idle();
    expect((await up.tags()).has('api/stable')).toBe(false);
    expect(await board('shop')).toMatch(/\| `api` \|[^\n]*`no-channel`/);
    expect(await shop.read('api/Kptfile')).toContain('ref: api/v1');
  });
});

const definition = (type: string, annotation = ''): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
${annotation}spec:
  group: example.com
  names: { kind: Widget, plural: widgets, singular: widget, listKind: WidgetList }
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, properties: { size: { type: ${type} } } } }
`;

/** With a deprecation, so that it is drawn. */
const judged = (members: string): string =>
  channels('api', [members], 'deprecations:\n- {reference: {schema: revision, name: v4}, message: old}\n');

describe('what the reviewer of a promotion sees', () => {
  const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: api }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [list] }]
`;
  const allowed = '  annotations: { portico.dev/allow-crd-change: "v1:^.size" }\n';

  test('unsafe changes of definitions wait for a maintainer, unless they are named; the way back is reported', async () => {
    for (const [revision, files] of [
      ['v5', { 'api/crd.yaml': definition('integer') }],
      ['v6', { 'api/crd.yaml': definition('string'), 'api/role.yaml': role }],
      ['v7', { 'api/crd.yaml': definition('string', allowed), 'api/role.yaml': role }],
    ] as const)
      await up.tag(`api/${revision}`, await up.push('main', files));
    await up.push('main', { [fileOf('api')]: judged('v1, v4, v5') });
    await stage.idle();
    const graph = async (branch: string, members: string): Promise<unknown[]> => {
      const { number } = await up.propose(branch, { [fileOf('api')]: judged(members) });
      const checks = await up.checksOf(number);
      const { conclusion, output } = checks.get('portico/graph')!;
      const gates = checks.get('portico/channels')!;
      return [conclusion, output.title, output.summary, gates.conclusion, gates.output.title, number];
    };
    const [conclusion, title, summary, gate, waits, number] = await graph('unsafe', 'v1, v4, v5, v6');
    expect([conclusion, title, gate]).toEqual([
      'neutral',
      'api stable: v5 → v6; 1 unsafe change of custom resource definitions; more is permitted',
      'action_required',
    ]);
    expect(waits).toMatch(
      /^v6 to stable: unsafe changes of custom resource definitions: [^]* missing by the role maintain/,
    );
    const gateAfter = async (login: 'bob' | 'carol'): Promise<string | null | undefined> => {
      await up.review(Number(number), 'APPROVE', undefined, login);
      await stage.idle();
      return (await up.checksOf(Number(number))).get('portico/channels')?.conclusion;
    };
    // bob may write.
    expect(await gateAfter('bob')).toBe('action_required');
    expect(await gateAfter('carol')).toBe('success');
    expect(summary).toContain('v4["v4"]:::deprecated');
    expect(summary).toContain('| `acme/shop:api` | `v1` | step 1 of 1: v1 → v6. |');
    expect(summary).toMatch(
      /\*\*Custom resource definitions\*\*\n\n- error: widgets\.example\.com: v1: \^\.size: type: /,
    );
    expect(summary).toContain('`portico/channels` waits for an approval');
    expect(summary).toMatch(/\*\*May do\*\*[^]*secrets/);
    expect(summary).toMatch(/What changes from the one head to the other[^]*ClusterRole/);
    expect((await graph('named', 'v1, v4, v5, v6, v7'))[0]).toBe('success');
    await up.push('main', { [fileOf('api')]: judged('v1, v4, v5, v7') });
    await stage.idle();
    const back = await graph('back', 'v1, v4, v5, {revision: v7, withdrawn: {reason: broken}}');
    expect(back.slice(0, 2)).toEqual([
      'neutral',
      expect.stringContaining('api stable: v7 → v5; 1 unsafe change'),
    ]);
    expect(back[2]).toContain('v7["v7"]:::withdrawn');
  });
});
