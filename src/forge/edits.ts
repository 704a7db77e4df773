import type { CommentsPort } from '../reconcile/forge/comments.ts';
import { isForgeError } from './forge-error.ts';
import { runGraphql } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';

/**
 * Who changed a text: whoever may write here may change the words of others, and the times that REST tells are of a resolution
 * of a second.
 */
export function createEditsApi(context: RepositoryContext): Pick<CommentsPort, 'isEdited' | 'isAuthorsOwn'> {
  return {
    isEdited: async ({ nodeId, author, submittedAt }, signal) => {
      const edit = await editOf(context, nodeId, signal);
      if (edit === null) return true;
      const { lastEditedAt, editor, includesCreatedEdit } = edit;
      if (lastEditedAt === null && editor === null && !includesCreatedEdit) return false;
      // A review may be written in parts before it is given; then nobody but its author sees it.
      if (submittedAt === undefined || submittedAt === null || editor?.login !== author) return true;
      return !(Date.parse(lastEditedAt ?? '') <= Date.parse(submittedAt));
    },
    isAuthorsOwn: async ({ nodeId, author }, signal) => {
      const edit = await editOf(context, nodeId, signal);
      if (edit === null) return false;
      const { lastEditedAt, editor, includesCreatedEdit } = edit;
      if (editor === null) return lastEditedAt === null && !includesCreatedEdit;
      return loginOf(editor) === author;
    },
  };
}

/** GraphQL names a bot without what REST adds to its login; a person may have that name. */
function loginOf({ __typename: type, login }: NonNullable<Edit['editor']>): string {
  return type === 'Bot' && !login.endsWith('[bot]') ? `${login}[bot]` : login;
}

async function editOf(
  context: RepositoryContext,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Edit | null> {
  try {
    const { node } = await runGraphql<Answer>({
      octokit: context.octokit,
      name: 'edited',
      document: EDITED,
      variables: { id },
      signal,
    });
    const { lastEditedAt, editor, includesCreatedEdit } = node ?? {};
    if (lastEditedAt === undefined || editor === undefined || includesCreatedEdit === undefined) return null;
    return { lastEditedAt, editor, includesCreatedEdit };
  } catch (error) {
    if (isForgeError(error, 'FORGE_NOT_FOUND')) return null;
    throw error;
  }
}

const EDITED = `query Edited($id: ID!) {
  node(id: $id) {
    ... on IssueComment { lastEditedAt includesCreatedEdit editor { __typename login } }
    ... on Issue { lastEditedAt includesCreatedEdit editor { __typename login } }
    ... on PullRequestReview { lastEditedAt includesCreatedEdit editor { __typename login } }
  }
}`;

interface Edit {
  readonly lastEditedAt: string | null;
  readonly editor: { readonly __typename?: string; readonly login: string } | null;
  readonly includesCreatedEdit: boolean;
}

interface Answer {
  readonly node: Partial<Edit> | null;
}
