/** `git http-backend`, as a CGI program, for one request that is allowed. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import type { ForgeContext } from './context.ts';
import { startGit } from './git-process.ts';
import type { RepositoryRecord } from './records.ts';
import { refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

export interface GitRequest {
  readonly repository: RepositoryRecord;
  readonly viewer: Viewer;
  readonly action: string;
  readonly query: string;
}

export function protocolOf(request: IncomingMessage): Record<string, string> {
  const protocol = request.headers['git-protocol'];
  return typeof protocol === 'string' && /^[\w=:.-]{1,200}$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {};
}

/** Starts `git http-backend` for one request, as a CGI program. */
export function startBackend(
  context: ForgeContext,
  asked: GitRequest,
  request: IncomingMessage,
  extra: Readonly<Record<string, string>>,
): ReturnType<typeof startGit> {
  const directory = context.git(asked.repository).directory;
  const child = startGit(['http-backend'], {
    directory,
    env: {
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${asked.action}`,
      REQUEST_METHOD: request.method ?? 'GET',
      QUERY_STRING: asked.query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: asked.viewer.kind === 'anonymous' || asked.viewer.kind === 'app' ? '' : 'forge',
      REMOTE_ADDR: '127.0.0.1',
      ...protocolOf(request),
      ...extra,
    },
  });
  child.stderr.resume();
  child.stdin.on('error', () => {});
  return child;
}

export function writeCgiHead(head: string, response: ServerResponse): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

/** Feeds the program and collects its whole answer, which for a push is short. */
export async function collect(
  child: ReturnType<typeof startGit>,
  start: Buffer,
  rest: AsyncIterator<Buffer>,
): Promise<{ head: string; body: Buffer }> {
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(child, 'close');
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  }
  // A program that ends early has said why on its output.
  await pipeline(all(), child.stdin).catch(() => {});
  await closed;
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  if (end < 0) throw refusal(500, 'git http-backend gave no answer.');
  return { head: output.toString('latin1', 0, end), body: output.subarray(end + 4) };
}

/** Answers with all that the program says. */
export async function answerWhole(
  child: ReturnType<typeof startGit>,
  start: Buffer,
  rest: AsyncIterator<Buffer>,
  response: ServerResponse,
): Promise<void> {
  const answer = await collect(child, start, rest);
  writeCgiHead(answer.head, response);
  response.end(answer.body);
}
