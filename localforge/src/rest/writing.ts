/** What the write routes of issues and pull requests have in common. */
import { z } from 'zod';

import { permits, roleAtLeast } from '../access.ts';
import type { IssueRecord, PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { Role } from '../records.ts';
import { forbidden, invalid, notFound, refusal } from '../refusal.ts';
import type { ForgeRequest, RepositoryRequest } from '../request.ts';
import type { Actor } from '../viewer.ts';

/** What GitHub says of any body that is too long, however it counts there. */
const TOO_LONG = 'ody is too long (maximum is 65536 characters)';
/** Bytes of an issue or a comment, as on GitHub. */
const MAX_BYTES = 262_144;
/** Characters of a pull request's body, as on GitHub. */
const MAX_CODE_POINTS = 65_536;

/**
 * The body of an issue, a comment or a review as GitHub takes it: up to 262,144 bytes, whatever its refusal says
 * (measured: dead-claudia/github-limits#13, objectstack-ai/objectstack#18826).
 */
export const bodyText = z.string().refine((value) => {
  if (Buffer.byteLength(value) <= MAX_BYTES) return true;
  throw invalid({ resource: 'IssueComment', code: 'unprocessable', field: 'data', message: `B${TOO_LONG}` });
});

/** The body of a pull request: up to 65,536 code points (the same measurement). */
export const pullText = z.string().refine((value) => {
  if (value.length <= MAX_CODE_POINTS || Array.from(value).length <= MAX_CODE_POINTS) return true;
  throw invalid({ resource: 'Issue', code: 'custom', field: 'body', message: `b${TOO_LONG}` });
});

/** A number in the path; anything else is not found. */
export function numberParam(request: ForgeRequest, name: string): number {
  const text = request.param(name);
  if (!/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

/** The issue, or issue side of a pull request, that the path names. */
export function issueAt(context: ForgeContext, request: RepositoryRequest, name = 'number'): IssueRecord {
  const number = numberParam(request, name);
  const issue = collaborationStore(context.store).issues.first('number', [request.repository.id, number]);
  if (issue === undefined) throw notFound();
  refuseOtherKind(request, issue);
  return issue;
}

/**
 * An App needs the permission of what it touches: issues or, on a pull request, one of both. Routes let either in.
 * @throws 403
 */
export function refuseOtherKind(request: RepositoryRequest, issue: IssueRecord): void {
  const { viewer } = request;
  const readable = request.method === 'GET' && !request.repository.private;
  if (viewer.kind !== 'installation' || issue.pullId !== null || readable) return;
  const level = request.method === 'GET' ? 'read' : 'write';
  if (!permits(viewer.permissions, `issues:${level}`))
    throw forbidden('Resource not accessible by integration');
}

/** The pull request that the path names. */
export function pullAt(context: ForgeContext, request: RepositoryRequest, name = 'number'): PullRecord {
  const number = numberParam(request, name);
  const pull = collaborationStore(context.store).pulls.first('number', [request.repository.id, number]);
  if (pull === undefined) throw notFound();
  return pull;
}

/** The next number of issues and pull requests. */
export function nextNumber(context: ForgeContext, repositoryId: number): number {
  return context.store.sequence(`number:${repositoryId}`);
}

/** Whether the actor has that role, or is an installation, whose permissions the route has checked. */
export function hasRole(request: RepositoryRequest, actor: Actor, role: Role): boolean {
  return actor.kind === 'installation' || roleAtLeast(request.role, role);
}

/** The actor, who must have the role or be the author. @throws 403 */
export function editor(request: RepositoryRequest, authorId: number, role: Role = 'write'): Actor {
  const actor = request.actor();
  if (actor.user.id !== authorId && !hasRole(request, actor, role)) {
    throw forbidden('You do not have permission to edit this.');
  }
  return actor;
}

/** Refuses writing in a locked conversation without write access. @throws 403 */
export function refuseLocked(request: RepositoryRequest, issue: IssueRecord, actor: Actor): void {
  if (issue.locked && !hasRole(request, actor, 'write')) {
    throw refusal(403, 'Unable to create comment because issue is locked.');
  }
}

/** The users of these logins. @throws 422 for a login that nobody has */
export function usersOf(
  context: ForgeContext,
  resource: string,
  field: string,
  logins: readonly string[],
): number[] {
  return logins.map((login) => {
    const account = context.records.accountByLogin(login);
    if (account === undefined || account.type === 'Organization') {
      throw refusal(422, 'Validation Failed', {
        errors: [{ resource, field, code: 'invalid', value: login }],
      });
    }
    return account.id;
  });
}

/** Compares two moments or numbers for a list's `sort` and `direction`. */
export function sorted<T>(items: readonly T[], key: (item: T) => string | number, direction: string): T[] {
  const sign = direction === 'asc' ? 1 : -1;
  return items.toSorted((a, b) => {
    const [one, other] = [key(a), key(b)];
    return one < other ? -sign : one > other ? sign : 0;
  });
}
