/** A package beside its upstream, as `kpt pkg diff` compares them. */
import { basename } from 'node:path';

import { PorticoError } from '../error.ts';
import { clonedPackage } from '../package/clone.ts';
import { packageContext } from '../package/init.ts';
import type { PackageFile } from '../package/package.ts';
import { withoutEnd } from '../text/ends.ts';
import type { Side, Sides } from './diff-side.ts';
import { readFolder } from './folder.ts';
import { originOf } from './update-from-git.ts';
import { parseTarget } from './upstream-location.ts';
import { openUserGit } from './user-git.ts';
import { placeIn, type Call } from './verb.ts';

const TYPES = ['local', 'remote', 'combined', '3way'] as const;
type DiffType = (typeof TYPES)[number];

/**
 * `DIR[@VERSION]` against its upstream. What every copy has of its own (its name, where it came from, the names that its
 * resources have upstream) is no difference. Throws what reading the package and its upstream throw.
 */
export async function upstreamSides(call: Call, target: string): Promise<readonly Sides[]> {
  const [typed, ref] = parseTarget(target, call.path);
  const type = TYPES.find((one) => one === call.text('diff-type')) ?? 'local';
  const directory = call.path(typed);
  const files = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  const local: Side = { name: `local ${typed}`, files };
  const { upstream, base, kptfile } = originOf(files, directory);
  if (base === undefined && type !== 'combined') {
    throw new PorticoError('UPSTREAM_MISSING', `the Kptfile in ${directory} has no upstreamLock`, {
      blame: 'user',
      hint: 'It is not known which upstream revision the package came from: choose --diff-type combined.',
    });
  }
  await using git = await openUserGit(call.signal);
  const { repo, directory: below } = upstream;

  const sideAt = async (name: string, commit: string): Promise<Side> => {
    call.terminal.progress(`fetching ${withoutEnd(repo, '/')}${below}`);
    await git.fetch(repo, [commit]);
    const read = await git.read(repo, below, commit);
    const lock = kptfile.upstreamLock?.git ?? { ...upstream, commit: read.commit };
    const copy = {
      name: kptfile.name === '' ? basename(directory) : kptfile.name,
      upstream,
      lock,
      ...(kptfile.upstream?.updateStrategy !== undefined && { strategy: kptfile.upstream.updateStrategy }),
      deployment: textOf(files.get('package-context.yaml')) === packageContext(kptfile.name),
    };
    return { name, files: clonedPackage(read.files, copy) };
  };
  const original = async (): Promise<Side> =>
    sideAt(`upstream at ${kptfile.upstreamLock?.git?.ref ?? ''}`, base ?? '');
  const wanted = async (): Promise<Side> => {
    const found = await git.resolve(repo, below, ref ?? upstream.ref);
    return sideAt(`upstream at ${found.ref}`, found.commit);
  };
  const pairs: Readonly<Record<DiffType, () => Promise<readonly Sides[]>>> = {
    local: async () => [{ before: await original(), after: local }],
    remote: async () => [{ before: await original(), after: await wanted() }],
    combined: async () => [{ before: await wanted(), after: local }],
    '3way': async () => {
      const before = await original();
      return [
        { before, after: local },
        { before, after: await wanted() },
      ];
    },
  };
  return await pairs[type]();
}

function textOf(file: PackageFile | undefined): string {
  return file === undefined ? '' : new TextDecoder().decode(file.bytes);
}
