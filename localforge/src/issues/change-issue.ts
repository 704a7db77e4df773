/** Changes that issues and pull requests share; each tells under the right event. */
import { emitFor } from '../acting.ts';
import type { IssueRecord, LabelRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { changePull, pullById } from '../pulls/pull-events.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { simpleUser } from '../shapes/account.ts';
import { issueShape, labelShape } from '../shapes/issue.ts';
import type { Shape } from '../shapes/shape.ts';

/** Does `change` and emits `issues` or `pull_request` with `action`, in one transaction. */
export async function changeIssue({
  context,
  repository,
  issue,
  sender,
  action,
  change,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly issue: IssueRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly change: () => void;
  readonly extra?: Shape | undefined;
}): Promise<void> {
  if (issue.pullId !== null) {
    const pull = pullById(context, issue.pullId);
    await changePull({ context, repository, pull, sender, action, change, extra });
    return;
  }
  context.store.transaction(() => {
    change();
    const shown = issueShape(context, repository, issueById(context, issue.id));
    emitFor({ context, repository, sender, event: 'issues', action, payload: { issue: shown, ...extra } });
  });
}

/** Puts exactly these labels on an issue; what comes and goes is told label by label. */
export async function setLabels({
  context,
  repository,
  issue,
  sender,
  labels,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly issue: IssueRecord;
  readonly sender: AccountRecord;
  readonly labels: readonly LabelRecord[];
}): Promise<void> {
  const wanted = labels.map((label) => label.id);
  const { labels: known } = collaborationStore(context.store);
  for (const id of issue.labelIds.filter((each) => !wanted.includes(each))) {
    const label = known.get(id);
    const extra = label === undefined ? {} : { label: labelShape(context, repository, label) };
    await changeList({
      context,
      repository,
      issue,
      sender,
      action: 'unlabeled',
      field: 'labelIds',
      id,
      extra,
    });
    if (label !== undefined) remember({ context, issue, sender, event: 'unlabeled', label });
  }
  for (const label of labels.filter((each) => !issue.labelIds.includes(each.id))) {
    const extra = { label: labelShape(context, repository, label) };
    await changeList({
      context,
      repository,
      issue,
      sender,
      action: 'labeled',
      field: 'labelIds',
      id: label.id,
      extra,
    });
    remember({ context, issue, sender, event: 'labeled', label });
  }
}

function remember({
  context,
  issue: { id },
  sender,
  event,
  label: { name, color },
}: {
  readonly context: ForgeContext;
  readonly issue: IssueRecord;
  readonly sender: AccountRecord;
  readonly event: 'labeled' | 'unlabeled';
  readonly label: LabelRecord;
}): void {
  const { issueEvents } = collaborationStore(context.store);
  issueEvents.insert({ issueId: id, event, name, color, userId: sender.id, createdAt: context.now() });
}

/** Assigns exactly these people. */
export async function setAssignees({
  context,
  repository,
  issue,
  sender,
  wanted,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly issue: IssueRecord;
  readonly sender: AccountRecord;
  readonly wanted: readonly number[];
}): Promise<void> {
  const extra = (id: number): Shape => ({ assignee: simpleUser(context, context.records.account(id)) });
  for (const id of issue.assigneeIds.filter((each) => !wanted.includes(each))) {
    await changeList({
      context,
      repository,
      issue,
      sender,
      action: 'unassigned',
      field: 'assigneeIds',
      id,
      extra: extra(id),
    });
  }
  for (const id of wanted.filter((each) => !issue.assigneeIds.includes(each))) {
    await changeList({
      context,
      repository,
      issue,
      sender,
      action: 'assigned',
      field: 'assigneeIds',
      id,
      extra: extra(id),
    });
  }
}

/** The labels of these names; those that the repository lacks are made, as GitHub does. */
export function labelsNamed(
  context: ForgeContext,
  repository: RepositoryRecord,
  sender: AccountRecord,
  names: readonly string[],
): LabelRecord[] {
  const { labels } = collaborationStore(context.store);
  return [...new Set(names)].map((name) => {
    const known = labels.first('name', [repository.id, name.toLowerCase()]);
    if (known !== undefined) return known;
    return context.store.transaction(() => {
      const label = labels.insert({
        repositoryId: repository.id,
        name,
        color: 'ededed',
        description: null,
        default: false,
      });
      emitFor({
        context,
        repository,
        sender,
        event: 'label',
        action: 'created',
        payload: {
          label: labelShape(context, repository, label),
        },
      });
      return label;
    });
  });
}

/** The present record of an issue. */
export function issueById(context: ForgeContext, id: number): IssueRecord {
  const issue = collaborationStore(context.store).issues.get(id);
  if (issue === undefined) throw new TypeError(`There is no issue ${id}.`);
  return issue;
}

async function changeList({
  context,
  repository,
  issue,
  sender,
  action,
  field,
  id,
  extra,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly issue: IssueRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly field: 'labelIds' | 'assigneeIds';
  readonly id: number;
  readonly extra: Shape;
}): Promise<void> {
  const change = (): void => {
    const others = issueById(context, issue.id)[field].filter((each) => each !== id);
    const list = action.startsWith('un') ? others : [...others, id];
    collaborationStore(context.store).issues.update(issue.id, { [field]: list, updatedAt: context.now() });
  };
  await changeIssue({ context, repository, issue, sender, action, change, extra });
}
