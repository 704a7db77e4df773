import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { movePullRef } from '../realism/pull-ref-lag.ts';
import type { RepositoryRecord } from '../records.ts';
import { invalid } from '../refusal.ts';
import { issueOf } from '../shapes/pull.ts';
import type { Actor } from '../viewer.ts';
import { headIn, headRepositoryOf } from './head-repository.ts';
import { dropStale } from './merge-queue.ts';
import { forgetTestMerge } from './mergeability.ts';
import { refuseDouble } from './open-pull.ts';
import { changePull, pullById } from './pull-events.ts';
import { closePull, reopenPull, touch } from './transitions.ts';

export interface PullEdit {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly base?: string | undefined;
}

/** Changes title, body, base and state, each with its webhook. @throws 422 when the base or the state cannot be so */
export async function editPull({
  context,
  repository,
  pull,
  actor,
  edit,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly edit: PullEdit;
}): Promise<void> {
  await editText({ context, repository, pull, actor, edit });
  if (edit.base !== undefined && edit.base !== pull.baseRef) {
    await retarget({ context, repository, pull, actor, base: edit.base });
  }
  const present = pullById(context, pull.id);
  const { state } = issueOf(context, present);
  if (edit.state === 'closed' && state === 'open') {
    await closePull({ context, repository, pull: present, by: actor.user });
    await dropStale(context, repository, pullById(context, pull.id));
  }
  if (edit.state === 'open' && state === 'closed') await reopen(context, repository, present, actor);
}

async function editText({
  context,
  repository,
  pull,
  actor,
  edit,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly edit: PullEdit;
}): Promise<void> {
  const { title, body } = issueOf(context, pull);
  const newTitle = edit.title ?? title;
  const newBody = edit.body === undefined ? body : edit.body;
  const changes = {
    ...(newTitle === title ? {} : { title: { from: title } }),
    ...(newBody === body ? {} : { body: { from: body ?? '' } }),
  };
  if (Object.keys(changes).length === 0) return;
  const change = (): void => {
    collaborationStore(context.store).issues.update(pull.issueId, {
      title: newTitle,
      body: newBody,
      updatedAt: context.now(),
      ...(newBody !== body && { edit: { at: context.now(), byId: actor.user.id } }),
    });
  };
  await changePull({
    context,
    repository,
    pull,
    sender: actor.user,
    action: 'edited',
    change,
    extra: { changes },
  });
}

async function retarget({
  context,
  repository,
  pull,
  actor,
  base,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly actor: Actor;
  readonly base: string;
}): Promise<void> {
  const git = context.git(repository);
  const tip = await git.ref(`refs/heads/${base}`);
  if (tip === undefined) throw invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (issueOf(context, pull).state === 'closed') {
    throw problem('base', 'Cannot change the base branch of a closed pull request.');
  }
  if (await git.isAncestor(pull.headSha, tip.sha)) {
    throw problem(
      'base',
      `There are no new commits between base branch '${base}' and head branch '${pull.headRef}'`,
    );
  }
  const source = headRepositoryOf(context, repository, pull) ?? repository;
  refuseDouble({ context, repository, source, headRef: pull.headRef, baseRef: base });
  const sides = { baseRef: base, baseSha: tip.sha };
  const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
  const change = (): void => {
    forgetTestMerge(context, pull);
    collaborationStore(context.store).pulls.update(pull.id, { ...sides, autoMerge: null });
    touch(context, pull);
    const event = 'base_ref_changed' as const;
    const by = { userId: actor.user.id, createdAt: context.now() };
    collaborationStore(context.store).issueEvents.insert({ issueId: pull.issueId, event, ...by });
  };
  await changePull({
    context,
    repository,
    pull: { ...pull, ...sides },
    sender: actor.user,
    action: 'edited',
    change,
    extra: { changes },
  });
}

async function reopen(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  actor: Actor,
): Promise<void> {
  if (pull.mergedAt !== null) throw problem('state', 'state cannot be changed. The pull request is merged.');
  const git = context.git(repository);
  const source = headRepositoryOf(context, repository, pull);
  const head = source && (await headIn(context, repository, source, pull.headRef));
  const base = await git.ref(`refs/heads/${pull.baseRef}`);
  if (source === undefined || head === undefined) {
    throw problem('state', `state cannot be changed. The ${pull.headRef} branch has been deleted.`);
  }
  if (base === undefined) {
    throw problem('state', `state cannot be changed. The ${pull.baseRef} branch has been deleted.`);
  }
  if (!(await git.isAncestor(pull.headSha, head.sha))) {
    const why = `The ${pull.headRef} branch was force-pushed or recreated.`;
    throw problem('state', `state cannot be changed. ${why}`);
  }
  if (await git.isAncestor(head.sha, base.sha)) {
    const why = `There are no new commits on the ${pull.headRef} branch.`;
    throw problem('state', `state cannot be changed. ${why}`);
  }
  refuseDouble({ context, repository, source, headRef: pull.headRef, baseRef: pull.baseRef });
  await movePullRef(context, repository, pull, head.sha);
  await reopenPull({
    context,
    repository,
    pull,
    by: actor.user,
    sides: { headSha: head.sha, baseSha: base.sha },
  });
}

const problem = (field: string, message: string): Error =>
  invalid({ resource: 'PullRequest', field, code: 'invalid', message });
