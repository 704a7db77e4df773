import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  changeChannelFile,
  changeTitle,
  type ChangedFile,
  type ChannelChange,
  type ChannelRequest,
} from '../../channels/change-file.ts';
import type { ChannelProblem } from '../../channels/channels-node.ts';
import { channelFileOf, judgeChannelFile } from '../../channels/judge-file.ts';
import {
  changedVersion,
  memberFacts,
  nameRevisions,
  type PublishedBundles,
} from '../../channels/named-revision.ts';
import { numberOf } from '../../channels/offer.ts';
import { operatorEntry } from '../../channels/operator-entry.ts';
import { readChannelChange } from '../../command/channel-request.ts';
import type { ChannelChangeVerb } from '../../command/channel-verbs.ts';
import { PorticoError } from '../../error.ts';
import { CatalogMistake } from '../../fbc/mistake.ts';
import { readFile } from '../../git/read-file.ts';
import { PACKAGE_LIMITS, readPackage } from '../../git/read-package.ts';
import { isRefName } from '../../git/safe-name.ts';
import { commitTree, writeTree } from '../../git/write.ts';
import type { PackageFiles } from '../../package/package.ts';
import { revisionsOf } from '../../revision/numbering.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { revisionTag } from '../../revision/ref-name.ts';
import { openCheckout, type Checkout } from '../checkout.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { refuseLinks, writeChanges } from '../folder-write.ts';
import type { Call } from '../verb.ts';

/**
 * `portico promote|withdraw|deprecate|channel`: one change of a channel file, in the work tree or as a commit on a branch. The
 * words are read as those of a comment, and the file is changed as the bot changes it. Throws `CHANNEL_REFUSED`.
 */
export async function changeChannels(verb: ChannelChangeVerb, call: Call): Promise<number> {
  const request = readRequest(verb, call);
  const branch = call.text('branch');
  const remote = call.text('push');
  if (remote !== undefined && branch === undefined)
    throw usageError('--push needs --branch', 'Name the branch to commit to and push, such as channels/web.');
  await using checkout = await openCheckout(call.path(call.text('repo') ?? '.'), call.signal);
  const place = branch === undefined ? await inWorkTree(checkout) : await onBranch(checkout, branch, call);
  const bundles = bundlesIn(checkout, request, call.signal);
  const change = accepted(await nameRevisions(request, bundles)).change;
  const file = channelFileOf(change.package);
  const before = await place.read(file);
  const member = await memberFacts(change, bundles);
  const day = new Date().toISOString().slice(0, 10);
  const facts = { published: bundles.published, day, ...(member && { member }) };
  const after = accepted(changeChannelFile(before, change, facts)).text;
  const title = changeTitle(change, await changedVersion(change, bundles));
  const commit = await place.write(file, before, after, title);
  if (remote !== undefined) {
    const ref = `refs/heads/${branch}`;
    await checkout.git('push', '--quiet', '--end-of-options', remote, `${ref}:${ref}`);
  }
  const judged = judgeChannelFile(after, {
    path: change.package,
    published: bundles.published,
    ...(before !== undefined && { before }),
  });
  tell(call, { title, change, file, commit, problems: judged.problems });
  return EXIT.ok;
}

function readRequest(verb: ChannelChangeVerb, call: Call): ChannelRequest {
  const options = new Map<string, string>();
  for (const name of ['to', 'channel', 'superseded-by', 'severity']) {
    const value = call.text(name);
    if (value !== undefined) options.set(name, value);
  }
  const request = readChannelChange[verb]({ positional: call.positionals, options });
  if (!('kind' in request)) return request;
  throw usageError(request.message.replace(/\.$/, ''), atTerminal(request.hint));
}

type Refused = Extract<ChangedFile, { ok: false }>;

function accepted<Answer extends { readonly ok: true }>(answer: Answer | Refused): Answer {
  if (answer.ok) return answer;
  throw new PorticoError('CHANNEL_REFUSED', answer.message, { blame: 'user', hint: atTerminal(answer.hint) });
}

/** Sentences that are shared with comments name the slash-commands. */
function atTerminal(hint: string): string {
  return hint.replaceAll('/portico ', 'portico ');
}

function bundlesIn(
  { repo, refs, config }: Checkout,
  { package: path }: ChannelRequest,
  signal: AbortSignal,
): PublishedBundles {
  const directory = pathInRepository(config.directory, path);
  const published = revisionsOf(directory, refs.keys()).flatMap(({ name }) => numberOf(name) ?? []);
  const limits = PACKAGE_LIMITS;
  return {
    published,
    async bundleAt(revision) {
      const commit = refs.get(`refs/tags/${revisionTag(directory, `v${revision}`)}`);
      if (commit === undefined) return null;
      const found = await readPackage({ repo, commit, path: directory, limits, signal });
      try {
        return found && operatorEntry(found.files);
      } catch (error) {
        if (error instanceof CatalogMistake) return null;
        throw error;
      }
    },
  };
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
  readonly title: string;
  readonly change: ChannelChange;
  readonly file: string;
  readonly commit: string | undefined;
  readonly problems: readonly ChannelProblem[];
}

function tell({ terminal, text }: Call, { title, change, file, commit, problems }: Outcome): void {
  const branch = text('branch');
  for (const { rule, line, message } of problems) terminal.warn(`${file}:${line}: ${rule}: ${message}`);
  if (terminal.json) {
    const where = commit === undefined ? {} : { branch, commit };
    terminal.document({ title, change, file, ...where, problems });
    return;
  }
  const where =
    commit === undefined
      ? 'commit it on a branch and open a pull request'
      : `${branch} holds the commit; open a pull request for it${text('push') === undefined ? ' once it is pushed' : ''}`;
  terminal.print(`${title}: ${file} changed; ${where}`);
}
