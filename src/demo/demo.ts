import { EXIT } from '../cli/exit-code.ts';
import { startLocalPortico } from '../cli/local-portico.ts';
import type { LocalPortico, LocalPorticoOptions } from '../cli/local-portico.ts';
import { portOption } from '../cli/port.ts';
import { realisticOption } from '../cli/realistic.ts';
import { until } from '../cli/serve.ts';
import { visible } from '../cli/terminal.ts';
import type { Call } from '../cli/verb.ts';
import { PorticoError } from '../error.ts';
import { castConfig } from './cast.ts';
import { choosePackages } from './choose.ts';
import { invitation } from './invitation.ts';
import { createNarrator } from './narrator.ts';
import { findPackages, sourceFolder, temporaryFolder } from './seed.ts';
import { tellStory } from './story.ts';
import type { Plot } from './story.ts';
import { printSummary, summarise } from './summary.ts';

/** The package of our own that the story is about. */
const HERO = 'web-app';

/** `portico demo`: the whole story on a local forge, then leaves it running to be looked at. */
export async function demo(call: Call): Promise<number> {
  const { terminal } = call;
  const from = call.text('from');
  const source = await sourceFolder(from === undefined ? undefined : localPath(call, from));
  const choice = source.own
    ? { packages: findPackages(source.path), hero: HERO }
    : await choosePackages(source.path);
  if (choice === undefined) {
    throw new PorticoError(
      'DEMO_SOURCE',
      `${from ?? ''} holds no package that renders with the built-in functions`,
      {
        blame: 'user',
        hint: 'Give a folder or repository with kpt packages whose pipelines use functions that Portico has built in.',
      },
    );
  }
  const workspace = temporaryFolder();
  try {
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

/** Where the forge is by default, so that README can name it. */
const PORT = 4280;

/** Long after the story: README names a pull request by its number, and the issues of dashboards count with them. */
export const DASHBOARDS_AFTER_SECONDS = 600;

async function start(call: Call, dataDir: string): Promise<LocalPortico> {
  const port = portOption(call);
  const options: LocalPorticoOptions = {
    dataDir,
    config: castConfig(),
    realistic: realisticOption(call),
    logLevel: call.has('verbose') ? 'info' : 'error',
    dashboardSeconds: DASHBOARDS_AFTER_SECONDS,
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
  const happened = await tells(local, narrator, plot);
  const summary = await summarise(local.forge.apiUrl, narrator.sections);
  if (terminal.json) terminal.document(summary);
  else printSummary(terminal, summary);
  if (!once && happened) {
    // With --json, stdout holds one document and nothing else.
    const say = terminal.json ? terminal.say : terminal.print;
    say(`\n${visible(invitation({ web: local.forge.url, hero: plot.hero, own: plot.own }))}\n`);
    say('Ctrl+C ends it, and nothing of it is kept.');
    await until(signal);
  }
  return happened && summary.ok ? EXIT.ok : EXIT.failed;
}

/** False when a step did not happen; the narrator has said which. */
async function tells(...story: Parameters<typeof tellStory>): Promise<boolean> {
  const [, narrator] = story;
  try {
    await tellStory(...story);
    return true;
  } catch (error) {
    if (narrator.sections.some(({ ok }) => !ok)) return false;
    throw error;
  }
}

function localPath(call: Call, from: string): string {
  return /^[a-z+]+:\/\//.test(from) ? from : call.path(from);
}
