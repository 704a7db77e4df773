import type { DeprecationDocument } from '../../channels/package-channels.ts';
import { followText, positionText, type Subscriber } from '../../channels/plan.ts';
import { PorticoError } from '../../error.ts';
import { EXIT } from '../exit-code.ts';
import { visible } from '../terminal.ts';
import { table } from '../text-table.ts';
import type { Call } from '../verb.ts';
import { subscribersOf } from './subscribers.ts';
import { withUpstream } from './upstream-clone.ts';

/** `portico catalog plan [DIR] --in FOLDER…` */
export async function plan(call: Call): Promise<number> {
  const folder = call.path(call.positionals[0] ?? '.');
  return printPlan(call, { folder, wanted: call.text('package'), branch: undefined });
}

export interface PlanQuestion {
  /** The clone that offers the packages. */
  readonly folder: string;
  /** Path of the one package that is asked for. */
  readonly wanted: string | undefined;
  /** A branch whose channel files count in place of those of the registered one. */
  readonly branch: string | undefined;
}

/** Prints what every downstream would get next, with all steps, or why nothing. */
export async function printPlan(call: Call, { folder, wanted, branch }: PlanQuestion): Promise<number> {
  const { terminal, signal } = call;
  const options = { named: call.text('repository'), branch };
  const found = await withUpstream(folder, options, signal, async (upstream) => {
    if (branch !== undefined && (await upstream.git.resolve(`refs/heads/${branch}`, signal)) === null) {
      throw new PorticoError('BRANCH_MISSING', `${folder} has no branch ${branch}`, {
        blame: 'user',
        hint: `Fetch it: git fetch origin ${branch}:${branch}`,
      });
    }
    const subscribers = await subscribersOf(call, upstream);
    for (const { offer, file, problems } of upstream.packages) {
      for (const { rule, line, message } of problems.filter(({ severity }) => severity === 'error'))
        terminal.warn(`${file ?? offer.path}:${line}: ${rule}: ${message}`);
    }
    return subscribers;
  });
  const rows = found.filter(({ upstream }) => wanted === undefined || upstream === wanted);
  if (terminal.json) terminal.document({ downstreams: rows.map(rowDocument) });
  else if (rows.length === 0) terminal.print('No downstream follows a package of this repository.');
  else terminal.write(visible(table([HEADER, ...rows.map(rowCells)])));
  return EXIT.ok;
}

const HEADER = ['DOWNSTREAM', 'PACKAGE', 'FOLLOWS', 'AT', 'NEXT', 'CODE', 'WHY'];

function rowCells({ downstream, upstream, at, follow, planned }: Subscriber): string[] {
  const notes = planned.deprecations.map(deprecationText);
  const why = [planned.message, ...notes].join('; ');
  const place = at.kind === 'revision' ? at.revision : at.commit.slice(0, 12);
  return [downstream, upstream, followText(follow), place, planned.to ?? '-', planned.code, why];
}

function deprecationText({ schema, name, message, supersededBy }: DeprecationDocument): string {
  const what = name === undefined ? `the ${schema}` : name;
  const then = supersededBy === undefined ? '' : `, superseded by v${supersededBy}`;
  return `${what} is deprecated: ${message}${then}`;
}

function rowDocument({ downstream, commit, upstream, at, follow, planned }: Subscriber): object {
  const { path, deprecations, ...rest } = planned;
  return {
    downstream,
    ...(commit !== undefined && { commit }),
    package: upstream,
    follow: followText(follow),
    at: positionText(at),
    ...rest,
    path,
    deprecations: deprecations.map(({ schema, name, message, severity, supersededBy }) => ({
      schema,
      ...(name !== undefined && { name }),
      message,
      severity,
      ...(supersededBy !== undefined && { supersededBy: `v${supersededBy}` }),
    })),
  };
}
