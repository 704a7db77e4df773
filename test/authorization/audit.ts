/**
 * What the forge saw people and the bot do, in order: refs that moved with whoever was signed in, reviews, comments,
 * pull requests. The oracle reads this and git, and nothing that the bot says of itself.
 */
import type { LocalForge } from '@portico/localforge';
import type { Role } from '@portico/localforge/records';

interface Happened {
  /** Order in which things happened. */
  readonly seq: number;
  readonly step: number;
  /** `owner/name` */
  readonly repo: string;
  readonly by: string;
  readonly isBot: boolean;
  /** In that repository, at that moment. */
  readonly role: Role;
}

export interface Moved extends Happened {
  readonly kind: 'moved';
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly forced: boolean;
}

/** What a person saw of a pull request who spoke at that moment. */
interface Seen {
  readonly pull: number;
  readonly head: string;
  /** The commit that the registered branch held. */
  readonly base: string;
}

export interface Reviewed extends Happened, Seen {
  readonly kind: 'reviewed';
  readonly id: number;
  readonly state: string;
}

export interface Dismissed extends Happened {
  readonly kind: 'dismissed';
  readonly pull: number;
  readonly review: number;
}

export interface Commented extends Happened, Partial<Seen> {
  readonly kind: 'commented';
  readonly id: number;
  /** Number of the issue or pull request. */
  readonly pull: number;
  readonly body: string;
}

export interface Edited extends Happened {
  readonly kind: 'edited';
  readonly id: number;
  readonly body: string;
}

export interface Opened extends Happened {
  readonly kind: 'opened';
  readonly pull: number;
  /** Of the head branch. */
  readonly headRepo: string;
  readonly headRef: string;
}

/** Anything else that somebody wrote through REST. */
export interface Wrote extends Happened {
  readonly kind: 'wrote';
  readonly what: string;
}

export type AuditEvent = Moved | Reviewed | Dismissed | Commented | Edited | Opened | Wrote;
export type AuditKind = AuditEvent['kind'];

export interface Audit {
  readonly events: readonly AuditEvent[];
  /** Begins the next step: what happens from now on belongs to it. */
  next(): number;
  of<Kind extends AuditKind>(kind: Kind, repo?: string): Extract<AuditEvent, { kind: Kind }>[];
  /** The role that a person has now. */
  roleOf(login: string, repo: string): Role;
}

interface Shape {
  readonly id?: number;
  readonly number?: number;
  readonly body?: string | null;
  readonly state?: string;
  readonly commit_id?: string;
  readonly user?: { readonly login: string; readonly type: string };
  readonly head?: { readonly ref: string; readonly repo: { readonly full_name: string } | null };
}

/** Listens to a forge for these repositories (`owner/name`, and forks of them). */
export function startAudit(forge: LocalForge, concerns: (repo: string) => boolean): Audit {
  const { context } = forge;
  const events: AuditEvent[] = [];
  let step = 0;

  const roleOf = (login: string, repo: string): Role => {
    const [owner = '', name = ''] = repo.split('/');
    const repository = context.records.repositoryByName(owner, name);
    const account = context.records.accountByLogin(login);
    return repository === undefined || account === undefined
      ? 'none'
      : context.access.roleOf(account, repository);
  };
  const happened = (repo: string, by: string, isBot: boolean): Happened => ({
    seq: events.length,
    step,
    repo,
    by,
    isBot,
    role: isBot ? 'none' : roleOf(by, repo),
  });
  const resolve = async (repo: string, ref: string): Promise<string | null> => {
    const [owner = '', name = ''] = repo.split('/');
    const git = context.git(context.records.repositoryByName(owner, name)!);
    return (await git.ref(ref))?.sha ?? null;
  };
  const seenAt = async (repo: string, pull: number, commit?: string): Promise<Seen | null> => {
    const head = commit ?? (await resolve(repo, `refs/pull/${pull}/head`));
    const base = await resolve(repo, 'refs/heads/main');
    return head === null || base === null ? null : { pull, head, base };
  };

  context.refs.onUpdated(({ repository, actor, updates }) => {
    const repo = context.urls.fullName(repository);
    if (!concerns(repo)) return;
    for (const { ref, before, after, forced } of updates) {
      const who = happened(repo, actor.user.login, actor.kind === 'installation');
      events.push({ ...who, kind: 'moved', ref, before, after, forced });
    }
  });

  forge.onEffect(async ({ kind, method, route, repo, detail }) => {
    if (kind !== 'rest' || !concerns(repo)) return;
    const reply = (detail['reply'] ?? {}) as Shape;
    const path = String(detail['path']);
    const numbers = [...path.matchAll(/\/(\d+)(?=\/|$)/g)].map(([, digits]) => Number(digits));
    const [pull = 0, second = 0] = numbers;
    const who = happened(repo, reply.user?.login ?? '?', reply.user?.type === 'Bot');
    const what = `${method} ${route.replace(/^.*?:repo/, '')}`;
    if (what === 'POST /pulls/:number/reviews') {
      const seen = await seenAt(repo, pull, reply.commit_id);
      if (seen !== null && reply.state !== 'PENDING') {
        events.push({ ...who, ...seen, kind: 'reviewed', id: reply.id!, state: reply.state! });
      }
      if (/^\s*\/portico/m.test(reply.body ?? '')) {
        const body = reply.body!;
        events.push({ ...who, ...seen, kind: 'commented', id: -reply.id!, pull, body });
      }
    } else if (what === 'PUT /pulls/:number/reviews/:review/dismissals') {
      // The reply names who gave the review.
      events.push({ ...who, kind: 'dismissed', pull, review: second });
    } else if (what === 'POST /issues/:number/comments') {
      const seen = await seenAt(repo, pull);
      events.push({ ...who, ...seen, kind: 'commented', id: reply.id!, pull, body: reply.body ?? '' });
    } else if (what === 'PATCH /issues/comments/:comment') {
      events.push({ ...who, kind: 'edited', id: reply.id!, body: reply.body ?? '' });
    } else if (what === 'POST /pulls') {
      const { head, number } = reply;
      events.push({
        ...who,
        kind: 'opened',
        pull: number!,
        headRepo: head?.repo?.full_name ?? repo,
        headRef: head?.ref ?? '',
      });
    } else events.push({ ...who, kind: 'wrote', what });
  });

  return {
    events,
    next: () => (step += 1),
    of: (kind, repo) =>
      events.filter(
        (one): one is Extract<AuditEvent, { kind: typeof kind }> =>
          one.kind === kind && (repo === undefined || one.repo === repo),
      ),
    roleOf,
  };
}
