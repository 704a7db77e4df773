/** What an update says to people: its pull request, and why it did not come. */
import type { Downstream, VariantTarget } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { code } from './markdown-blocks.ts';
import type { World } from './ports.ts';
import { updateBody, updateTitle } from './update-body.ts';
import type { Wanted } from './update-content.ts';
import { revisionsOnTheWay } from './update-provenance.ts';
import { withheld, type Withheld } from './update-target.ts';

export interface UpdatePull {
  readonly kind: 'opened' | 'updated' | 'unchanged' | 'merged';
  readonly pull: number;
  /** Revision that it brings. */
  readonly to: string;
}

/** Opens the update's pull request, or makes the open one say what the branch holds now. */
export async function openOrRefresh(
  world: World,
  down: Downstream,
  wanted: Wanted,
  open: Pull | undefined,
  signal?: AbortSignal,
): Promise<UpdatePull> {
  const { access, facts } = down;
  const { planned } = down;
  const title = updateTitle(down, wanted.to);
  const body = updateBody(
    {
      repository: facts.id,
      branch: down.branch,
      path: down.path,
      upstream: down.upstreamName,
      from: down.upstream.current,
      to: wanted.to,
      before: wanted.local,
      after: wanted.files,
      conflicts: wanted.conflicts,
      created: !down.exists,
      revisions: await revisionsOnTheWay(down, wanted.to, signal),
      ...(planned && {
        variant: {
          name: `${planned.namespace}/${planned.name}`,
          place: `${planned.control.ref.owner}/${planned.control.ref.name}:${planned.file}`,
        },
      }),
    },
    world.hmac,
  );
  if (open === undefined) {
    const created = await access.forge.createPull(
      { title, body, head: down.branch, base: down.config.branch },
      signal,
    );
    return { kind: 'opened', pull: created.pull.number, to: wanted.to };
  }
  if (open.title !== title || open.body !== body) {
    await access.forge.updatePull(open.number, { title, body }, signal);
  }
  return { kind: 'updated', pull: open.number, to: wanted.to };
}

const STOP_MARKER = '<!-- portico:update -->';

/** On the open pull request: that a newer revision could not be brought under what people committed, or now is. */
export async function tellOfStop(
  world: Pick<World, 'app'>,
  { access: { forge }, path }: Downstream,
  { number }: Pull,
  outcome: Withheld | UpdatePull,
  signal?: AbortSignal,
): Promise<void> {
  if (outcome.kind === 'withheld') {
    if (outcome.reason !== 'conflict') return;
    await forge.upsertSticky(
      number,
      STOP_MARKER,
      `**A newer revision is not brought.** ${outcome.message}`,
      signal,
    );
    return;
  }
  const told = (await forge.listComments(number, signal)).some(
    ({ author, body }) => author === world.app.botLogin && body.startsWith(STOP_MARKER),
  );
  if (told)
    await forge.upsertSticky(number, STOP_MARKER, `${code(path)} is brought to ${code(outcome.to)}.`, signal);
}

/**
 * The upstream is less public than this repository: no update comes, and one that is open since before is closed. What
 * is said about it names nothing.
 */
export async function block(
  world: Pick<World, 'app'>,
  { access: { forge } }: Downstream,
  open: Pull | undefined,
  signal?: AbortSignal,
): Promise<Withheld> {
  const blocked = withheld(
    'blocked-visibility',
    'The upstream is less public than this repository: its content stays there.',
  );
  if (open !== undefined && open.author === world.app.botLogin) {
    await forge.upsertSticky(open.number, STOP_MARKER, `**Closed.** ${blocked.message}`, signal);
    await forge.closePull(open.number, signal);
  }
  return blocked;
}

/** Where a command asked for the update, its reason is an answer. */
export async function tellWhoAsked(
  world: Pick<World, 'open'>,
  target: VariantTarget,
  { reason, message }: Withheld,
  signal?: AbortSignal,
): Promise<void> {
  if (target.askedIn === undefined) return;
  const { forge } = await world.open(target.repository, signal);
  const marker = `<!-- portico:asked ${encodeURIComponent(target.package)} -->`;
  const to = target.to === undefined ? '' : ` to ${code(target.to)}`;
  const text = `${code(target.package)} is not updated${to} (${code(reason)}): ${message}`;
  await forge.upsertSticky(target.askedIn, marker, text, signal);
}
