import { EXIT } from '../cli/exit-code.ts';
import { startLocalPortico } from '../cli/local-portico.ts';
import { until } from '../cli/serve.ts';
import type { Call } from '../cli/verb.ts';
import { PorticoError } from '../error.ts';
import { castConfig } from './cast.ts';
import { choosePackages } from './choose.ts';
import { createNarrator } from './narrator.ts';
import { findPackages, sourceFolder, temporaryFolder } from './seed.ts';
import { tellStory } from './story.ts';
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
        hint: 'Give a folder or repository with kpt packages whose pipelines use functions that Portico has built in.',
      },
    );
  }
  const workspace = temporaryFolder();
  try {
    await using local = await startLocalPortico({
      dataDir: `${workspace.path}/data`,
      config: castConfig(),
      logLevel: call.has('verbose') ? 'info' : 'error',
    });
    const narrator = createNarrator(terminal);
    const plot = { source: source.path, ...choice, own: source.own, workspace: `${workspace.path}/trees` };
    const happened = await tells(local, narrator, plot);
    const summary = await summarise(local.forge.apiUrl, narrator.told);
    if (terminal.json) terminal.document(summary);
    else printSummary(terminal, summary);
    if (!call.has('once') && happened) await leaveRunning(call, local.forge.url);
    await local.stop();
    return happened && summary.ok ? EXIT.ok : EXIT.failed;
  } finally {
    workspace.remove();
    source.remove();
  }
}

/** False when a step did not happen; the narrator has said which. */
async function tells(...story: Parameters<typeof tellStory>): Promise<boolean> {
  const [, narrator] = story;
  try {
    await tellStory(...story);
    return true;
  } catch (error) {
    if (narrator.told.some(({ ok }) => !ok)) return false;
    throw error;
  }
}

async function leaveRunning({ terminal, signal }: Call, url: string): Promise<void> {
  terminal.print(`\nEverything is still there: ${terminal.style('cyan', url)}  (Ctrl+C ends it)`);
  await until(signal);
}

function localPath(call: Call, from: string): string {
  return /^[a-z+]+:\/\//.test(from) ? from : call.path(from);
}
