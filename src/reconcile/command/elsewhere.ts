/**
 * A command about one package of another repository of the same owner, decided there as if it had been said there. A repository
 * that the caller cannot see, or that may not be known here, reads like one that does not exist.
 */
import { repositoryName, type CatalogRepository } from '../../catalog/catalog.ts';
import { authorize } from '../../command/authorize.ts';
import type { ElsewhereRequest } from '../../command/elsewhere.ts';
import type { CommandLine } from '../../command/parse.ts';
import { commandNamed } from '../../command/table.ts';
import { defaultRepositoryConfig } from '../../config/parse-repository-config.ts';
import { closestWord } from '../../package/closest-word.ts';
import { joined } from '../../text/joined.ts';
import type { CommentSource } from '../comment-source.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { loadCaller } from '../repository/caller.ts';
import { mayKnow } from '../repository/visibility.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import type { CommandRequest } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import { catchUserError } from '../text/why-refused.ts';
import { logCommand } from './audit.ts';
import type { BulkResult } from './bulk-record.ts';
import { carryOut } from './bulk-run.ts';
import type { CommandOutcome } from './comment-reply.ts';
import { isInReach, reasonTold } from './fleet-targets.ts';
import { loadElsewherePlace } from './place.ts';

interface Elsewhere extends RepositoryWork {
  readonly source: CommentSource;
  readonly asked: CommandRequest;
  readonly line: CommandLine;
  readonly request: ElsewhereRequest;
}

/** Null: the conversation is gone, so there is no place for an answer. */
export async function runElsewhere(doing: Elsewhere): Promise<CommandOutcome | null> {
  const { ports, access, source, asked, line, request, signal } = doing;
  // Right after a start, what is not known yet may still be there, and who may be known may have changed.
  needWholeIndex(ports);
  const here = ports.catalog.get(access.ref.id);
  if (here === undefined) {
    const text = 'This repository has not been indexed yet. Try again in a few minutes.';
    return { line, outcome: 'refused', text };
  }
  const conversation = await access.forge.getIssue(asked.number, signal);
  if (conversation === null) return null;
  const there = ports.catalog.byName(request.repository);
  if (there === undefined || !isInReach(here, there) || !(await canSee(ports, source, there, signal))) {
    return { line, outcome: 'refused', text: await unknownRepository(doing, here) };
  }
  const { state, locked } = conversation;
  const issue = { kind: 'issue', number: asked.number, state, locked } as const;
  const result = await catchUserError(
    () => runThere(doing, here, there, issue),
    (why): BulkResult => ({ outcome: 'failed', text: reasonTold(here, there, why, elsewhereReason(there)) }),
  );
  if (result === null) return { line, outcome: 'refused', text: await unknownRepository(doing, here) };
  const { outcome, text } = result;
  return { line, outcome, ...(text !== '' && { text }) };
}

/** Null where the repository is not registered now. */
async function runThere(
  { ports, access: { ref }, source, asked, line: { verb }, request, signal }: Elsewhere,
  here: CatalogRepository,
  there: CatalogRepository,
  issue: Parameters<typeof loadElsewherePlace>[1],
): Promise<BulkResult | null> {
  const access = await ports.open(there.ref, signal);
  const work = { ports, access, signal };
  const place = await loadElsewherePlace(work, issue, source);
  if (place === null) return null;
  const about = repositoryName(there);
  const mention = mayKnow(there, here) ? `${repositoryName(here)}#${asked.number}` : undefined;
  const from = { repository: ref, about, ...(mention !== undefined && { mention }) };
  const result = await carryOut(work, place, { ...asked, from }, { line: `${verb} ${request.rest}` });
  const asking = { author: source.author, id: asked.id, number: asked.number, from: ref };
  logCommand({ ports, access, asking, verb, outcome: result.outcome, state: place.state });
  const command = commandNamed(verb);
  const isAllowed =
    command !== undefined && authorize(place.state.config, command, place.state.caller).kind === 'allowed';
  const otherwise = isAllowed
    ? elsewhereReason(there)
    : `Your rights in ${code(about)} do not include \`/portico ${verb}\`.`;
  const text = result.outcome === 'done' ? result.text : reasonTold(here, there, result.text, otherwise);
  const where = `In [${code(about)}](${place.registered.facts.htmlUrl}):`;
  return { ...result, text: text === '' ? '' : joined([where, text], ' ') };
}

function elsewhereReason(there: CatalogRepository): string {
  const name = code(repositoryName(there));
  return `Not done. Readers of this issue may know ${name} only by name: run the command in an issue there to read why.`;
}

/** Whether the forge says that the caller can read a repository at this moment; asked before anything is read there. */
async function canSee(
  ports: Pick<Ports, 'open'>,
  { author: login, authorId: id, authorIsBot: isBot }: CommentSource,
  { ref }: CatalogRepository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const access = await ports.open(ref, signal);
  const who = { login, id, isBot, isAuthor: false };
  const { role } = await loadCaller(access, defaultRepositoryConfig(), who, signal);
  return role !== undefined && role !== 'none';
}

/** Names that are tried for a misspelt one: each costs a question to the forge. */
const MAX_TRIED = 5;

/** The same words whether there is no such repository or it must not be known: what is named is never compared with itself. */
async function unknownRepository(
  { ports, source, request, signal }: Elsewhere,
  here: CatalogRepository,
): Promise<string> {
  const wanted = request.repository.toLowerCase();
  const [path = ''] = request.rest.split(' ');
  const others = ports.catalog
    .all()
    .filter((one) => isInReach(here, one) && repositoryName(one).toLowerCase() !== wanted);
  const meant = await nearestVisible(others, wanted, (one) => canSee(ports, source, one, signal));
  return joined(
    [
      `No repository ${code(request.repository)} can be reached from here.`,
      meant === undefined ? '' : `Did you mean ${code(`${meant}:${path}`)}?`,
      'It must have the same owner and be registered, its configuration must name this repository in `controlledBy` or share with it, and you must be able to read it.',
    ],
    ' ',
  );
}

/** Repositories that the caller cannot see are passed over, so that they change no answer. */
async function nearestVisible(
  others: readonly CatalogRepository[],
  wanted: string,
  isVisible: (one: CatalogRepository) => Promise<boolean>,
): Promise<string | undefined> {
  const left = new Map(others.map((one) => [repositoryName(one), one]));
  for (let tried = 0; tried < MAX_TRIED; tried += 1) {
    const near = closestWord(wanted, [...left.keys()]);
    const one = near === undefined ? undefined : left.get(near);
    if (near === undefined || one === undefined) return undefined;
    if (await isVisible(one)) return near;
    left.delete(near);
  }
  return undefined;
}
