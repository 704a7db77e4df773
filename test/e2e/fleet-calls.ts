/** How many calls of the forge the processes of a bot have made, by kind, as their own metrics count them. */

/** Kind → calls. */
export type FleetCalls = Readonly<Record<'content' | 'writes' | 'reads' | 'unchanged' | 'graphql', number>>;

const CREATES =
  /^POST \/repos\/\{owner\}\/\{repo\}\/(?:pulls|issues|releases|issues\/\{issue_number\}\/comments|pulls\/\{pull_number\}\/reviews)$/;

/** Since the processes at these ports began. Tokens are left out: they live for an hour. */
export async function callsOf(ports: readonly number[]): Promise<FleetCalls> {
  const sum = { content: 0, writes: 0, reads: 0, unchanged: 0, graphql: 0 };
  for (const port of ports) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [, route = '', status = '', count] of text.matchAll(
      /^portico_github_call_seconds_count\{route="([^"]+)",status="(\d+)"\} (\d+)/gm,
    )) {
      if (!route.endsWith('/access_tokens')) sum[kindOf(route, status)] += Number(count);
    }
  }
  return sum;
}

function kindOf(route: string, status: string): keyof FleetCalls {
  if (route.endsWith('/graphql')) return 'graphql';
  if (route.startsWith('GET ')) return status === '304' ? 'unchanged' : 'reads';
  return CREATES.test(route) || route.endsWith('/merge') ? 'content' : 'writes';
}

export function since(before: FleetCalls, after: FleetCalls): FleetCalls {
  const minus = (kind: keyof FleetCalls): number => after[kind] - before[kind];
  return {
    content: minus('content'),
    writes: minus('writes'),
    reads: minus('reads'),
    unchanged: minus('unchanged'),
    graphql: minus('graphql'),
  };
}

/** Lines of a table for docs/fleet.md. */
export function callsTable(phases: readonly (readonly [string, FleetCalls])[]): readonly string[] {
  return [
    '| | creates content | other writes | reads | reads with 304 | GraphQL |',
    '|---|---|---|---|---|---|',
    ...phases.map(
      ([name, { content, writes, reads, unchanged, graphql }]) =>
        `| ${[name, content, writes, reads, unchanged, graphql].join(' | ')} |`,
    ),
  ];
}
