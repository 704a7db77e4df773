/** Oracle: what is hidden from somebody reads like what is not there. */
import type { StageRepository } from '../reconcile/stage-repository.ts';
import { rulesAt } from './git-facts.ts';
import type { Finding } from './publishing.ts';
import { commandsIn } from './said.ts';
import { nameOf, type World } from './world.ts';

/** A repository that never was, beside one that its readers may not know. */
export const absentOf = (number: number): string => `nix${number}`;

/** Whatever the bot says of the one in a repository whose people may not read it, it says of the other. */
export async function tellsNothing(world: World, number: number): Promise<Finding[]> {
  const [hidden, absent] = [nameOf('lib', number), absentOf(number)];
  const findings: Finding[] = [];
  for (const [place, repository] of world.places) {
    if (place === 'lib' || place === 'shop') continue;
    // It names this one as a place that may speak of it.
    const rules = world.places.has('lib') ? await rulesAt(world.at('lib'), 'main') : null;
    if (rules?.controlledBy.includes(`${repository.owner}/${repository.repo}`) === true) continue;
    const texts = await wordsOf(world, repository);
    const about = (name: string): Set<string> =>
      new Set(texts.flatMap((line) => (line.includes(name) ? [line.replaceAll(name, 'NAME')] : [])));
    const [of, not] = [about(hidden), about(absent)];
    // Only where somebody asked about both.
    if (not.size > 0) {
      for (const line of [...of, ...not].filter((one) => of.has(one) !== not.has(one))) {
        const which = of.has(line) ? 'hidden' : 'absent';
        findings.push({
          code: 'tells',
          what: `${place} says of what is ${which} alone: ${line.slice(0, 300)}`,
        });
      }
    }
    findings.push(...(await answersDiffer(world, repository, hidden, absent)));
  }
  return findings;
}

/** All that stands there by the bot, by line. */
async function wordsOf({ stage }: World, repository: StageRepository): Promise<string[]> {
  const { rest } = stage.as('alice');
  const { data: issues } = await rest.issues.listForRepo({
    ...repository.where,
    state: 'all',
    per_page: 100,
  });
  const bodies = issues.filter(({ user }) => user?.type === 'Bot').map(({ body }) => body ?? '');
  const checks = await repository.checks(await repository.head('main'));
  const outputs = [...checks.values()].map(({ output }) =>
    [output.title, output.summary, output.text].join('\n'),
  );
  return [...bodies, ...outputs].flatMap((text) => text.split('\n'));
}

/** The same command about both, by the same person, is answered alike. */
async function answersDiffer(
  { audit }: World,
  repository: StageRepository,
  hidden: string,
  absent: string,
): Promise<Finding[]> {
  const commands = commandsIn(audit, `${repository.owner}/${repository.repo}`);
  const findings: Finding[] = [];
  for (const one of commands.filter(({ body }) => body.includes(absent))) {
    const twin = commands.find(
      ({ body, by }) => by === one.by && body === one.body.replaceAll(absent, hidden),
    );
    if (twin === undefined || audit.roleOf(one.by, `acme/${hidden}`) !== 'none') continue;
    const [a, b] = await Promise.all([one, twin].map(({ pull, id }) => repository.answerTo(pull, id)));
    const [said, saidOfHidden] = [a!, b!].map(({ reaction, reply }) =>
      `${reaction} ${reply ?? ''}`
        .replaceAll(absent, 'NAME')
        .replaceAll(hidden, 'NAME')
        .replaceAll(/\d{1,}/g, '0'),
    );
    if (said !== saidOfHidden) {
      findings.push({
        code: 'tells',
        what: `"${one.body}" is answered "${said}", of what is hidden "${saidOfHidden}"`,
      });
    }
  }
  return findings;
}
