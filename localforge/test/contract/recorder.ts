/** Holds everything that passes through a forge against GitHub's descriptions. */
import type { HttpExchange } from '../../src/exchanges.ts';
import type { LocalForge } from '../../src/forge.ts';
import { DEVIATIONS } from './deviations.ts';
import { judgeExchange, judgeWebhook } from './validate.ts';
import type { Problem } from './validate.ts';

export interface Finding extends Problem {
  /** How the forge answered; 0 for webhooks. */
  readonly status: number;
  /** How often it was seen. */
  readonly times: number;
}

export interface ContractReport {
  readonly requests: number;
  readonly replies: number;
  readonly webhooks: number;
  /** Operations and webhooks that were seen. */
  readonly operations: readonly string[];
  readonly webhookNames: readonly string[];
  /** Requests that GitHub would not take, whatever the forge answered. */
  readonly invalidRequests: readonly Finding[];
  /** Those of them that the forge took. */
  readonly acceptedInvalid: readonly Finding[];
  readonly invalidReplies: readonly Finding[];
  readonly invalidWebhooks: readonly Finding[];
  /** Findings that the table of deviations explains. */
  readonly excused: number;
}

export interface ContractRecorder extends Disposable {
  /** What was found until now. Webhooks are read from the forge, so it must still be open. */
  report(): ContractReport;
}

/** Records every REST call and webhook of a forge until it is disposed of. GraphQL checks itself. */
export function recordContract(forge: LocalForge): ContractRecorder {
  const findings = new Map<string, Finding>();
  const operations = new Set<string>();
  let [requests, replies, excused] = [0, 0, 0];
  const first = forge.context.records.deliveries.all({ order: 'desc', limit: 1 })[0]?.id ?? 0;

  const note = (into: Map<string, Finding>, problem: Problem, status: number): void => {
    const known = DEVIATIONS.some((deviation) => explains(deviation, problem));
    if (known) {
      excused += 1;
      return;
    }
    const key = `${problem.kind} ${problem.operation} ${problem.problem} ${status}`;
    into.set(key, { ...problem, status, times: (into.get(key)?.times ?? 0) + 1 });
  };
  const stop = forge.onExchange((exchange) => {
    const path = apiPath(exchange.url.pathname);
    if (path === undefined) return;
    requests += 1;
    replies += 1;
    const judged = judgeExchange({
      method: exchange.method,
      path,
      query: exchange.url.searchParams,
      requestBody: parsed(exchange.requestBody),
      status: exchange.status,
      replyBody: exchange.replyType.includes('json') ? parsed(exchange.replyBody) : undefined,
    });
    if (judged.operation !== undefined) operations.add(judged.operation);
    for (const problem of judged.problems) {
      if (!isOtherMedia(exchange, problem)) note(findings, problem, exchange.status);
    }
  });

  return {
    report: () => {
      const hooks = new Map<string, Finding>();
      const names = new Set<string>();
      const deliveries = forge.context.records.deliveries.all().filter((delivery) => delivery.id > first);
      const before = excused;
      for (const delivery of deliveries) {
        const judged = judgeWebhook(delivery.event, parsed(delivery.payload));
        if (judged.operation !== undefined) names.add(judged.operation);
        for (const problem of judged.problems) note(hooks, problem, 0);
      }
      const total = excused;
      excused = before;
      const found = [...findings.values()];
      const invalidRequests = found.filter((finding) => finding.kind === 'request');
      return {
        requests,
        replies,
        webhooks: deliveries.length,
        operations: [...operations].sort(),
        webhookNames: [...names].sort(),
        invalidRequests,
        acceptedInvalid: invalidRequests.filter((finding) => finding.status < 400),
        invalidReplies: found.filter((finding) => finding.kind === 'reply'),
        invalidWebhooks: [...hooks.values()],
        excused: total,
      };
    },
    [Symbol.dispose]: stop,
  };
}

/** The counts in one line. */
export function summary(report: ContractReport): string {
  return [
    `${report.requests} requests (${report.invalidRequests.length} kinds invalid, ${report.acceptedInvalid.length} of them accepted)`,
    `${report.replies} replies (${report.invalidReplies.length} kinds invalid)`,
    `${report.webhooks} webhooks (${report.invalidWebhooks.length} kinds invalid)`,
    `${report.operations.length} operations, ${report.webhookNames.length} kinds of webhook`,
    `${report.excused} explained deviations`,
  ].join('; ');
}

function apiPath(pathname: string): string | undefined {
  const path = pathname.replace(/^\/api\/v3(?=\/|$)/, '').replace(/^\/repositories\/\d+/, '/repos/by/number');
  if (path.endsWith('/graphql')) return undefined;
  return path.endsWith('/contents') ? `${path}/` : path;
}

/** Diffs, patches and raw files are asked for by media type and are not described. */
function isOtherMedia(exchange: HttpExchange, problem: Problem): boolean {
  return problem.problem.endsWith('is not JSON') && exchange.replyType.startsWith('application/vnd.github');
}

function explains(deviation: (typeof DEVIATIONS)[number], problem: Problem): boolean {
  const { operation } = deviation;
  const fits =
    typeof operation === 'string' ? operation === problem.operation : operation.test(problem.operation);
  return fits && deviation.kind === problem.kind && deviation.problem.test(problem.problem);
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
