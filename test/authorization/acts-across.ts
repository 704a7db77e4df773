/** What people do across repositories: releases, locks, variants, rollouts. */
import { below, locked } from '../e2e/packages.ts';
import { kptfile } from '../reconcile/small-package.ts';
import type { Login } from '../reconcile/stage.ts';
import { does, inPlace, type Act, type Outcome } from './act.ts';
import { inIssue } from './acts-words.ts';
import { absentOf } from './telling.ts';
import { fullName, secretConfig, type Place } from './world.ts';

const numberOf = ({ repo }: { readonly repo: string }): number => Number(/\d+$/.exec(repo)![0]);

/** A revision of lib's package, made by who may. */
export function release(revision: number): Act {
  return does(`alice releases base v${revision} in lib`, async (world) => {
    const lib = world.at('lib');
    const number = numberOf(lib);
    const commit =
      revision === 1
        ? await lib.head('main')
        : await lib.push('main', { 'base/config.yaml': secretConfig('base', number, revision) });
    await lib.tag(`base/v${revision}`, commit);
    if (revision === 1) await lib.tag(`hush-lib${number}/v1`, commit);
  });
}

/** A package in shop that was made from a revision of lib; both teams are one. */
export function install(revision: number): Act {
  return does(`alice puts a package made from base v${revision} into shop`, async (world) => {
    const [lib, shop] = [world.at('lib'), world.at('shop')];
    const number = numberOf(lib);
    const commit = (await lib.tags()).get(`base/v${revision}`);
    if (commit === undefined) return null;
    const text = locked(kptfile('base'), lib.url, 'base', `base/v${revision}`, commit);
    const files = { Kptfile: text, 'config.yaml': secretConfig('base', number, revision) };
    return shop.push('main', below('base', files));
  });
}

/** A package whose Kptfile says that it was made from lib, by somebody who never saw that. */
export function lockOnto(by: Login, place: Place, revision: number): Act {
  return does(`${by} writes a lock onto base v${revision} of lib${inPlace(place)}`, async (world) => {
    const lib = world.at('lib');
    const text = locked(kptfile('taken'), lib.url, 'base', `base/v${revision}`, '0'.repeat(39) + '1');
    return world.at(place).push('main', { 'taken/Kptfile': text }, { as: by });
  });
}

export type Document = 'variant' | 'set' | 'rollout' | 'orphan';

/** A document in one repository about others. */
export function document(by: Login, place: Place, kind: Document, downstream: Place): Act {
  const path = `.github/portico/${kind}.yaml`;
  return does(`${by} writes a ${kind} about lib and ${downstream}${inPlace(place)}`, async (world) => {
    const [lib, down] = [world.at('lib'), world.at(downstream)].map((one) => `${one.owner}/${one.repo}`);
    const texts: Record<Document, string> = {
      variant: `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: taken }
spec:
  upstream: { repo: ${lib}, package: base }
  downstream: { repo: ${down}, package: taken }
  adoptionPolicy: adoptExisting
  deletionPolicy: delete
`,
      orphan: `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: adopted }
spec:
  upstream: { repo: ${lib}, package: base, revision: 1 }
  downstream: { repo: ${down}, package: base }
  adoptionPolicy: adoptExisting
  deletionPolicy: delete
`,
      set: `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: { name: many }
spec:
  upstream: { repo: ${lib}, package: base, revision: -1 }
  targets:
  - repositories: [{ name: ${down}, packageNames: [one, two] }]
`,
      rollout: `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: mine }
spec:
  upstreams: [{ repo: ${lib}, packages: ['**'] }]
  waves:
  - { name: first, select: { repositories: [nobody] } }
  - { name: all }
`,
    };
    return world.at(place).push('main', { [path]: texts[kind] }, { as: by });
  });
}

/** The same documents about a private repository and about one that never was. */
export function twins(by: Login, place: Place, kind: 'rollout' | 'variant'): Act {
  return does(
    `${by} writes a ${kind} about lib and one about what is not there${inPlace(place)}`,
    async (world) => {
      const lib = world.at('lib');
      const number = numberOf(lib);
      const text = (name: string): string =>
        kind === 'rollout'
          ? `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: about-${name} }
spec:
  upstreams: [{ repo: ${lib.owner}/${name}, packages: [base] }]
  waves: [{ name: all }]
`
          : `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: about-${name} }
spec:
  upstream: { repo: ${lib.owner}/${name}, package: base }
  downstream: { repo: ${world.at(place).owner}/${world.at(place).repo}, package: ${name} }
`;
      const files = [lib.repo, absentOf(number)].map((name) => [
        `.github/portico/${kind}-${name}.yaml`,
        text(name),
      ]);
      return world.at(place).push('main', Object.fromEntries(files) as Record<string, string>, { as: by });
    },
  );
}

/** The same command about both. */
export function askTwice(by: Login, place: Place, text: (repo: string) => string): Act {
  return {
    name: `${by}: /portico ${text('acme/lib')}, and the same of what is not there${inPlace(place)}`,
    act: async (world) => {
      const lib = world.at('lib');
      const names = [lib.repo, absentOf(numberOf(lib))];
      const said: Outcome[] = [];
      for (const name of names) said.push(await inIssue(by, text(`${lib.owner}/${name}`), place).act(world));
      return async () => (await Promise.all(said.map(async (one) => one()))).join(' / ');
    },
  };
}

export function withdraw(by: Login, place: Place, kind: Document): Act {
  return does(`${by} removes the ${kind}${inPlace(place)}`, async (world) => {
    const path = `.github/portico/${kind}.yaml`;
    if ((await world.at(place).read(path)) === null) return null;
    return world.at(place).push('main', { [path]: null }, { as: by });
  });
}

/** An order about a rollout as the bot writes it, made by hand where the document stands. */
export function forgeOrder(by: Login, place: Place, action: 'stop' | 'rollback', revision: number): Act {
  return does(
    `${by} makes the ref of a rollout's order by hand: ${action} v${revision}${inPlace(place)}`,
    async (world) => {
      const [lib, here] = [world.at('lib'), world.at(place)];
      const { id } = world.stage.forge.context.records.repositoryByName(lib.owner, lib.repo)!;
      const { git } = world.stage.as(by).rest;
      const tag = await git.createTag({
        ...here.where,
        tag: 'portico/rollout/mine',
        message: `Orders about the rollout mine\n\nOrder: ${action} ${id}:base@v${revision} - alice ${new Date().toISOString()}\n`,
        object: await here.head('main'),
        type: 'commit',
        tagger: { name: 'portico[bot]', email: '1+portico[bot]@users.noreply.github.com' },
      });
      return git.createRef({ ...here.where, ref: 'refs/portico/rollout/mine', sha: tag.data.sha });
    },
  );
}

/** A pause as the bot writes it, made by hand. */
export function forgePause(by: Login): Act {
  return does(`${by} makes the ref of a pause by hand in shop`, async (world) => {
    const shop = world.at('shop');
    const { git } = world.stage.as(by).rest;
    const tag = await git.createTag({
      ...shop.where,
      tag: 'portico/paused/base/updates',
      message: 'Updates of base are paused\n\nPaused-By: alice\nRequested-In: #1\n',
      object: await shop.head('main'),
      type: 'commit',
    });
    return git.createRef({ ...shop.where, ref: 'refs/portico/paused/base/updates', sha: tag.data.sha });
  });
}

/** Both sides' configurations name each other, or do not any more. */
export function share(on: boolean): Act {
  return does(`alice ${on ? 'agrees' : 'stops agreeing'} that lib shares with shop`, async (world) => {
    const lib = world.at('lib');
    const text = (await lib.read('.github/portico.yaml'))!;
    const number = numberOf(lib);
    const line = `  sharing: { to: [${fullName('shop', number)}] }\n`;
    const next = on
      ? text.includes('sharing:')
        ? text
        : `${text}${line}`
      : text.replace(/ {2}sharing:.*\n/, '');
    if (next === text) return null;
    return lib.push('main', { '.github/portico.yaml': next });
  });
}
