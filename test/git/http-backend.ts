import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Real smart HTTP: `git http-backend` as a CGI program behind a node server, with Basic authentication. */
export interface GitServer extends AsyncDisposable {
  /** Holds bare repositories and whatever a test puts there. */
  readonly root: string;
  readonly url: string;
  /** The token that is let in; undefined lets in everybody. */
  token: string | undefined;
  /** `METHOD path?query` of each request. */
  readonly requests: string[];
  /** Answers a request itself when it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** What of an answer's body is sent; undefined: all of it. */
  cut: ((body: Buffer) => Buffer) | undefined;
  /** Makes a bare repository `name.git`; returns its directory. */
  create(name: string): string;
}

export async function startGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'portico-git-'));
  const execPath = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim();
  const requests: string[] = [];
  const server: Pick<GitServer, 'token' | 'intercept' | 'cut'> = {
    token: 'ghs_secret',
    intercept: undefined,
    cut: undefined,
  };
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (server.intercept?.(request, response)) return;
    const basic = Buffer.from(`x-access-token:${server.token}`).toString('base64');
    if (server.token !== undefined && request.headers.authorization !== `Basic ${basic}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    runBackend(
      root,
      join(execPath, 'git-http-backend'),
      request,
      response,
      (body) => server.cut?.(body) ?? body,
    );
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(server, {
    root,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    create: (name: string): string => {
      const dir = join(root, `${name}.git`);
      execFileSync('git', ['init', '-q', '--bare', '-b', 'main', dir]);
      for (const setting of ['http.receivepack', 'uploadpack.allowAnySHA1InWant']) {
        execFileSync('git', ['-C', dir, 'config', setting, 'true']);
      }
      return dir;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      http.closeAllConnections();
      await new Promise((resolve) => {
        http.close(resolve);
      });
      rmSync(root, { recursive: true, force: true });
    },
  });
}

function runBackend(
  root: string,
  program: string,
  request: IncomingMessage,
  response: ServerResponse,
  cut: (body: Buffer) => Buffer,
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const child = spawn(program, [], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'portico',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'],
      CONTENT_LENGTH: request.headers['content-length'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
      const [name = '', value = ''] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(cut(output.subarray(end + 4)));
  });
}
