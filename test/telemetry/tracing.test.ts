import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';

import { smallPackage, step } from '../reconcile/small-package.ts';
import { startStage } from '../reconcile/stage.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status: { readonly code?: number };
}

/** A collector that keeps what it is sent. */
async function startCollector(): Promise<AsyncDisposable & { url: string; spans: Span[]; text: string[] }> {
  const spans: Span[] = [];
  const text: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      text.push(body);
      const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      spans.push(...sent.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a delivery is one trace: the webhook, the job that it asked for, and the calls of git and the forge in it', async () => {
  await using collector = await startCollector();
  {
    const files = Object.entries(
      smallPackage('one', { mutators: [step('set-namespace:v0.4.1', { namespace: 'shop' })] }),
    );
    await using stage = await startStage(
      { packages: { files: Object.fromEntries(files.map(([path, text]) => [`one/${path}`, text])) } },
      { tracesTo: collector.url },
    );
    await stage.repository('packages').propose('change', {
      'one/config.yaml': files[1]![1].replace('blue', 'red'),
    });
  }
  const { spans } = collector;
  const opened = spans.filter(({ name }) => name === 'webhook pull_request');
  expect(opened.length).toBeGreaterThan(0);
  const whole = opened.map((root) => spans.filter(({ traceId }) => traceId === root.traceId));
  const rendered = whole.find((trace) => trace.some(({ name }) => name === 'git push'))!;
  const names = rendered.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'webhook pull_request',
      'job proposal',
      'git push',
      'POST /repos/{owner}/{repo}/check-runs',
    ]),
  );
  // Everything hangs together: one root, and each parent is in the trace.
  const ids = new Set(rendered.map(({ spanId }) => spanId));
  const roots = rendered.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId));
  expect(roots.map(({ name }) => name)).toEqual(['webhook pull_request']);
  expect(collector.text.join('')).not.toMatch(/ghs_|BEGIN|x-access-token/);
});
