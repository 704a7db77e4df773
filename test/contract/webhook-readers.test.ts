/** The readers of webhooks against GitHub's descriptions: whatever may be null or absent there is read. */
import { readFileSync } from 'node:fs';

import { afterAll, describe, expect, test } from 'vitest';

import { changedAt, pathsRead, sampleOf, type SampleSchema } from '../../localforge/test/contract/sample.ts';
import { judgeWebhook } from '../../localforge/test/contract/validate.ts';
import { READERS } from '../../src/webhook/event-payload.ts';
import { routeEvent } from '../../src/webhook/route.ts';

const described = JSON.parse(
  readFileSync(
    new URL('../../localforge/test/contract/github-openapi-webhooks.json', import.meta.url),
    'utf8',
  ),
) as {
  readonly webhooks: Readonly<Record<string, SampleSchema>>;
  readonly schemas: Readonly<Record<string, SampleSchema>>;
};
const resolve = (ref: string): SampleSchema => described.schemas[ref.slice('#/schemas/'.length)]!;
const isFine = (event: string, payload: unknown): boolean =>
  judgeWebhook(event, payload).problems.length === 0;

/**
 * Hooks of repositories send no installation, and the description of merge groups has a repository only perhaps: what is sent to
 * an App about a repository has both, and without them nothing can be done.
 */
const ALWAYS_SENT = ['installation', 'repository'];

const names = Object.keys(described.webhooks).filter((name) => Object.hasOwn(READERS, name.split('.')[0]!));

let tried = 0;
afterAll(() =>
  process.stdout.write(`webhooks: ${names.length} kinds read, ${tried} with a field null or absent\n`),
);

describe('every field that is read, null or absent wherever GitHub says that it may be', () => {
  test.each(names)('%s', (name) => {
    const [event = ''] = name.split('.');
    const whole = sampleOf(described.webhooks[name]!, resolve) as object;
    expect(judgeWebhook(event, whole).problems).toEqual([]);
    expect(routeEvent(event, whole).unreadable).toBe(undefined);
    const paths = pathsRead(whole, (payload) => routeEvent(event, payload));
    const variants = paths
      .filter((path) => !ALWAYS_SENT.includes(path.join('/')))
      .flatMap((path) =>
        (['null', 'absent'] as const).map((to) => ({ to, path, payload: changedAt(whole, path, to) })),
      )
      .filter(({ payload }) => isFine(event, payload));
    const lost = variants.flatMap(({ to, path, payload }) => {
      const { unreadable } = routeEvent(event, payload);
      return unreadable === undefined ? [] : [`${path.join('.')} ${to}: ${unreadable}`];
    });
    expect(lost).toEqual([]);
    tried += variants.length;
  });
});
