import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { PorticoError } from '../error.ts';
import { APP_PERMISSIONS, type Permissions } from '../forge/app-permissions.ts';
import { createAppSigner } from '../forge/app-token.ts';
import type { Mirror } from '../git/mirror-types.ts';
import { openMirror } from '../git/mirror.ts';
import { emptyRepository } from './empty-repository.ts';
import type { LoopSeen } from './loop-seen.ts';
import { playLoop } from './loop.ts';
import type { Portico } from './portico.ts';
import type { Place } from './repositories.ts';
import { deleteRepository, leftOver, makeRepository, takeRepository } from './repositories.ts';
import { trialRepository } from './repository.ts';
import type { TrialRepository } from './repository.ts';
import type { Answer, Rest, RestOptions } from './rest.ts';
import { createRest, isLimit } from './rest.ts';
import type { Extra, ExtraRight, TrialStage } from './stage.ts';
import { createTokens, findInstallation, missingRights } from './tokens.ts';

export interface TrialOptions {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly apiUrl: string;
  readonly gitUrl: string;
  readonly organization: string;
  /** Two that a person names; none: two are made. */
  readonly repositories: readonly string[];
  /** Between writes. Default: a second. */
  readonly paceMs?: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly program: Portico;
}

export interface OpenStage {
  readonly stage: TrialStage;
  /** Deletes what was made. Answers what could not be deleted. */
  readonly close: () => Promise<readonly string[]>;
}

const EXTRA: Readonly<Record<ExtraRight, Permissions>> = {
  administration: { metadata: 'read', administration: 'write' },
  workflows: { metadata: 'read', contents: 'write', workflows: 'write' },
};
const PACE_MS = 1_000;
const CLEANING_MS = 180_000;

/**
 * Finds the App, and makes or takes two repositories.
 * @throws PorticoError TRIAL_FORGE, TRIAL_APP, TRIAL_NOT_INSTALLED, TRIAL_RIGHTS, TRIAL_REPOSITORY
 */
export async function openStage(options: TrialOptions): Promise<OpenStage> {
  const { apiUrl, gitUrl, organization, signal, say } = options;
  const answers: Pick<Answer, 'status' | 'headers'>[] = [];
  let limitsMet = 0;
  const wire = (until: AbortSignal): RestOptions => ({
    apiUrl,
    signal: until,
    paceMs: options.paceMs ?? PACE_MS,
    onAnswer: (answer) => {
      answers.push({ status: answer.status, headers: answer.headers });
      if (isLimit(answer)) limitsMet += 1;
    },
  });
  const signer = createAppSigner(options.appId, options.privateKey);

  /** All ways of speaking, for the trial itself and for the cleaning that goes on after it was stopped. */
  const ways = (until: AbortSignal, installationId: number) => {
    const asApp = createRest({ ...wire(until), paceMs: 0 }, () => `Bearer ${signer.jwt()}`);
    const restWith = (token: string): Rest => createRest(wire(until), () => `token ${token}`);
    const tokens = createTokens({ asApp, restWith, installationId, signal: until });
    const restFor = (permissions: Permissions, ids?: readonly number[]): Rest =>
      createRest(wire(until), async () => `token ${await tokens.token(permissions, ids)}`);
    return { asApp, restWith, tokens, restFor };
  };

  const speaking = { asApp: ways(signal, 0).asApp, apiUrl, signal };
  const installed = await findInstallation(speaking, signer, organization);
  const lacking = missingRights(installed.permissions);
  if (lacking.length > 0) {
    throw new PorticoError('TRIAL_RIGHTS', `the installation lacks ${lacking.join(', ')}`, {
      blame: 'user',
      hint: 'Give the App the permissions of app.yml, and accept them for the installation.',
    });
  }
  const may = (right: ExtraRight): boolean => installed.permissions[right] === 'write';
  const { asApp, restWith, tokens, restFor } = ways(signal, installed.id);
  const prefix = `portico-trial-${randomBytes(4).toString('hex')}`;
  const directory = await mkdtemp(join(tmpdir(), 'portico-trial-'));
  const mirrors = new Map<string, Mirror>();
  const places: Place[] = [];

  const close = async (): Promise<readonly string[]> => {
    // Whoever stops the trial wants it gone all the same; a second signal ends the process.
    const until = AbortSignal.timeout(CLEANING_MS);
    const late = ways(until, installed.id);
    const failures: string[] = [];
    for (const place of places) {
      const path = `/repos/${organization}/${place.name}`;
      try {
        if (place.made) {
          const failure = await deleteRepository(late.restFor(EXTRA.administration), organization, place);
          if (failure !== null) failures.push(failure);
        } else {
          const mirror = await open({
            place,
            permissions: APP_PERMISSIONS,
            use: 'cleaning',
            with_: late.tokens,
            until,
          });
          const rest = late.restFor(APP_PERMISSIONS, [place.id]);
          const left = await emptyRepository({ rest, mirror, path }, until);
          failures.push(...left.map((one) => `${place.name}: ${one}`));
        }
      } catch (error) {
        failures.push(`${place.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    for (const mirror of mirrors.values()) await mirror[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
    return failures;
  };

  async function open({
    place,
    permissions,
    use,
    with_ = tokens,
    until = signal,
  }: {
    readonly place: Place;
    readonly permissions: Permissions;
    readonly use: string;
    readonly with_?: typeof tokens | undefined;
    readonly until?: AbortSignal | undefined;
  }): Promise<Mirror> {
    const dir = join(directory, `${place.name}-${use}.git`);
    const mirror = await openMirror({
      dir,
      url: `${gitUrl}/${organization}/${place.name}.git`,
      token: () => with_.token({ ...permissions, contents: 'write' }, [place.id]),
      protocols: gitUrl.startsWith('http:') ? ['http'] : [],
      signal: until,
    });
    mirrors.set(dir, mirror);
    return mirror;
  }

  async function place(which: 'blueprints' | 'deployments', named: string | undefined): Promise<Place> {
    const found =
      named === undefined
        ? await makeRepository(restFor(EXTRA.administration), organization, `${prefix}-${which}`)
        : await takeRepository(restFor(APP_PERMISSIONS), organization, named);
    places.push(found);
    say(`${found.made ? 'made' : 'using'} ${organization}/${found.name}`);
    return found;
  }

  async function repository(at: Place, permissions = APP_PERMISSIONS, use = 'own'): Promise<TrialRepository> {
    const mirror = await open({ place: at, permissions, use });
    const rest = restFor(APP_PERMISSIONS, [at.id]);
    return trialRepository({ ...at, owner: organization, gitUrl, mirror, rest, signal });
  }

  try {
    if (options.repositories.length === 0 && !may('administration')) {
      throw new PorticoError('TRIAL_RIGHTS', 'this App may not make repositories (administration: write)', {
        blame: 'user',
        hint: 'Name two empty repositories that it is installed on: --repository ONE --repository OTHER.',
      });
    }
    if (may('administration')) {
      for (const left of await leftOver(restFor(APP_PERMISSIONS), organization, Date.now())) {
        const failure = await deleteRepository(restFor(EXTRA.administration), organization, left);
        say(failure ?? `deleted ${organization}/${left.name}, which an earlier trial left`);
      }
    }
    const first = await place('blueprints', options.repositories[0]);
    const second = await place('deployments', options.repositories[1]);
    const both = [first.id, second.id];
    const rest = restFor(APP_PERMISSIONS, both);
    const blueprints = await repository(first);
    const deployments = await repository(second);
    for (const { mirror, path } of [blueprints, deployments]) {
      const failures = await emptyRepository({ rest, mirror, path }, signal);
      if (failures.length > 0) {
        throw new PorticoError('TRIAL_REPOSITORY', `${path.slice(7)} is not empty: ${failures.join('; ')}`, {
          blame: 'user',
        });
      }
    }
    let loop: Promise<LoopSeen> | undefined;
    const extras = new Map<ExtraRight, Promise<Extra>>();
    const names = new Map<string, number>();
    const stage: TrialStage = {
      app: installed.app,
      organization,
      installationId: installed.id,
      apiUrl,
      gitUrl,
      asApp,
      rest,
      blueprints,
      deployments,
      signal,
      answers,
      limitsMet: () => limitsMet,
      startedAt: new Date(),
      async with(right) {
        if (!may(right)) return null;
        const known =
          extras.get(right) ??
          repository(first, EXTRA[right], right).then((own) => ({
            rest: restFor(EXTRA[right], both),
            blueprints: own,
          }));
        extras.set(right, known);
        return known;
      },
      freshToken: (repositoryIds = both) => tokens.mint(APP_PERMISSIONS, repositoryIds),
      restWith,
      graphql: (query, variables) =>
        createRest({ ...wire(signal), apiUrl: graphqlBase(apiUrl) }, async () => {
          return `token ${await tokens.token(APP_PERMISSIONS, both)}`;
        }).ask('POST', '/graphql', { body: { query, variables } }),
      // A forge on this machine, asked without pauses, needs no long ones either.
      wait: (ms) => pause(ms * Math.min(1, (options.paceMs ?? PACE_MS) / PACE_MS), undefined, { signal }),
      name: (what) => {
        const count = (names.get(what) ?? 0) + 1;
        names.set(what, count);
        return count === 1 ? `${prefix}/${what}` : `${prefix}/${what}-${count}`;
      },
      readsPayload: (event, payload) => options.program.reads(event, payload),
      loop: () => (loop ??= playLoop(stage, options.program)),
    };
    return { stage, close };
  } catch (error) {
    for (const failure of await close()) say(`not deleted: ${failure}`);
    throw error;
  }
}

/** `https://HOST/api/v3` has its GraphQL at `https://HOST/api/graphql`. */
function graphqlBase(apiUrl: string): string {
  return apiUrl.replace(/\/v3$/, '');
}
