/** The repositories, people and rights that one schedule begins with. */

import { below } from '../e2e/packages.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import type { StageRepository } from '../reconcile/stage-repository.ts';
import type { Login, Stage, StageRepositoryOptions } from '../reconcile/stage.ts';
import type { Audit } from './audit.ts';

/**
 * web: packages of one team. lib: private blueprints, and shop, made from them, of the same team. edge: a private
 * repository of somebody who may not read lib. pub: a public one where that person may write. ours: another owner's.
 */
export type Place = 'web' | 'lib' | 'shop' | 'edge' | 'pub' | 'ours';

export interface World {
  readonly stage: Stage;
  readonly audit: Audit;
  readonly places: ReadonlyMap<Place, StageRepository>;
  /** Fork owner → fork of web. */
  readonly forks: Map<Login, StageRepository>;
  /** What people did, for the story. */
  readonly done: string[];
  at(place: Place): StageRepository;
}

/** How web is set up. */
export interface Setting {
  readonly kind: 'one' | 'across';
  readonly approvals: 1 | 2;
  /** Who may approve: whoever may write, or maintainers. */
  readonly approve: 'write' | 'maintain';
  readonly directPushes: 'flag' | 'publish';
  /** The branch asks for the check `portico`, administrators left out. */
  readonly ruled: boolean;
  /** lib and shop share: both sides' configurations name each other. */
  readonly shared: boolean;
  readonly automerge: boolean;
  /** lib and shop obey documents that stand in edge. */
  readonly controlled: boolean;
}

export const nameOf = (place: Place, number: number): string => `${place}${number}`;
export const ownerOf = (place: Place): string => (place === 'ours' ? 'evil' : 'acme');
export const fullName = (place: Place, number: number): string =>
  `${ownerOf(place)}/${nameOf(place, number)}`;

/** What only readers of a repository may see, since one of its revisions. */
const secretOf = (place: Place, number: number, revision: number): string =>
  `secret-${nameOf(place, number)}-r${revision}`;
/** A package whose name nobody else may learn. */
const hushOf = (number: number): string => `hush-${nameOf('lib', number)}`;

const PLACES: Record<Setting['kind'], readonly Place[]> = {
  one: ['web'],
  across: ['lib', 'shop', 'edge', 'pub', 'ours'],
};

export function placesOf({ kind }: Setting): readonly Place[] {
  return PLACES[kind];
}

/** The repositories of one schedule, as `startStage` makes them. */
export function repositoriesOf(setting: Setting, number: number): Record<string, StageRepositoryOptions> {
  const access = `access: { approve: [${setting.approve}], pause: [admin], rollout: [admin] }`;
  const common = `branch: main\n${access}\npublish: { requireApprovals: ${setting.approvals}`;
  const control = setting.controlled ? `\ncontrolledBy: [${fullName('edge', number)}]` : '';
  const lib = fullName('lib', number);
  const shop = fullName('shop', number);
  const all: Record<Place, StageRepositoryOptions> = {
    web: {
      private: false,
      spec: `${common}, directPushes: ${setting.directPushes} }`,
      collaborators: { bob: 'write', carol: 'write', mona: 'maintain', rita: 'read', mallory: 'write' },
      files: {
        ...below('web', smallPackage('web', { data: { color: 'blue', size: 'small' } })),
        ...below('api', smallPackage('api', { data: { color: 'blue', size: 'small' } })),
      },
    },
    lib: {
      spec: `${common} }${setting.shared ? `\nsharing: { to: [${shop}] }` : ''}${control}`,
      collaborators: { bob: 'write', carol: 'write', mona: 'maintain', rita: 'read' },
      files: {
        ...below('base', smallPackage('base', { data: { value: secretOf('lib', number, 1) } })),
        ...below(hushOf(number), smallPackage('hush', { data: { value: secretOf('lib', number, 1) } })),
      },
    },
    shop: {
      spec: `${common} }\ndeployment: true\nupdates: { follow: latest${setting.automerge ? ', automerge: all' : ''} }${setting.shared ? `\nsharing: { from: [${lib}] }` : ''}${control}`,
      collaborators: { bob: 'write', carol: 'write', mona: 'maintain', rita: 'read' },
    },
    edge: {
      spec: 'branch: main\nupdates: { follow: latest }',
      collaborators: { mallory: 'admin', rita: 'read' },
      files: below('own', smallPackage('own')),
    },
    pub: {
      private: false,
      spec: 'branch: main',
      collaborators: { mallory: 'write', bob: 'write' },
      files: below('own', smallPackage('own')),
    },
    ours: {
      owner: 'evil',
      spec: 'branch: main\nupdates: { follow: latest }',
      collaborators: { mallory: 'admin' },
      files: below('own', smallPackage('own')),
    },
  };
  return Object.fromEntries(
    placesOf(setting).map((place) => [nameOf(place, number), { private: true, ...all[place] }]),
  );
}

/** The text of lib's package with another secret, as its newest revision holds it. */
export const secretConfig = (name: string, number: number, revision: number): string =>
  configMap(name, { value: secretOf('lib', number, revision) });
