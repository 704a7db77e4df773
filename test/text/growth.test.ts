import { describe, expect, test } from 'vitest';

import { repositoryPlace } from '../../src/catalog/repository-place.ts';
import { unsealedRecord } from '../../src/command/approval-record.ts';
import { parseIssueForm } from '../../src/command/issue-form.ts';
import { parseComment } from '../../src/command/parse.ts';
import { readUpstream } from '../../src/command/upstream-wish.ts';
import { ownersOfAll, parseCodeOwners } from '../../src/config/code-owners.ts';
import { createSenders } from '../../src/intake/sender.ts';
import { unifiedPatch } from '../../src/package/diff/patch.ts';
import { tickedPackages } from '../../src/reconcile/dashboard/body.ts';
import type { CommitInfo } from '../../src/reconcile/git-port.ts';
import { mergeRequestOf } from '../../src/reconcile/publication/merge-message.ts';
import { outsideAddress } from '../../src/reconcile/repository/outside-upstream.ts';
import { readCommitRecord, unreadConflicts } from '../../src/reconcile/seal/commit-seal.ts';
import { readSealedComments } from '../../src/reconcile/seal/sealed-comment.ts';
import { claimsConflicts, readConflicts } from '../../src/reconcile/seal/update-record.ts';
import { code, fenced, sentence, foreignSentence } from '../../src/reconcile/text/markdown-blocks.ts';
import { createKeyring } from '../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { porchAnnotations } from '../../src/revision/porch-annotation.ts';
import { parseProvenance } from '../../src/revision/provenance.ts';
import { parseBranch } from '../../src/revision/ref-name.ts';
import { createScrubber } from '../../src/telemetry/log.ts';
import { cutText, shorten } from '../../src/text/cut-text.ts';
import { cell, codeSpan, fence, inert, inertSentence } from '../../src/text/markdown.ts';
import { holdsCredentials, scrubSecrets } from '../../src/text/secrets.ts';

/**
 * Whatever reads text of others takes time in proportion to its length. Each function is given each piece repeated to a
 * length and to four times as much, alone and with something behind it that lets nothing match. It passes when the longer
 * one takes little, or not more than eight times as much as the shorter one (a square would be sixteen times). To cover another
 * function, add a row.
 */
const seals = createKeyring(['a key']);
const bytes = (text: string): Uint8Array => Buffer.from(text);
const commit = (message: string): CommitInfo =>
  ({ oid: 'a', tree: 'b', parents: ['c'], message }) as unknown as CommitInfo;
const scrub = createScrubber(['a webhook secret', 'another one']);
const senders = createSenders(['127.0.0.1']);

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ['scrubSecrets', scrubSecrets],
  ['the scrubber of the log', scrub],
  ['holdsCredentials', holdsCredentials],
  ['inert', inert],
  ['inertSentence', inertSentence],
  ['codeSpan', (text) => codeSpan(text)],
  ['fence', (text) => fence(text, 'text')],
  ['cell', cell],
  ['code', code],
  ['told', foreignSentence],
  ['fenced', (text) => fenced(text)],
  ['sentence', sentence],
  ['cutText', (text) => cutText(text, { characters: 5_000 })],
  ['cutText by bytes', (text) => cutText(text, { bytes: 5_000 })],
  ['shorten', (text) => shorten(text, 200)],
  ['parseComment', parseComment],
  ['parseIssueForm', parseIssueForm],
  ['readUpstream', readUpstream],
  ['unsealedRecord', (text) => unsealedRecord(text, { repository: '1', pull: 1 }, seals)],
  ['readSealedComments', (text) => readSealedComments('plan', '1#1', text, seals)],
  ['readConflicts', (text) => [readConflicts('1 b', text, seals), claimsConflicts(text)]],
  ['readCommitRecord', (text) => [readCommitRecord(commit(text), seals), unreadConflicts(commit(text))]],
  ['mergeRequestOf', (text) => mergeRequestOf(text, { repository: 1, pull: 1, head: '1' }, seals)],
  ['parseProvenance', parseProvenance],
  ['porchAnnotations', porchAnnotations],
  ['parseBranch', parseBranch],
  ['tickedPackages', tickedPackages],
  ['CODEOWNERS', (text) => ownersOfAll(parseCodeOwners(text), ['a/b.yaml', text.slice(0, 4_000)])],
  [
    'outsideAddress',
    (text) =>
      outsideAddress(`https://host.example/${text}`, {
        allow: ['https://host.example/*'],
        own: 'https://forge.example',
      }),
  ],
  ['repositoryDirectory', repositoryDirectory],
  ['repositoryPlace', (text) => repositoryPlace(`https://host.example/${text}`)],
  ['unifiedPatch', (text) => unifiedPatch([{ path: 'a', mode: '100644', before: null, after: bytes(text) }])],
  [
    'X-Forwarded-For',
    (text) =>
      senders.ofRequest({
        headers: { 'x-forwarded-for': text },
        socket: { remoteAddress: '127.0.0.1' } as never,
      }),
  ],
];

const PIECES = [
  'a',
  ' ',
  '\n',
  '\r',
  '/',
  ':',
  '://:',
  '://::::',
  '@',
  '://a@',
  '-',
  '=',
  '\\',
  '|',
  '\\|',
  '`',
  '``` ',
  '` `` ',
  '~~~\n',
  '<',
  '<!--',
  '-->',
  '<details>',
  '![',
  '[',
  '](',
  '- ',
  '> ',
  '1. ',
  '- [ ] ',
  '&',
  '&#',
  '&a',
  '#',
  '#1',
  'GH-',
  'eyJ',
  'eyJ-',
  'eyJaaaaaaaa.',
  'a.',
  'ghs_',
  'Z2hzX',
  'basic ',
  'token ',
  'token a',
  '?token=',
  '?a_',
  '&a-token',
  'https://',
  'https://github.com/',
  '://a/b/c/',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----END ',
  '/portico ',
  '\n/portico a',
  '"',
  "'",
  '{',
  '%41',
  '### a\n\n',
  'kpt:{',
  '<!-- portico:sealed ',
  '<!-- portico:record ',
  '<!-- portico:conflicts ',
  'Portico-Commit: ',
  '\nA: b',
  '*',
  '**/',
  'é',
  '\u202e',
  '1.2.3.4, ',
  '_',
] as const;

/** What opens something that never ends, and what it is filled with. */
const OPENED = [
  ['://', ':'],
  ['://', 'a:'],
  ['://', '@'],
  ['eyJ', 'a'],
  ['&', 'a'],
  ['`', 'a'],
  ['<!-- portico:sealed a ', 'a'],
  ['-----BEGIN ', 'A'],
  ['basic ', ' '],
  ['token ', 'a'],
  ['https://', 'a'],
  ['?', 'a_'],
  ['- ', ' '],
  ['Portico-Commit: ', 'a'],
  ['/portico ', '"'],
] as const;

const SIZE = 12_000;
/** Below it nothing is told apart from the machine's own noise. */
const LITTLE_MS = 40;

/** The least of several runs, in milliseconds of this thread. */
function cost(read: (text: string) => unknown, text: string): number {
  let least = Infinity;
  for (let run = 0; run < 3; run += 1) {
    const before = process.threadCpuUsage();
    read(text);
    const { user } = process.threadCpuUsage(before);
    least = Math.min(least, user / 1000);
    if (least < LITTLE_MS) break;
  }
  return least;
}

/** What such an expression costs that begins anew at each character. */
const square = (text: string): unknown => /a+$/.test(`${text}x`);

describe('time grows as the text does', () => {
  test.each(READERS)('%s (72)', (_name, read) => {
    const slow: string[] = [];
    for (const [open, piece] of [...PIECES.map((one) => ['', one] as const), ...OPENED]) {
      for (const end of ['', ' \u0001x']) {
        const text = (size: number): string => open + piece.repeat(Math.ceil(size / piece.length)) + end;
        const long = cost(read, text(4 * SIZE));
        if (long < LITTLE_MS) continue;
        const short = cost(read, text(SIZE));
        if (long > 8 * short) slow.push(`${JSON.stringify(open + piece)}: ${short} ms, ${long} ms`);
      }
    }
    expect(slow).toEqual([]);
  });

  test('the measure tells a square from a line', () => {
    // V8 interprets an expression at first, and compiles it when it is used again.
    for (let times = 0; times < 3; times += 1) square('a'.repeat(4_000));
    const long = cost(square, 'a'.repeat(16_000));
    expect(long).toBeGreaterThan(8 * cost(square, 'a'.repeat(4_000)));
  });
});
