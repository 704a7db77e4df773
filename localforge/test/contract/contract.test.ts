// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { addCollaborationRoutes } from '../../src/collaboration.ts';
import { addCoreRoutes } from '../../src/core-routes.ts';
import { makeRouter } from '../../src/router.ts';
import { collaboration } from '../collaboration-fixture.ts';
import type { Collaboration } from '../collaboration-fixture.ts';
import { driveEverything } from './drive.ts';
import { summary } from './recorder.ts';
import type { ContractReport } from './recorder.ts';
import { judgeExchange, judgeWebhook, operations, webhookNames } from './validate.ts';

/** Routes that GitHub serves and does not describe, or describes elsewhere. */
const UNDESCRIBED = [
  // What redirects of renamed repositories point to.
  'GET /repositories/{}',
  // The root directory; the description knows `contents/{path}` alone.
  'GET /repos/{}/{}/contents',
  // Older forms of `git/ref` and `git/matching-refs`.
  'GET /repos/{}/{}/git/matching-refs',
  'GET /repos/{}/{}/git/refs',
  'GET /repos/{}/{}/git/refs/{}',
  // GitHub describes it; the extract does not hold it yet. A code is made by a page alone, which test/registration drives.
  'POST /app-manifests/{}/conversions',
  // GraphQL is checked by its own schema.
  'POST /graphql',
  'POST /api/graphql',
];

let forge: Collaboration;
let report: ContractReport;

beforeAll(async () => {
  forge = await collaboration();
  await driveEverything(forge);
  await forge.forge.settled();
  report = forge.contract.report();
  process.stdout.write(`contract: ${summary(report)}\n`);
});
afterAll(() => forge[Symbol.asyncDispose]());

test('requests, replies and webhooks are as GitHub describes them', () => {
  const { invalidRequests, invalidReplies, invalidWebhooks } = report;
  expect({ invalidRequests, invalidReplies, invalidWebhooks }).toEqual({
    invalidRequests: [],
    invalidReplies: [],
    invalidWebhooks: [],
  });
});

test('every operation of the extract was driven, and the forge serves no other', () => {
  expect(operations.filter((operation) => !report.operations.includes(operation))).toEqual([]);
  const router = makeRouter();
  addCoreRoutes(forge.forge.context, router, () => {});
  addCollaborationRoutes(forge.forge.context, router);
  const served = router.routes().map((route) => plain(`${route.method} ${route.path}`));
  const described = operations.map(plain);
  expect(served.filter((route) => !described.includes(route) && !UNDESCRIBED.includes(route))).toEqual([]);
});

test('every webhook of the extract was seen, but for those that need another story', () => {
  expect(webhookNames.filter((name) => !report.webhookNames.includes(name))).toEqual([
    'installation.created',
    'installation.new_permissions_accepted',
    'repository.transferred',
  ]);
});

test('the judge finds what is wrong', () => {
  const exchange = {
    method: 'POST',
    path: '/repos/acme/blueprints/pulls',
    query: new URLSearchParams(),
    requestBody: { title: 'x', head: 'y', bsae: 'main' },
    status: 201,
    replyBody: {},
  };
  expect(judgeExchange(exchange).problems.map((problem) => problem.problem)).toEqual(
    expect.arrayContaining([
      "/ must have required property 'base'",
      'body member bsae is unknown',
      "201: / must have required property 'body'",
    ]),
  );
  const list = { ...exchange, method: 'GET', requestBody: undefined, status: 200, replyBody: [] };
  const query = new URLSearchParams('state=ajar&colour=red');
  expect(judgeExchange({ ...list, query }).problems.map((problem) => problem.problem)).toEqual([
    'query parameter colour is unknown',
    'query parameter state may not be "ajar"',
  ]);
  expect(judgeExchange({ ...list, path: '/repos/acme/blueprints/pears' }).operation).toBeUndefined();
  expect(judgeWebhook('pull_request', { action: 'opened' }).problems.length).toBeGreaterThan(0);
  expect(judgeWebhook('pull_request', { action: 'eaten' }).operation).toBeUndefined();
});

const plain = (route: string): string =>
  route.replaceAll(/:\w+(\{[^}]*\})?/g, '{}').replaceAll(/\{\w+\}/g, '{}');
