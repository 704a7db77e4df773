/** Workflow files as far as they say when something runs and what its checks are called. */
import { minimatch } from 'minimatch';
import { parse } from 'yaml';
import { z } from 'zod';

import type { GitRepository } from '../git-repository.ts';

const FOLDER = '.github/workflows';

const patterns = z.union([z.array(z.string()), z.string().transform((one) => [one])]).optional();
const filter = z
  .looseObject({
    branches: patterns,
    'branches-ignore': patterns,
    tags: patterns,
    'tags-ignore': patterns,
    types: patterns,
  })
  .nullable();
type Filter = z.output<typeof filter>;

const triggers = z.union([
  z.string().transform((name) => ({ [name]: null })),
  z.array(z.string()).transform((names) => Object.fromEntries(names.map((name) => [name, null]))),
  z.record(z.string(), z.unknown()),
]);

const job = z.looseObject({
  name: z.string().optional(),
  if: z.union([z.string(), z.boolean()]).optional(),
  steps: z.array(z.looseObject({ run: z.string().optional() })).default([]),
});

const workflow = z.looseObject({
  name: z.string().optional(),
  on: triggers,
  jobs: z.record(z.string(), job),
});

export interface Workflow {
  readonly path: string;
  readonly name: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: readonly { readonly name: string; readonly conclusion: 'success' | 'failure' | 'skipped' }[];
}

/** The workflows of a commit. What cannot be read as one is passed over: GitHub would show a run that failed at once. */
export async function workflowsAt(git: GitRepository, sha: string): Promise<readonly Workflow[]> {
  const folder = await git.entry(sha, FOLDER);
  if (folder?.type !== 'tree') return [];
  const found: Workflow[] = [];
  for (const { path: file, type, sha: blob } of await git.tree(folder.sha)) {
    if (type !== 'blob' || !/\.ya?ml$/.test(file)) continue;
    const content = await git.object(blob);
    const read = workflow.safeParse(parsed(content?.content.toString() ?? ''));
    const path = `${FOLDER}/${file}`;
    if (read.success) found.push(workflowOf(path, read.data));
  }
  return found;
}

function workflowOf(path: string, { name = path, on, jobs }: z.output<typeof workflow>): Workflow {
  return {
    path,
    name,
    on,
    jobs: Object.entries(jobs).map(([id, one]) => ({
      name: one.name ?? id,
      conclusion: one.if === false || one.if === 'false' ? 'skipped' : conclusionOf(one.steps),
    })),
  };
}

/** Nothing is run: a job fails where a step says `exit` and another number than 0 on a line of its own. */
function conclusionOf(steps: readonly { readonly run?: string | undefined }[]): 'success' | 'failure' {
  return steps.some(({ run = '' }) => /^\s*exit [1-9]\d*\s*$/m.test(run)) ? 'failure' : 'success';
}

/** What may start a workflow. */
export interface Trigger {
  readonly event: 'push' | 'pull_request' | 'merge_group';
  /** `opened`; of a push none. */
  readonly action?: string | undefined;
  /** The ref that was pushed, or of a pull request its base's. */
  readonly ref: string;
}

/** Types of activity of `pull_request` that start a workflow which names none (docs.github.com, "Events that trigger workflows"). */
const USUAL_TYPES = ['opened', 'synchronize', 'reopened'];

/** Whether it starts this workflow, by event, type of activity, branch and tag. Filters by path are not looked at. */
export function startsOn({ on }: Workflow, { event, action, ref }: Trigger): boolean {
  if (!(event in on)) return false;
  const read = filter.safeParse(on[event] ?? null);
  const wanted: Filter = read.success ? read.data : null;
  if (event === 'pull_request' && !(wanted?.types ?? USUAL_TYPES).includes(action ?? '')) return false;
  if (event === 'merge_group') return true;
  const branch = ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
  const { branches, 'branches-ignore': noBranches, tags, 'tags-ignore': noTags } = wanted ?? {};
  const namesBranches = branches !== undefined || noBranches !== undefined;
  const namesTags = tags !== undefined || noTags !== undefined;
  // Whoever names only tags, or only branches, is not started by the others ("Workflow syntax", `on.push`).
  if (branch !== undefined) return (namesBranches || !namesTags) && passes(branch, branches, noBranches);
  return (namesTags || !namesBranches) && passes(ref.slice('refs/tags/'.length), tags, noTags);
}

/** The last pattern that fits decides; one with `!` takes out. */
function passes(
  name: string,
  wanted: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
): boolean {
  if (ignored?.some((pattern) => minimatch(name, pattern)) === true) return false;
  if (wanted === undefined) return true;
  const last = wanted.findLast((pattern) => minimatch(name, pattern.replace(/^!/, '')));
  return last !== undefined && !last.startsWith('!');
}

function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}
