/**
 * Whether the secrets of a step are out of reach of people who can push: a workflow on any branch reads the secrets of the repository, but
 * those of an environment only on branches that the environment lists. GitHub does not say where a secret comes from, nor which environment
 * a job runs in, so the step names the environment.
 */
import { z } from 'zod';

export interface EnvironmentQuestion {
  /** Empty where the step names none. */
  readonly environment: string;
  /** `owner/name` */
  readonly repository: string;
  readonly apiUrl: string;
  /** The workflow's token. */
  readonly token: string;
}

/** What is not as it should be, and what to do about it. */
export interface EnvironmentFault {
  readonly message: string;
  readonly hint: string;
}

const facts = z.object({ default_branch: z.string() });
const environmentFacts = z.object({
  deployment_branch_policy: z
    .object({ protected_branches: z.boolean(), custom_branch_policies: z.boolean() })
    .nullable(),
});
const policyList = z.object({
  total_count: z.number(),
  branch_policies: z.array(z.object({ name: z.string(), type: z.string().optional() })),
});

const WAY =
  'Put the secrets into an environment whose deployment branches are the default branch alone (docs/github-action.md, "Secrets").';
const ANSWER_MS = 10_000;

/** Returns undefined if only the default branch can use the environment; otherwise, or where that cannot be read, the fault. */
export async function environmentFault(question: EnvironmentQuestion): Promise<EnvironmentFault | undefined> {
  const { environment, repository } = question;
  if (environment === '') {
    return {
      message: 'The step names no environment, so anyone who can push may be able to read its secrets.',
      hint: `${WAY} Then name it with the input environment.`,
    };
  }
  const there = `/repos/${repository}/environments/${encodeURIComponent(environment)}`;
  try {
    const [{ default_branch: branch }, { deployment_branch_policy: policy }] = await Promise.all([
      read(question, `/repos/${repository}`, facts),
      read(question, there, environmentFacts),
    ]);
    if (policy === null) return open(environment, 'every branch');
    if (!policy.custom_branch_policies) return open(environment, 'every protected branch');
    const list = await read(question, `${there}/deployment-branch-policies?per_page=100`, policyList);
    const others = list.branch_policies.filter(
      ({ name, type = 'branch' }) => type !== 'branch' || name !== branch,
    );
    const [first] = others;
    if (first !== undefined) return open(environment, `${first.type ?? 'branch'} ${first.name}`);
    return list.total_count > list.branch_policies.length
      ? open(environment, 'more than 100 branches')
      : undefined;
  } catch (error) {
    return {
      message: `It cannot be checked who can use the environment ${environment}: ${(error as Error).message}`,
      hint: `Give the job the permission actions: read. ${WAY}`,
    };
  }
}

function open(environment: string, whom: string): EnvironmentFault {
  return {
    message: `The environment ${environment} is open to ${whom}: anyone who can push there can read its secrets.`,
    hint: WAY,
  };
}

async function read<Shape extends z.ZodType>(
  { apiUrl, token }: EnvironmentQuestion,
  path: string,
  shape: Shape,
): Promise<z.output<Shape>> {
  const answer = await fetch(`${apiUrl}${path}`, {
    headers: {
      accept: 'application/vnd.github+json',
      'user-agent': 'portico',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
  return shape.parse(await answer.json());
}
