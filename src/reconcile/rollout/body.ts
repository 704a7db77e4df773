/** Pure: how far rollouts have come, as the dashboard shows it: a picture, and a table of the waves. */
import { repositoryName } from '../../catalog/catalog.ts';
import { counted, isOrAre, notShown } from '../../text/counted.ts';
import { table } from '../../text/markdown.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { wayBackText } from './rolled-back.ts';
import type { RolloutLook } from './rollouts.ts';

/** Rollouts of one dashboard; what is left out is counted. */
const MAX_COUNT = 20;

/** '' where there are none. */
export function rolloutPart(looks: readonly RolloutLook[]): string {
  if (looks.length === 0) return '';
  const shown = looks.slice(0, MAX_COUNT).map(one);
  const more = notShown(looks.length - MAX_COUNT);
  return ['### Rollouts', ...shown, ...(more === '' ? [] : [more])].join('\n\n');
}

function one(look: RolloutLook): string {
  const { governed, revision, plan } = look;
  const { rollout, upstream, path } = governed;
  const what = `${repositoryName(upstream)}:${path}`;
  const state = {
    running: 'is running',
    done: 'is done',
    stopped: 'is stopped',
    'rolled-back': 'is rolled back',
  };
  const why = plan.why === '' ? '' : ` ${foreignSentence(plan.why)}`;
  const back = wayBackText(look);
  // A wave of those alone that may not be known here would tell that they are there.
  const waves = plan.waves.filter(
    ({ members }) => members.length === 0 || members.some(({ hidden }) => !hidden),
  );
  const rows = waves.map((wave) => [
    code(wave.name),
    wave.state,
    `${wave.through} of ${wave.counted}`,
    foreignSentence(wave.why),
  ]);
  const steer =
    plan.state === 'done'
      ? ''
      : `${approving(rollout.name, revision, waves)}\n\n\`/portico rollout plan|stop|resume|rollback ${rollout.name}\`, \`/portico rollout approve|skip|pause|resume ${rollout.name} <wave>\``;
  const head = `**${code(rollout.name)}**: ${code(what)} ${upstreamText(revision, code)} ${state[plan.state]}.${why}${back === '' ? '' : `\n\n${back}`}`;
  // Of a document that cannot be followed there are no waves.
  if (waves.length === 0) return head;
  const drawn = ['```mermaid', picture(waves), '```'].join('\n');
  return `${head}\n\n${drawn}\n\n${table(['wave', 'state', 'done', 'why'], rows)}${steer}`;
}

/** How the updates that are open here are approved together; '' where none is. */
function approving(name: string, revision: string, waves: RolloutLook['plan']['waves']): string {
  const open = waves
    .flatMap(({ members }) => members)
    .filter(({ hidden, position }) => !hidden && position?.reason === 'proposed' && position.to === revision);
  if (open.length === 0) return '';
  const what = `${counted(open.length, 'update')} ${isOrAre(open.length)} open`;
  return `\n\n${what}: \`/portico bulk approve|publish --rollout=${name} [--wave=<wave>]\` in a comment here plans all of them.`;
}

/** Names are letters, digits and dashes: nothing in them means anything to Mermaid. */
function picture(waves: RolloutLook['plan']['waves']): string {
  const boxes = waves.map(
    ({ name, state, through, counted }, at) => `  w${at}["${name}<br/>${through} of ${counted}"]:::${state}`,
  );
  const arrows = waves.slice(1).map((_wave, at) => `  w${at} --> w${at + 1}`);
  return [
    'flowchart LR',
    ...boxes,
    ...arrows,
    '  classDef passed fill:#cfe8cf,stroke:#2b7a2b,color:#123',
    '  classDef open fill:#cfe0f5,stroke:#2b5a9a,color:#123',
    '  classDef pausing fill:#e6ecf5,stroke:#2b5a9a,color:#123,stroke-dasharray:4',
    '  classDef paused fill:#eee,stroke:#2b5a9a,color:#123,stroke-dasharray:4',
    '  classDef failed fill:#f5cfcf,stroke:#9a2b2b,color:#123',
    '  classDef waiting fill:#eee,stroke:#888,color:#123,stroke-dasharray:4',
  ].join('\n');
}
