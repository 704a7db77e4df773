import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  changeChannelFile,
  changeTitle,
  type ChangedFile,
  type ChannelChange,
} from '../../channels/change-file.ts';
import type { ChannelProblem } from '../../channels/channels-node.ts';
import { channelFileOf, judgeChannelFile } from '../../channels/judge-file.ts';
import { numberOf } from '../../channels/offer.ts';
import { readChannelChange } from '../../command/channel-request.ts';
import type { ChannelChangeVerb } from '../../command/channel-verbs.ts';
import { PorticoError } from '../../error.ts';
import { readFile } from '../../git/read-file.ts';
import { PACKAGE_LIMITS } from '../../git/read-package.ts';
import { isRefName } from '../../git/safe-name.ts';
import { commitTree, writeTree } from '../../git/write.ts';
import type { PackageFiles } from '../../package/package.ts';
import { revisionsOf } from '../../revision/numbering.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { openCheckout, type Checkout } from '../checkout.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { refuseLinks, writeChanges } from '../folder-write.ts';
import type { Call } from '../verb.ts';

/**
 * `portico promote|withdraw|deprecate|channel`: one change of a channel file, in the work tree or as a commit on a branch. The
 * words are read as those of a comment, and the file is changed as the bot changes it. Throws `CHANNEL_REFUSED`.
 */
export async function changeChannels(verb: ChannelChangeVerb, call: Call): Promise<number> {
  const change = readChange(verb, call);
  const branch = call.text('branch');
  const remote = call.text('push');
  if (remote !== undefined && branch === undefined)
    throw usageError('--push needs --branch', 'Name the branch to commit to and push, such as channels/web.');
  await using checkout = await openCheckout(call.path(call.text('repo') ?? '.'), call.signal);
  const place = branch === undefined ? await inWorkTree(checkout) : await onBranch(checkout, branch, call);
  const file = channelFileOf(change.package);
  const before = await place.read(file);
  const facts = { published: publishedIn(checkout, change), day: new Date().toISOString().slice(0, 10) };
  const after = changed(changeChannelFile(before, change, facts));
  const commit = await place.write(file, before, after, changeTitle(change));
  if (remote !== undefined) {
    const ref = `refs/heads/${branch}`;
    await checkout.git('push', '--quiet', '--end-of-options', remote, `${ref}:${ref}`);
  }
  const judged = judgeChannelFile(after, {
    path: change.package,
    published: facts.published,
    ...(before !== undefined && { before }),
  });
  tell(call, { change, file, commit, problems: judged.problems });
  return EXIT.ok;
}

function readChange(verb: ChannelChangeVerb, call: Call): ChannelChange {
  const options = new Map<string, string>();
  for (const name of ['to', 'channel', 'superseded-by', 'severity']) {
    const value = call.text(name);
    if (value !== undefined) options.set(name, value);
  }
  const change = readChannelChange[verb]({ positional: call.positionals, options });
  if (!('kind' in change)) return change;
  throw usageError(change.message.replace(/\.$/, ''), atTerminal(change.hint));
}

function changed(answer: ChangedFile): string {
  if (answer.ok) return answer.text;
  throw new PorticoError('CHANNEL_REFUSED', answer.message, { blame: 'user', hint: atTerminal(answer.hint) });
}

/** Sentences that are shared with comments name the slash-commands. */
function atTerminal(hint: string): string {
  return hint.replaceAll('/portico ', 'portico ');
}

function publishedIn({ refs, config }: Checkout, { package: path }: ChannelChange): number[] {
  return revisionsOf(pathInRepository(config.directory, path), refs.keys()).flatMap(
    ({ name }) => numberOf(name) ?? [],
  );
}

/** Where the file stands. `write` gives the commit, where it makes one. */
interface Place {
  read(file: string): Promise<string | undefined>;
  write(file: string, before: string | undefined, after: string, title: string): Promise<string | undefined>;
}

async function inWorkTree({ git }: Checkout): Promise<Place> {
  const top = await git('rev-parse', '--show-toplevel');
  return {
    async read(file) {
      refuseLinks(top, file, new Set());
      const path = join(top, file);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      if (found.isFile() && found.size <= PACKAGE_LIMITS.maxFileBytes) return readFileSync(path, 'utf8');
      throw new PorticoError('CHANNEL_REFUSED', `${file} is no file that can be changed`, {
        blame: 'user',
        hint: `A channel file is a text of at most ${PACKAGE_LIMITS.maxFileBytes} bytes.`,
      });
    },
    async write(file, before, after) {
      writeChanges(top, filesOf(file, before), filesOf(file, after));
      return undefined;
    },
  };
}

/** A commit on top of the branch, or of the registered one where it is new. */
async function onBranch(checkout: Checkout, branch: string, { signal }: Call): Promise<Place> {
  const { repo, refs, config, base, git } = checkout;
  const name = `refs/heads/${branch}`;
  if (!isRefName(name))
    throw usageError(`${branch} is not a branch name`, 'Name it, for example, channels/web.');
  if (branch === config.branch) {
    throw new PorticoError('CHANNEL_REFUSED', `${branch} is the registered branch, which is never written`, {
      blame: 'user',
      hint: 'Name another branch, and open a pull request for it.',
    });
  }
  const trees = (await git('worktree', 'list', '--porcelain')).split('\n');
  if (trees.includes(`branch ${name}`)) {
    throw new PorticoError('BRANCH_CHECKED_OUT', `${branch} is checked out`, {
      blame: 'user',
      hint: 'Leave --branch out to edit the work tree, or name another branch.',
    });
  }
  const old = refs.get(name);
  const parent = old ?? refs.get(`refs/remotes/origin/${branch}`) ?? base;
  return {
    async read(file) {
      const maxBytes = PACKAGE_LIMITS.maxFileBytes;
      const bytes = await readFile({ repo, commit: parent, path: file, maxBytes, signal });
      return bytes === null ? undefined : new TextDecoder().decode(bytes);
    },
    async write(file, _before, after, title) {
      const tree = await writeTree(repo, parent, filesOf(file, after), signal);
      const [, person = '', email = ''] =
        /^(.*) <(.*)> \d+ [+-]\d+$/.exec(await git('var', 'GIT_COMMITTER_IDENT')) ?? [];
      const committer = { name: person, email };
      const commit = await commitTree(
        repo,
        { tree, parents: [parent], message: `${title}\n`, committer },
        signal,
      );
      await git('update-ref', name, commit, old ?? '0'.repeat(commit.length));
      return commit;
    },
  };
}

function filesOf(file: string, text: string | undefined): PackageFiles {
  if (text === undefined) return new Map();
  return new Map([[file, { mode: '100644', bytes: new TextEncoder().encode(text) }]]);
}

interface Outcome {
  readonly change: ChannelChange;
  readonly file: string;
  readonly commit: string | undefined;
  readonly problems: readonly ChannelProblem[];
}

function tell({ terminal, text }: Call, { change, file, commit, problems }: Outcome): void {
  const branch = text('branch');
  for (const { rule, line, message } of problems) terminal.warn(`${file}:${line}: ${rule}: ${message}`);
  if (terminal.json) {
    const where = commit === undefined ? {} : { branch, commit };
    terminal.document({ title: changeTitle(change), change, file, ...where, problems });
    return;
  }
  const where =
    commit === undefined
      ? 'commit it on a branch and open a pull request'
      : `${branch} holds the commit; open a pull request for it${text('push') === undefined ? ' once it is pushed' : ''}`;
  terminal.print(`${changeTitle(change)}: ${file} changed; ${where}`);
}
