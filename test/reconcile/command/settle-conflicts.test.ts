// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked, webPackage } from '../../e2e/packages.ts';
import { startStage, type Stage } from '../stage.ts';

/** Conflicts settled by command give what the merge would have given, and fields that functions write follow. */
let stage: Stage;

interface Wish {
  readonly tag: string;
  readonly namespace?: string;
  /** Below `spec.strategy`. */
  readonly strategy?: string;
  readonly replicas?: number;
  /** The comment above the Deployment. */
  readonly front?: string;
  /** What the setter says. */
  readonly wanted?: number;
}

const ROLLING = 'type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1';

function web({
  tag,
  namespace = 'shop',
  strategy = ROLLING,
  replicas = 2,
  front = 'The web front.',
  wanted = 2,
}: Wish): Record<string, string> {
  return Object.fromEntries(
    Object.entries(webPackage(tag)).map(([path, text]) => [
      path,
      text
        .replace('The web front.', front)
        .replace('namespace: shop', `namespace: ${namespace}`)
        .replace('spec:\n', `spec:\n  strategy:\n    ${strategy}\n`)
        .replace('replicas: 2 #', `replicas: ${replicas} #`)
        .replace('replicas: "2"', `replicas: "${wanted}"`),
    ]),
  );
}

const MINE: Wish = {
  tag: '2.0.0',
  front: 'Our own front.',
  namespace: 'mine',
  strategy: 'type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 5',
};
const FRONT = 'Ask @alice, see #1.';
const NEXT: Wish = {
  tag: '3.0.0',
  front: FRONT,
  namespace: 'store',
  strategy: 'type: Recreate # All at once.',
  replicas: 3,
  wanted: 3,
};
/** Which comment stays is nobody's conflict, and told all the same. */
const BOTH =
  '`: Deployment web: both sides changed the comment; the local one is kept, upstream says: # Ask @\u200balice, see #\u200b1.';

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', web({ tag: '0.9.0' })) },
      down: { spec: 'branch: main\ndeployment: true\nupdates: { follow: latest }' },
      draft: { files: below('web', web({ tag: '1.0.0' })) },
    },
    { shares: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('an update: setters and namespace are settled, what functions write of them follows, and people keep theirs', async () => {
  const up = stage.repository('up');
  const repo = stage.repository('down');
  await up.publish('one', below('web', web({ tag: '1.0.0' })));
  const lock = (await up.tags()).get('web/v1')!;
  // The replicas were edited by hand, beside the setter that writes them.
  const local = web({ ...MINE, replicas: 7 });
  const Kptfile = locked(local['Kptfile']!, up.url, 'web', 'web/v1', lock);
  await repo.push('main', below('shop', { ...local, Kptfile }));
  await up.publish('two', below('web', web(NEXT)));
  const [pull] = await repo.pulls();
  const { number, head } = pull!;
  expect(pull!.body).toContain('**5 conflicts:**');
  expect(pull!.body).toContain(
    'Each one follows the field that its function reads: `shop/deployment.yaml` `metadata.namespace`, `shop/deployment.yaml` `spec.template.spec.containers[name=web].image`',
  );
  expect(pull!.body).toContain(`- \`deployment.yaml${BOTH}`);
  const files = ['Kptfile', 'deployment.yaml', 'setters.yaml'];
  const standing = async (): Promise<(string | null)[]> => {
    const { sha } = (await repo.pull(number)).head;
    return Promise.all(files.map(async (path) => repo.read(`shop/${path}`, sha)));
  };
  await repo.push(head.ref, { 'shop/notes.md': 'by hand\n' });
  await stage.idle();

  // 1 namespace, 2 strategy, 3 replicas, 4 namespace of the setters, which no function writes, 5 tag
  expect(await repo.command(number, '/portico resolve 3 local')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringContaining('unctions of the package overwrite `spec.replicas` in `deployment.yaml`'),
  });
  const said = await repo.command(
    number,
    '/portico resolve 3 upstream\n/portico resolve 5 local\n/portico resolve 2 local\n/portico resolve all local',
  );
  expect(said.reaction).toBe('rocket');
  // What comes of the decision without being one is told with it.
  expect(said.reply).toContain(
    "`shop/deployment.yaml`: Deployment web, spec.strategy.type: upstream's comment was not added; it says: All at once.",
  );
  // What the body says of fields that follow must stay true once nothing is open.
  const { body } = await repo.pull(number);
  expect(body).toContain('**All 5 conflicts are settled.**');
  expect(body).not.toContain('conflicts above');
  const [kptfile, deployment, setters] = await standing();
  const wanted = web({ ...MINE, replicas: 3, wanted: 3 });
  expect(deployment).toBe(wanted['deployment.yaml']);
  expect(setters).toBe(wanted['setters.yaml']);
  expect(kptfile).toContain('namespace: mine');
  expect(await repo.read('shop/notes.md', (await repo.pull(number)).head.sha)).toBe('by hand\n');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({
    conclusion: 'success',
    output: { summary: expect.stringContaining('All 5 conflicts are settled') },
  });
  expect(await stage.writesOf(() => stage.look('down'), 'down')).toEqual([]);
});

test('a draft that another one overtook: the setter is settled, and what it writes follows', async () => {
  const repo = stage.repository('draft');
  const { number } = await repo.propose('two', below('web', web({ tag: '2.0.0', front: 'Two.' })));
  await repo.publish('one', below('web', web({ tag: '3.0.0', strategy: 'type: Recreate', front: FRONT })));
  const told = `- \`web/deployment.yaml${BOTH}`;
  expect(await repo.sticky(number)).toContain(told);
  const check = (await repo.checksOf(number)).get('portico/conflicts');
  expect(check).toMatchObject({ output: { title: expect.stringMatching(/^Open: \S+ [^,]+$/) } });
  expect((await repo.command(number, '/portico resolve 1 local')).reaction).toBe('rocket');
  const { head } = await repo.pull(number);
  const wanted = web({ tag: '2.0.0', strategy: 'type: Recreate', front: 'Two.' });
  for (const path of ['setters.yaml', 'deployment.yaml'])
    expect(await repo.read(`web/${path}`, head.sha)).toBe(wanted[path]);
  expect((await repo.checksOf(number)).get('portico/conflicts')?.conclusion).toBe('success');
  // It is of the merge, which stays: settling conflicts and looking again leave it where it is.
  expect(await repo.sticky(number)).toContain(told);
  expect(await stage.writesOf(() => stage.look('draft'), 'draft')).toEqual([]);
});
