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
export async function changeIssue(
  context: ForgeContext,
  repository: RepositoryRecord,
  issue: IssueRecord,
  sender: AccountRecord,
  action: string,
  change: () => void,
  extra: Shape = {},
): Promise<void> {
  if (issue.pullId !== null) {
    const pull = pullById(context, issue.pullId);
    await changePull(context, repository, pull, sender, action, change, extra);
    return;
  }
  context.store.transaction(() => {
    change();
    const shown = issueShape(context, repository, issueById(context, issue.id));
    emitFor(context, repository, sender, 'issues', action, { issue: shown, ...extra });
  });
}

/** Puts exactly these labels on an issue; what comes and goes is told label by label. */
export async function setLabels(
  context: ForgeContext,
  repository: RepositoryRecord,
  issue: IssueRecord,
  sender: AccountRecord,
  labels: readonly LabelRecord[],
): Promise<void> {
  const wanted = labels.map((label) => label.id);
  const { labels: known } = collaborationStore(context.store);
  for (const id of issue.labelIds.filter((each) => !wanted.includes(each))) {
    const label = known.get(id);
    const extra = label === undefined ? {} : { label: labelShape(context, repository, label) };
    await changeList(context, repository, issue, sender, 'unlabeled', 'labelIds', id, extra);
    if (label !== undefined) remember(context, issue, sender, 'unlabeled', label);
  }
  for (const label of labels.filter((each) => !issue.labelIds.includes(each.id))) {
    const extra = { label: labelShape(context, repository, label) };
    await changeList(context, repository, issue, sender, 'labeled', 'labelIds', label.id, extra);
    remember(context, issue, sender, 'labeled', label);
  }
}

function remember(
  context: ForgeContext,
  { id }: IssueRecord,
  sender: AccountRecord,
  event: 'labeled' | 'unlabeled',
  { name, color }: LabelRecord,
): void {
  const { labelEvents } = collaborationStore(context.store);
  labelEvents.insert({ issueId: id, event, name, color, userId: sender.id, createdAt: context.now() });
}

/** Assigns exactly these people. */
export async function setAssignees(
  context: ForgeContext,
  repository: RepositoryRecord,
  issue: IssueRecord,
  sender: AccountRecord,
  wanted: readonly number[],
): Promise<void> {
  const extra = (id: number): Shape => ({ assignee: simpleUser(context, context.records.account(id)) });
  for (const id of issue.assigneeIds.filter((each) => !wanted.includes(each))) {
    await changeList(context, repository, issue, sender, 'unassigned', 'assigneeIds', id, extra(id));
  }
  for (const id of wanted.filter((each) => !issue.assigneeIds.includes(each))) {
    await changeList(context, repository, issue, sender, 'assigned', 'assigneeIds', id, extra(id));
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
      emitFor(context, repository, sender, 'label', 'created', {
        label: labelShape(context, repository, label),
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

async function changeList(
  context: ForgeContext,
  repository: RepositoryRecord,
  issue: IssueRecord,
  sender: AccountRecord,
  action: string,
  field: 'labelIds' | 'assigneeIds',
  id: number,
  extra: Shape,
): Promise<void> {
  const change = (): void => {
    const others = issueById(context, issue.id)[field].filter((each) => each !== id);
    const list = action.startsWith('un') ? others : [...others, id];
    collaborationStore(context.store).issues.update(issue.id, { [field]: list, updatedAt: context.now() });
  };
  await changeIssue(context, repository, issue, sender, action, change, extra);
}
