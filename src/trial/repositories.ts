import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { Rest } from './rest.ts';
import { read, answerText } from './rest.ts';

/** What a repository that a trial made says of itself; nothing else is ever deleted. */
const DESCRIPTION = 'Made by `portico trial`; may be deleted';

/** The first commit of a repository in which a trial was played. */
export const FIRST_COMMIT = 'Begin a Portico trial';

export interface Place {
  readonly id: number;
  readonly name: string;
  /** Made by this trial, and deleted at its end. */
  readonly made: boolean;
}

const repositorySchema = z.object({
  id: z.number(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  archived: z.boolean(),
});

/** Makes a private repository. */
export async function makeRepository(admin: Rest, organization: string, name: string): Promise<Place> {
  const body = { name, private: true, description: DESCRIPTION, has_wiki: false, has_projects: false };
  const { id } = await admin.read(repositorySchema, 'POST', `/orgs/${organization}/repos`, body);
  return { id, name, made: true };
}

/**
 * A repository that a person named: it must be empty, or hold nothing but what an earlier trial left. One without commits may
 * be where people ask things in issues, which a trial would close.
 * @throws PorticoError TRIAL_REPOSITORY
 */
export async function takeRepository(rest: Rest, owner: string, name: string): Promise<Place> {
  const answer = await rest.ask('GET', `/repos/${owner}/${name}`);
  if (answer.status !== 200) {
    throw refusedRepository(name, `the App cannot see it: ${answerText(answer)}`);
  }
  const { id, archived } = read(repositorySchema, answer);
  if (archived) throw refusedRepository(name, 'it is archived');
  const branches = await rest.ask('GET', `/repos/${owner}/${name}/commits?per_page=1`);
  // GitHub answers 409 "Git Repository is empty.".
  if (branches.status === 409) {
    const issues = await rest.ask('GET', `/repos/${owner}/${name}/issues?state=open&per_page=1`);
    if (issues.status !== 200)
      throw refusedRepository(name, `its issues are not told: ${answerText(issues)}`);
    if (read(z.array(z.unknown()), issues).length > 0) throw refusedRepository(name, 'it has open issues');
    return { id, name, made: false };
  }
  const root = await rest.ask('GET', `/repos/${owner}/${name}/contents/${MARK_FILE}?ref=main`);
  if (root.status === 200) return { id, name, made: false };
  throw refusedRepository(name, 'it is not empty');
}

/** In the first commit of a repository that a trial used. */
export const MARK_FILE = '.portico-trial';
export const MARK_TEXT = 'This repository is used by `portico trial`, which deletes everything else in it.\n';

function refusedRepository(name: string, why: string): PorticoError {
  return new PorticoError('TRIAL_REPOSITORY', `no trial is played in ${name}: ${why}`, {
    blame: 'user',
    hint: 'Name two empty repositories that the App is installed on.',
  });
}

/** Deletes a repository that this trial made. */
export async function deleteRepository(admin: Rest, owner: string, place: Place): Promise<string | null> {
  const answer = await admin.ask('DELETE', `/repos/${owner}/${place.name}`);
  return answer.status === 204 || answer.status === 404 ? null : answerText(answer);
}

const leftSchema = z.object({
  repositories: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      owner: z.object({ login: z.string() }),
      description: z.string().nullish(),
      created_at: z.string(),
    }),
  ),
});

/** Another trial may be under way beside this one. */
const LEFT_AFTER_MS = 2 * 3_600_000;

/** Repositories that a trial made which was killed before it could delete them. */
export async function leftOver(rest: Rest, organization: string, now: number): Promise<Place[]> {
  const { repositories } = await rest.read(leftSchema, 'GET', '/installation/repositories?per_page=100');
  return repositories
    .filter(({ owner }) => owner.login.toLowerCase() === organization.toLowerCase())
    .filter(({ name, description }) => name.startsWith('portico-trial-') && description === DESCRIPTION)
    .filter((one) => now - Date.parse(one.created_at) > LEFT_AFTER_MS)
    .map(({ id, name }) => ({ id, name, made: true }));
}
