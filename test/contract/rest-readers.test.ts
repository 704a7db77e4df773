/** The readers of REST replies against GitHub's description: whatever may be null or absent there is read, and null as absent. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { changedAt, sampleOf, watch, type SampleSchema } from '../../localforge/test/contract/sample.ts';
import { judgeExchange } from '../../localforge/test/contract/validate.ts';
import { forgeCalls } from '../../scripts/forge-calls.ts';
import type { Forge } from '../../src/forge/forge-api.ts';
import { connectForge } from '../../src/forge/forge.ts';
import type { Forge as RepositoryForge } from '../../src/reconcile/forge/forge.ts';

interface Described {
  readonly operations: Readonly<
    Record<string, { readonly replies: Readonly<Record<string, SampleSchema | null>> }>
  >;
  readonly schemas: Readonly<Record<string, SampleSchema>>;
}

const described = JSON.parse(
  readFileSync(new URL('../../localforge/test/contract/github-openapi.json', import.meta.url), 'utf8'),
) as Described;
const resolve = (ref: string): SampleSchema => described.schemas[ref.slice('#/schemas/'.length)]!;

/** As many kinds of values as one place of a reply has: of issue events there are fifteen. */
const KINDS = 16;
const TOKENS = 'POST /app/installations/{installation_id}/access_tokens';
/** What a client keeps for a while: read anew only by another. */
const KEPT = new Set(['GET /app', 'GET /app/installations/{installation_id}', TOKENS]);

type Reader = (forge: Forge, here: RepositoryForge) => Promise<unknown>;
type Path = readonly (string | number)[];

interface Looked {
  readonly operation: string;
  readonly paths: readonly Path[];
}

const check = {
  name: 'portico',
  headSha: 'a'.repeat(40),
  externalId: 'x',
  status: 'in_progress',
  title: 'x',
  summary: 'x',
} as const;
const merge = { sha: 'a'.repeat(40), method: 'merge' } as const;
const remarks = { commitId: 'a'.repeat(40), body: 'x', comments: [{ path: 'x', line: 1, body: 'x' }] };
const commit = { tree: 'a'.repeat(40), parents: [], message: 'x' };

/** What asks the forge for something, once for each kind of answer that is read. */
const READERS: Readonly<Record<string, Reader>> = {
  'the App itself': (forge) => forge.app(),
  installations: (forge) => forge.installations(),
  'repositories of an installation': (forge) => forge.repositories(7),
  'account number': (forge) => forge.accountId(7, 'alice'),
  'installation of a repository': (forge) => forge.repositoryInstallation('acme', 'blueprints'),
  'repository by name': (forge) => forge.repositoryAt('acme', 'blueprints'),
  'failed deliveries': (forge) => forge.failedDeliveries(new Date(0)),
  // And what was asked for, which what the installation granted decides.
  'token for git': async (forge) => [await forge.tokenFor(7, 5), tokenRequest],
  redelivery: (forge) => forge.redeliver(1),
  repository: (_, here) => here.get(),
  member: (_, here) => here.member('alice'),
  'team member': (_, here) => here.teamMember('acme', 'platform', 'alice'),
  'rules of a branch': (_, here) => here.branchRules('main'),
  'protection of a branch': (_, here) => here.branchProtection('main'),
  'activity of a branch': (_, here) => here.branchActivity('x'),
  'open pull requests': (_, here) => here.listOpenPulls(),
  'pull request': (_, here) => here.getPull(1),
  'pull requests of a commit': (_, here) => here.pullsForCommit('a'.repeat(40)),
  'new pull request': (_, here) => here.createPull({ title: 'x', body: 'x', head: 'x', base: 'main' }),
  'changed pull request': (_, here) => here.updatePull(1, { title: 'x' }),
  merge: (_, here) => here.mergePull(1, merge),
  reviews: (_, here) => here.listReviews(1),
  remarks: (_, here) => here.remark(1, remarks),
  comments: (_, here) => here.listComments(1),
  'recent comments': (_, here) => here.listRecentComments(new Date(0)),
  'recent comments on lines': (_, here) => here.listRecentLineComments(new Date(0)),
  comment: (_, here) => here.getComment(1),
  'new comment': (_, here) => here.createComment(1, 'x'),
  'sticky comment': (_, here) => here.upsertSticky(1, 'x', 'y'),
  'reactions to a comment': (_, here) => here.listReactions({ commentId: 1 }),
  'new reaction to a comment': (_, here) => here.addReaction({ commentId: 1 }, 'eyes'),
  'reaction to a comment taken back': (_, here) => here.removeReaction({ commentId: 1 }, 'eyes'),
  issues: (_, here) => here.listIssues({}),
  'oldest issue': (_, here) => here.oldestIssue({ creator: 'x', title: 'x' }),
  'recent openings': (_, here) => here.listRecentOpenings(new Date(0)),
  'drafts of former times': (_, here) => here.draftedAt(1, 'x'),
  'other bases of former times': (_, here) => here.basedAt(1),
  'transferred issue': (_, here) => here.wasTransferred(1),
  issue: (_, here) => here.getIssue(1),
  'new issue': (_, here) => here.createIssue({ title: 'x', body: 'x' }),
  'changed issue': (_, here) => here.updateIssue(1, { body: 'x' }),
  label: (_, here) => here.hasLabel('x'),
  'new label': (_, here) => here.addLabels(1, ['x']),
  'labels of former times': (_, here) => here.labelsEverOn(1),
  'label taken off': (_, here) => here.removeLabel(1, 'x'),
  checks: (_, here) => here.listChecks('a'.repeat(40)),
  'check of former times': (_, here) => here.checkHistory('a'.repeat(40), 'x'),
  'check suites': (_, here) => here.checkSuites('a'.repeat(40)),
  'combined status': (_, here) => here.combinedStatus('a'.repeat(40)),
  'new check': (_, here) => here.putCheck(check),
  'changed check': (_, here) => here.putCheck({ ...check, name: 'x' }),
  release: (_, here) => here.getRelease('v1'),
  releases: (_, here) => here.released(['v1', 'v2']),
  'notes of a release': (_, here) => here.releaseNotes('v1'),
  'new release': (_, here) => here.upsertRelease({ tag: 'v1', name: 'x', body: 'x' }),
  'changed release': (_, here) => here.upsertRelease({ tag: 'v1', name: 'x', body: 'y' }),
  'release taken away': (_, here) => here.removeRelease('v1'),
  'new commit': (_, here) => here.createCommit(commit),
  health: (_, here) => here.healthOf('a'.repeat(40), { statuses: true, environments: ['x'] }),
};

/** What another call has to be answered, for a call to be made at all. */
const ADAPTED: Readonly<Record<string, Readonly<Record<string, (text: string) => string | null>>>> = {
  'changed check': {
    'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': (text) =>
      text.replaceAll('"annotations_count":1', '"annotations_count":0'),
  },
  'new release': { 'GET /repos/{owner}/{repo}/releases/tags/{tag}': () => null },
  'reaction to a comment taken back': {
    'GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': (text) =>
      text.replaceAll('"login":"x"', '"login":"x[bot]"').replaceAll('"content":"+1"', '"content":"eyes"'),
  },
};

/** How one call is answered otherwise than usual. */
interface Variant {
  readonly operation: string;
  readonly body: unknown;
}

let server: Server;
let baseUrl = '';
let tokenRequest = '';
let turned: Variant | null = null;
let adapted: (typeof ADAPTED)[string] = {};
/** The text that each call was answered with. */
const asked = new Map<string, string>();
const fields = new Set<string>();
const counts = { calls: 0, variants: 0 };

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://forge.test');
    const { operation = '' } = judgeExchange(exchangeOf(request.method!, pathname, 200, undefined));
    const reply = turned?.operation === operation ? { ...usual(operation)!, ...turned } : usual(operation);
    const whole = reply?.body === undefined ? '' : JSON.stringify(reply.body);
    const text = adapted[operation] === undefined ? whole : adapted[operation](whole);
    asked.set(operation, text ?? '');
    const sent: Buffer[] = [];
    request.on('data', (part: Buffer) => sent.push(part));
    request.on('end', () => {
      if (operation === TOKENS) tokenRequest = Buffer.concat(sent).toString();
      const status = text === null ? 404 : (reply?.status ?? 404);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text ?? '{}');
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
  process.stdout.write(
    `replies: ${counts.calls} kinds of calls, ${fields.size} fields that may be null or absent, ${counts.variants} variants\n`,
  );
});

/** The answer of success with all that it may have; a body that is undefined is none. */
function usual(operation: string, kind = 0): { readonly status: number; readonly body: unknown } | undefined {
  const replies = Object.entries(described.operations[operation]?.replies ?? {});
  const [status, schema] = replies.find(([code]) => code.startsWith('2')) ?? [];
  if (status === undefined) return undefined;
  const body = schema === null || schema === undefined ? undefined : sampleOf(schema, resolve, 0, kind);
  // A token that has ended would be asked for again and again.
  const lasting = operation === TOKENS && { expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  return { status: Number(status), body: lasting === false ? body : { ...(body as object), ...lasting } };
}

function exchangeOf(method: string, path: string, status: number, replyBody: unknown) {
  return { method, path, query: new URLSearchParams(), requestBody: undefined, status, replyBody };
}

/** Whether GitHub's description allows this answer. */
function isFine(operation: string, body: unknown): boolean {
  const [method = '', path = ''] = operation.split(' ');
  const filled = path.replaceAll(/\{\w+\}/g, '1');
  const { problems } = judgeExchange(exchangeOf(method, filled, usual(operation)!.status, body));
  return problems.every(({ kind }) => kind !== 'reply');
}

function connect(): [forge: Forge, here: RepositoryForge] {
  const limits = { perMinute: 1e6, graphqlPerMinute: 1e6, atOnce: 10 };
  const forge = connectForge({ appId: 1, privateKey, baseUrl, backoffMs: 0, limits });
  return [forge, forge.repository(7, { id: 5, owner: 'acme', name: 'blueprints' })];
}

let known: ReturnType<typeof connect> | null = null;

interface Outcome {
  readonly value?: unknown;
  readonly refused?: string;
}

/** What the reader makes of the answers; `undefined` and what is not there are the same. */
async function outcomeOf(read: Reader, operation: string): Promise<Outcome> {
  const client = KEPT.has(operation) || known === null ? connect() : known;
  if (!KEPT.has(operation)) known = client;
  try {
    const value: unknown = await read(...client);
    return { value: value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown) };
  } catch (error) {
    return { refused: String(error) };
  }
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** Which fields of which answers the reader looks at: whatever it parses tells on it. */
async function lookedAt(read: Reader): Promise<Looked[]> {
  asked.clear();
  const parse = JSON.parse;
  const parsed: { readonly text: string; readonly read: ReturnType<typeof watch>['read'] }[] = [];
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string, ...rest) => {
    const value: unknown = parse(text, ...rest);
    if (typeof value !== 'object' || value === null) return value;
    const { watched, read: fieldsRead } = watch(value);
    parsed.push({ text, read: fieldsRead });
    return watched;
  });
  try {
    await read(...connect());
  } finally {
    spy.mockRestore();
  }
  return [...asked].map(([operation, text]) => ({
    operation,
    paths: parsed.filter((one) => one.text === text).flatMap((one) => one.read()),
  }));
}

/** All kinds of answers of success that the operation has, each with all that it may have. */
function kindsOf(operation: string): unknown[] {
  const bodies = Array.from({ length: KINDS }, (_, kind) => usual(operation, kind)?.body);
  const distinct = [...new Map(bodies.map((body) => [JSON.stringify(body), body])).values()];
  return distinct.filter((body) => typeof body === 'object' && body !== null && isFine(operation, body));
}

/** Tries one answer with the field null, and without it; says what is lost by either. */
async function mistakesAt(read: Reader, operation: string, body: unknown, path: Path): Promise<string[]> {
  const without = { null: changedAt(body, path, 'null'), absent: changedAt(body, path, 'absent') };
  if (!Object.values(without).some((one) => isFine(operation, one))) return [];
  const name = `${operation} ${path.filter((key) => typeof key === 'string' && !/^\d+$/.test(key)).join('.')}`;
  fields.add(name);
  const outcomes: Outcome[] = [];
  for (const changed of Object.values(without)) {
    turned = { operation, body: changed };
    outcomes.push(await outcomeOf(read, operation));
    counts.variants += 1;
  }
  const [asNull, asAbsent] = outcomes;
  if (JSON.stringify(asNull) !== JSON.stringify(asAbsent)) {
    const [one, other] = [asNull, asAbsent].map((outcome) => JSON.stringify(outcome));
    const from = Array.from(one!).findIndex((letter, at) => letter !== other![at]);
    const [before, after] = [Math.max(0, from - 30), from + 30];
    return [`${name}: null is …${one!.slice(before, after)}…, absent is …${other!.slice(before, after)}…`];
  }
  return outcomes.flatMap(({ refused, value }) => {
    if (refused !== undefined) return [`${name}: ${refused}`];
    return texts(value).some((one) => /\b(?:undefined|null|NaN)\b/.test(one))
      ? [`${name}: a word for nothing`]
      : [];
  });
}

describe('every field that is read, null or absent wherever GitHub says that it may be either', () => {
  const made = new Set<string>();

  test.each(Object.entries(READERS))('%s', async (reader, read) => {
    turned = null;
    adapted = ADAPTED[reader] ?? {};
    const mistakes = new Set<string>();
    const operations = (await lookedAt(read)).map(({ operation }) => operation);
    for (const operation of operations) {
      made.add(operation);
      if (KEPT.has(operation) && !['the App itself', 'token for git'].includes(reader)) continue;
      for (const body of kindsOf(operation)) {
        turned = { operation, body };
        const looked = (await lookedAt(read)).find((one) => one.operation === operation);
        for (const path of looked?.paths ?? []) {
          if (/^\d+$/.test(String(path.at(-1)))) continue;
          for (const mistake of await mistakesAt(read, operation, body, path)) mistakes.add(mistake);
        }
      }
    }
    expect([...mistakes]).toEqual([]);
  });

  test('all calls of the client are made', () => {
    expect(forgeCalls().filter((call) => !made.has(call))).toEqual([]);
    counts.calls = made.size;
  });
});
