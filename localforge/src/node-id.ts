/** GitHub's global ids, as GraphQL knows them. Opaque to clients; here the type and the number in base64url. */

/** `nodeId('PullRequest', 17)` → `PullRequest_MTc`. */
export const nodeId = (type: string, id: number | string): string =>
  `${type}_${Buffer.from(String(id)).toString('base64url')}`;

/** The reverse of `nodeId`; undefined for anything else. */
export function parseNodeId(value: string): { readonly type: string; readonly id: string } | undefined {
  const match = /^([A-Za-z]+)_([A-Za-z0-9_-]+)$/.exec(value);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { type: match[1], id: Buffer.from(match[2], 'base64url').toString() };
}
