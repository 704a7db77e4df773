import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Catalog } from '../../src/catalog/catalog.ts';
import { createSharedCatalog } from '../../src/catalog/shared-catalog.ts';
import { readRollouts } from '../../src/config/read-rollouts.ts';
import type { Database } from '../../src/queue/database.ts';
import type { Job } from '../../src/reconcile/job.ts';
import { createMemories } from '../../src/reconcile/memories.ts';
import type { Ports } from '../../src/reconcile/ports.ts';
import { createRolloutMemory, withFacts } from '../../src/reconcile/rollout/facts.ts';
import { createQuestionBudget } from '../../src/reconcile/rollout/question-budget.ts';
import { createRolloutReconciler } from '../../src/reconcile/rollout/rollout.ts';
import { rolloutsOf } from '../../src/reconcile/rollout/scope.ts';
import { startSharedIndex } from '../../src/replica/shared-index.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { bareRepository } from '../catalog/bare-repository.ts';
import { placeEmbedded } from '../queue/engines.ts';

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ packages: [web] }]
  waves: [{ name: canary, gate: { statuses: [flux] } }]
`;
const UP = 1;
const EDGES = [2, 3] as const;
const COMMIT = 'c'.repeat(40);
const DIRECTORY = repositoryDirectory('web');
const OPENED = 'it was looked at';

let place: Awaited<ReturnType<typeof placeEmbedded>>;
let database: Database;

beforeAll(async () => {
  place = await placeEmbedded();
  database = await place.open();
});

afterAll(async () => {
  await database?.close();
  await place?.[Symbol.asyncDispose]();
});

/** What the forge says of the commits of each repository. */
function forgeOf(): { readonly states: Map<number, string>; readonly asked: number[] } {
  return { states: new Map(EDGES.map((id) => [id, 'pending'])), asked: [] };
}

/** One of several processes on the database, and one forge. */
async function start(forge: ReturnType<typeof forgeOf>) {
  const shared = createSharedCatalog();
  const index = await startSharedIndex(database, shared);
  const { catalog } = shared;
  const memory = createRolloutMemory();
  for (const id of EDGES) {
    const list = [{ commit: COMMIT, at: 1 }];
    memory.published.set(`${UP}:web@v1 ${id}:web`, { of: `${COMMIT} v1`, list });
  }
  const git = { fetch: async () => null };
  const ports = {
    catalog,
    exchange: () => index.refresh(),
    memories: createMemories(),
    now: () => new Date(1_000),
    enqueue: async (_job: Job) => undefined,
    open: async ({ id }: { readonly id: number }) => {
      if (id === UP) throw new Error(OPENED);
      return {
        git,
        forge: {
          healthOf: async () => {
            forge.asked.push(id);
            const state = forge.states.get(id);
            return { statuses: [{ context: 'flux', state, at: '2026-01-01T00:00:00Z' }], deployments: [] };
          },
        },
      };
    },
  } as never as Ports;
  const reconcile = createRolloutReconciler(ports);
  return {
    ...index,
    catalog,
    /** The job of a webhook about this repository, as far as it goes before it reads orders. */
    begin: async (id: number): Promise<void> => {
      await index.refresh();
      await expect(reconcile({ repository: catalog.get(id)!.ref })).rejects.toThrow(OPENED);
    },
    /** How it finds the edges, and after how many seconds something left may be asked. */
    look: async (about: number, { since = 0, most = 60 } = {}) => {
      const { governed } = rolloutsOf(catalog);
      const { gate } = governed[0]!.rollout.waves[0]!;
      const asking = createQuestionBudget({ about, since, isThorough: about !== 0 }, { most });
      const asked = { ports, governed: governed[0]!, revision: 'v1', gateOf: () => gate, memory, asking };
      const found = await withFacts(asked);
      return { states: found.map(({ health }) => health?.state), left: asking.left() };
    },
  };
}

function fill(catalog: Catalog): void {
  const file = '.github/portico/rollout.yaml';
  const { rollouts } = readRollouts({ file, bytes: new TextEncoder().encode(ROLLOUT) });
  const documents = [{ file, id: 'i', documents: [], problems: [], rollouts }];
  const revisions = new Map([[DIRECTORY, ['v1']]]);
  const sharing = { to: [], from: [], within: true } as const;
  catalog.expect([UP, ...EDGES]);
  catalog.put(bareRepository(UP, 'acme/up', { revisions, documents, sharing }));
  const lock = {
    repo: 'https://forge.example/acme/up.git',
    directory: '/web',
    ref: 'web/v1',
    commit: COMMIT,
  };
  const packages = [{ directory: DIRECTORY, tree: 't', lock }];
  for (const id of EDGES)
    catalog.put(bareRepository(id, `acme/edge-${id}`, { commit: COMMIT, revisions, packages, sharing }));
}

/** Two processes that both remember that nothing was said of the edges yet. */
async function twoThatWait() {
  await database.query('DELETE FROM portico.index_row');
  const forge = forgeOf();
  const [a, b] = [await start(forge), await start(forge)];
  fill(a.catalog);
  await a.flush();
  await b.refresh();
  for (const one of [a, b])
    expect(await one.look(0)).toEqual({ states: ['pending', 'pending'], left: undefined });
  forge.asked.length = 0;
  return { a, b, forge };
}

const BOTH = { states: ['success', 'success'], left: undefined };

test('two processes that each hear of one downstream: whoever looks later asks about both', async () => {
  const { a, b, forge } = await twoThatWait();
  forge.states.set(2, 'success');
  await a.begin(2);
  expect((await a.look(2)).states).toEqual(['success', 'pending']);
  forge.states.set(3, 'success');
  await b.begin(3);
  expect(await b.look(3)).toEqual(BOTH);
});

test('where both look at once, one of them does', async () => {
  const { a, b, forge } = await twoThatWait();
  for (const id of EDGES) forge.states.set(id, 'success');
  await Promise.all([a.begin(2), b.begin(3)]);
  const looks = await Promise.all([a.look(2), b.look(3)]);
  expect(looks).toContainEqual(BOTH);
});

test('a failure that one process was told of is no success to come for the other', async () => {
  const { a, b, forge } = await twoThatWait();
  forge.states.set(2, 'failure');
  await a.begin(2);
  await a.look(2);
  forge.states.set(3, 'success');
  await b.begin(3);
  expect((await b.look(3)).states).toEqual(['failure', 'success']);
});

test('what another process has found healthy without being told is asked for, or left for later where nothing may be asked', async () => {
  const { a, b, forge } = await twoThatWait();
  for (const id of EDGES) forge.states.set(id, 'success');
  expect(await a.look(0, { since: 2_000 })).toEqual(BOTH);
  await a.flush();
  forge.asked.length = 0;
  await b.refresh();
  // It rests after a long look.
  expect(await b.look(0, { most: 0 })).toEqual({ states: ['pending', 'pending'], left: 0 });
  expect(await b.look(0)).toEqual(BOTH);
  expect(forge.asked).toEqual([2, 3]);
  // Each knows now: nobody asks again, and nothing is left where nothing may be asked.
  await b.flush();
  await a.refresh();
  for (const one of [a, b]) expect(await one.look(0, { most: 0 })).toEqual(BOTH);
});

test('without news nobody asks again what he remembers', async () => {
  const { a, b, forge } = await twoThatWait();
  await b.refresh();
  for (const one of [a, b]) await one.look(0);
  expect(forge.asked).toEqual([]);
});
