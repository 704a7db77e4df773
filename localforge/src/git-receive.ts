import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import type { ForgeContext } from './context.ts';
import { RULES, signedBefore, type Objection } from './gate.ts';
import { answerWhole, collect, startBackend, writeCgiHead } from './git-backend.ts';
import type { GitRequest } from './git-backend.ts';
import { readPushHead, withReasons } from './pkt-line.ts';
import type { PushHead } from './pkt-line.ts';
import { gateText, pushReasons } from './push-hook.ts';
import { pushedCommits } from './pushed-commits.ts';
import type { RefServiceCore } from './ref-service.ts';
import { refusal } from './refusal.ts';
import { isVerified } from './signatures.ts';
import type { Actor } from './viewer.ts';

/** The commands of a push must fit in this. */
const MAX_HEAD = 8 * 1024 * 1024;

/** Takes a push: judged beforehand, carried out by git, told afterwards. */
export async function receivePush({
  context,
  refs,
  hooksDirectory,
  asked,
  request,
  response,
}: {
  readonly context: ForgeContext;
  readonly refs: RefServiceCore;
  readonly hooksDirectory: string;
  readonly asked: GitRequest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}): Promise<void> {
  const { repository } = asked;
  const actor = asked.viewer as Actor;
  const zipped = /gzip/.test(request.headers['content-encoding'] ?? '');
  const body = (zipped ? request.pipe(createGunzip()) : request) as Readable;
  const { head, start, rest } = await readHead(body);
  const changes = head.commands.filter((command) => command.before !== null || command.after !== null);
  if (changes.length === 0) {
    await answerWhole(startBackend(context, asked, request, {}), start, rest, response);
    return;
  }
  const reasons = pushReasons();
  let report: { head: string; body: Buffer } | undefined;
  const moved = await refs.push(repository, actor, changes, async (stated) => {
    const sent = stated.some(({ unless }) => unless === 'signatures')
      ? await wholeOf(start, rest)
      : undefined;
    const found =
      sent === undefined ? stated : await judgeSignatures({ context, asked, changes, stated, sent });
    const backend = startBackend(context, asked, request, {
      GIT_CONFIG_KEY_1: 'core.hooksPath',
      GIT_CONFIG_VALUE_1: found.length === 0 ? '/dev/null' : hooksDirectory,
      FORGE_GATE: gateText(found),
      FORGE_REASONS: reasons.file,
    });
    report = await collect(backend, sent ?? start, sent === undefined ? rest : NOTHING());
  });
  const reasonsGiven = await reasons.read();
  if (moved.length > 0) {
    await context.effect({
      kind: 'push',
      method: 'POST',
      route: '/:owner/:repo/git-receive-pack',
      repo: context.urls.fullName(repository),
      detail: { updates: moved },
    });
  }
  if (report === undefined) throw refusal(500, 'git http-backend gave no answer.');
  writeCgiHead(report.head, response);
  response.end(withReasons(report.body, reasonsGiven));
}

async function wholeOf(start: Buffer, rest: AsyncIterator<Buffer>): Promise<Buffer> {
  const parts = [start];
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) parts.push(next.value);
  return Buffer.concat(parts);
}

const NOTHING = (): AsyncIterator<Buffer> => ({
  next: () => Promise.resolve({ done: true, value: undefined }),
});

/** The demand for signatures stands or falls before git carries the push out: its hook could not tell. */
async function judgeSignatures({
  context,
  asked: { repository },
  changes,
  stated,
  sent,
}: {
  readonly context: ForgeContext;
  readonly asked: GitRequest;
  readonly changes: PushHead['commands'];
  readonly stated: readonly Objection[];
  readonly sent: Buffer;
}): Promise<Objection[]> {
  const { directory } = context.git(repository);
  const judged: Objection[] = [];
  for (const objection of stated) {
    const change = changes.find(({ ref }) => ref === objection.ref);
    const tip = change?.after;
    if (objection.unless !== 'signatures') judged.push(objection);
    else if (tip !== undefined && tip !== null) {
      const commits = await pushedCommits(directory, sent, {
        tip,
        known: signedBefore(objection, change?.before ?? null),
      });
      const bad = commits.find(({ sha, content }) => !isVerified(context, sha, content));
      if (bad !== undefined) {
        // Rulesets name the commit, protection does not (sustainable-computing-io/kepler#240).
        const violation = objection.reason === RULES ? ` Found 1 violation: ${bad.sha}` : '';
        judged.push({ ...objection, unless: null, explanation: `${objection.explanation}${violation}` });
      }
    }
  }
  return judged;
}

/** Reads until the commands are complete; `rest` goes on after `start`. */
async function readHead(
  body: Readable,
): Promise<{ head: PushHead; start: Buffer; rest: AsyncIterator<Buffer> }> {
  const rest = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await rest.next().catch(() => {
      throw refusal(400, 'The body of the push cannot be read.');
    });
    if (next.done === true) throw refusal(400, 'The push ended before its commands.');
    start = Buffer.concat([start, next.value]);
    if (start.length > MAX_HEAD) throw refusal(413, 'The push has too many refs.');
    try {
      const head = readPushHead(start);
      if (head !== undefined) return { head, start, rest };
    } catch {
      throw refusal(400, 'This is not a git push.');
    }
  }
}
