/** Pure: the environment of `portico run`, which GitHub Actions fills in part. */

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { EnvironmentFiles, Variables } from './environment-files.ts';
import {
  readEnvironment,
  readWorkflowEnvironment,
  type Environment,
  type WorkflowEnvironment,
} from './environment.ts';

const address = z
  .string()
  .regex(/^https?:\/\/[^\s/@]+(?:\/[^\s?#]*)?$/, 'must be the http or https address of a forge')
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''));

/** What a runner sets: docs.github.com, "Variables reference", default environment variables. */
const runner = z.object({
  GITHUB_TOKEN: z.string().min(1).optional(),
  GITHUB_REPOSITORY: z
    .string()
    .regex(/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/, 'must be owner/name')
    .optional(),
  GITHUB_API_URL: address.optional(),
  GITHUB_SERVER_URL: address.optional(),
});

/**
 * With APP_ID and a key the App speaks, for all that it is installed on; else the workflow's token, for its one repository.
 * @throws PorticoError CONFIG_ENVIRONMENT that names every variable that is missing or wrong, never its value
 */
export function readOneShotEnvironment(
  env: Variables,
  files: EnvironmentFiles,
): Environment | WorkflowEnvironment {
  const given = Object.entries(env).filter(([, value]) => value !== '');
  const read = runner.safeParse(Object.fromEntries(given));
  if (!read.success) {
    throw incomplete(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`));
  }
  const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository, ...urls } = read.data;
  const { GITHUB_API_URL: apiUrl, GITHUB_SERVER_URL: gitUrl } = urls;
  const addresses = apiUrl === undefined || gitUrl === undefined ? {} : { apiUrl, gitUrl };
  if ((env['APP_ID'] ?? '') !== '') {
    const isHostNamed = (env['GHE_HOST'] ?? '') !== '';
    return { ...readEnvironment(env, files, 'once'), ...(!isHostNamed && addresses) };
  }
  if (token === undefined || repository === undefined) {
    throw incomplete([
      'APP_ID is missing, and so is GITHUB_TOKEN or GITHUB_REPOSITORY: an App or the token of a workflow must speak',
    ]);
  }
  return { ...readWorkflowEnvironment(env, files, { token, repository }), ...addresses };
}

function incomplete(faults: readonly string[]): PorticoError {
  return new PorticoError('CONFIG_ENVIRONMENT', `the environment is not complete:\n${faults.join('\n')}`, {
    blame: 'user',
    hint: 'Set APP_ID and PRIVATE_KEY of the App; or, in a workflow, GITHUB_TOKEN, GITHUB_REPOSITORY and SEAL_KEYS.',
  });
}
