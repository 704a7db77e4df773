import { join } from 'node:path';

import { EXIT } from '../cli/exit-code.ts';
import { findLeftovers, leftoversText } from '../cli/leftovers.ts';
import { startLocalPortico } from '../cli/local-portico.ts';
import type { LocalPortico, LocalPorticoOptions } from '../cli/local-portico.ts';
import { portOption } from '../cli/port.ts';
import { realisticOption } from '../cli/realistic.ts';
import { until } from '../cli/serve.ts';
import { visible } from '../cli/terminal.ts';
import type { Call } from '../cli/verb.ts';
import { PorticoError } from '../error.ts';
import { castConfig } from './cast.ts';
import { choosePackages, type Choice } from './choose.ts';
import { invitation } from './invitation.ts';
import { createNarrator } from './narrator.ts';
import { findPackages, sourceFolder, temporaryFolder } from './seed.ts';
import { tellStory } from './story.ts';
import type { Plot, StoryPages } from './story.ts';
import { printSummary, summarise } from './summary.ts';

/** The package of our own that the story is about. */
const HERO = 'web-app';

/** `portico demo`: the whole story on a local forge, then leaves it running to be looked at. */
export async function demo(call: Call): Promise<number> {
  const { terminal } = call;
  const from = call.text('from');
  const source = await sourceFolder(from === undefined ? undefined : localPath(call, from));
  const workspace = temporaryFolder();
  try {
    const choice = source.own
      ? { packages: findPackages(source.path), hero: HERO }
      : await choose(call, source.path, from ?? '');
    await using local = await start(call, `${workspace.path}/data`);
    const plot = { source: source.path, ...choice, own: source.own, workspace: `${workspace.path}/trees` };
    const code = await playDemo(local, plot, { terminal, signal: call.signal, once: call.has('once') });
    await local.stop();
    return code;
  } finally {
    workspace.remove();
    source.remove();
  }
}

/** Chooses what to play of a person's folder, and reports first what is left out. */
async function choose(call: Call, folder: string, from: string): Promise<Choice> {
  const { terminal } = call;
  const all = findPackages(folder);
  const choice = await choosePackages(folder);
  const typed = (path: string): string => (isAddress(from) ? path : join(from, path));
  const leftovers = findLeftovers(folder, choice?.packages ?? all, typed);
  const say = terminal.json ? terminal.say : terminal.print;
  if (leftovers.length > 0) say(`Left out of the demo:\n\n${visible(leftoversText(leftovers))}\n`);
  if (choice !== undefined) return choice;
  const [first] = all;
  throw new PorticoError(
    'DEMO_SOURCE',
    first === undefined
      ? `${from} holds no kpt package`
      : `no package of ${from} renders with the built-in functions`,
    {
      blame: 'user',
      hint:
        first === undefined
          ? 'Turn a folder of it into a package with `npm run portico -- init DIR`; a package has a file Kptfile.'
          : `See why with \`npm run portico -- check ${typed(first)}\`.`,
    },
  );
}

/** Where the forge is by default, so that README can name it. */
const PORT = 4280;

async function start(call: Call, dataDir: string): Promise<LocalPortico> {
  const port = portOption(call);
  const options: LocalPorticoOptions = {
    dataDir,
    config: castConfig(),
    realistic: realisticOption(call),
    logLevel: call.has('verbose') ? 'info' : 'error',
  };
  if (port !== undefined || call.has('once')) return startLocalPortico({ ...options, port: port ?? 0 });
  try {
    return await startLocalPortico({ ...options, port: PORT });
  } catch (error) {
    if (!(error instanceof PorticoError) || error.code !== 'FORGE_PORT') throw error;
    return startLocalPortico(options);
  }
}

/**
 * Tells the story, prints what came of it and what can be tried, and waits for the signal; with `once` it ends after the
 * story. Gives the exit code.
 */
export async function playDemo(
  local: LocalPortico,
  plot: Plot,
  { terminal, signal, once }: Pick<Call, 'terminal' | 'signal'> & { readonly once: boolean },
): Promise<number> {
  const narrator = createNarrator(terminal);
  const pages = await tells(local, narrator, plot);
  const summary = await summarise(local.forge.apiUrl, narrator.sections);
  if (terminal.json) terminal.document(summary);
  else printSummary(terminal, summary);
  if (!once && pages !== undefined) {
    // With --json, stdout holds one document and nothing else.
    const say = terminal.json ? terminal.say : terminal.print;
    say(`\n${visible(invitation({ web: local.forge.url, hero: plot.hero, own: plot.own, pages }))}\n`);
    say('Ctrl+C ends it, and nothing of it is kept.');
    await until(signal);
  }
  return pages !== undefined && summary.ok ? EXIT.ok : EXIT.failed;
}

/** Undefined when a step did not happen; the narrator has said which. */
async function tells(...story: Parameters<typeof tellStory>): Promise<StoryPages | undefined> {
  const [, narrator] = story;
  try {
    return await tellStory(...story);
  } catch (error) {
    if (narrator.sections.some(({ ok }) => !ok)) return undefined;
    throw error;
  }
}

function localPath(call: Call, from: string): string {
  return isAddress(from) ? from : call.path(from);
}

const isAddress = (from: string): boolean => /^[a-z+]+:\/\//.test(from);
