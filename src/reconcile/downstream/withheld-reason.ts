/** Why an update waits: stable words, which the dashboard, logs and metrics show, each with what it means for the page. */

import { table } from '../../text/markdown.ts';

/** In Markdown, with links as from docs/. */
export const WITHHELD_REASONS = {
  'up-to-date': 'there is nothing newer to bring',
  'not-followed':
    'the configuration does not follow the upstream, the package has none, or its repository is not registered',
  archived: 'the repository is archived',
  'not-scheduled': '`schedule` does not allow it yet',
  'too-young': 'the revision is younger than `minimumAge`',
  limit: '`maxOpen` pull requests are open',
  checking:
    'it is being checked, and comes without a [pull request](#updates-without-a-pull-request) where nothing stands against that',
  declined: 'its pull request was closed, which declines this revision',
  conflict: 'commits that people made on its branch conflict with the update',
  paused: '`/portico pause`',
  'no-revision': 'the upstream has no revision to follow',
  'no-such-revision': 'the upstream does not have the requested revision',
  'base-missing':
    'the commit that the package was cloned from is no longer in its upstream, or the package is missing at the new revision',
  unreadable:
    'the package or its new revision has a file that is too large or has an invalid name, or has too many files; or its [sources](sources.md) document has an error',
  'push-refused': 'a rule of the forge forbids the branch of the update',
  'upstream-unreachable': 'the upstream, or the address of a [source](sources.md), cannot be fetched',
  'upstream-credentials':
    'the upstream requires a credential: the configuration names none for its address, the server has none of that name that this account may use there, or its host rejected it. [How to give one](drafts.md#private-upstreams)',
  'upstream-unknown':
    'the package is locked to an address that no repository here has and `spec.upstreams.allow` does not list. If it has moved, name the new address in `spec.upstreams.map`; otherwise allow it, or use `/portico rebase`',
  'blocked-visibility':
    'the upstream does not exist, or does not share with this repository ([who can do what](who-can-do-what.md))',
  'not-owned': 'the variant may not take over the package',
  'variant-error': 'the variant cannot be applied to the package',
  'deletion-proposed': 'its variant was removed, and a pull request proposes to delete the package',
  orphaned: 'its variant was removed, and the open pull request stays',
  'wave-waiting': 'its wave of a [rollout](rollouts.md) is not open yet',
  'wave-stopped': 'its [rollout](rollouts.md) is stopped',
  'wave-rolled-back': 'its [rollout](rollouts.md) was rolled back',
  ahead: 'it is above the head of its [channel](channels.md#updates-downstream), and waits',
  unreachable:
    'no path of its [channel](channels.md#updates-downstream) leads on from there; the dashboard names the nearest revision that has one. `/portico update <package>@<revision>` brings it',
  drifted:
    'it follows a [channel](channels.md#updates-downstream) and is locked to a commit whose content no revision has',
  'no-head':
    'its [channel](channels.md#updates-downstream) offers nothing, or nothing that a new package may be made from',
  'no-channel': 'its [channel](channels.md#updates-downstream) does not exist',
  'channel-stopped': 'the [channel](channels.md#updates-downstream) file of its upstream cannot be used',
  withdrawn:
    'its revision was withdrawn from its [channel](channels.md#updates-downstream), and `onWithdrawn` is `ignore`',
  soaking:
    'the previous step of its [channel](channels.md#updates-downstream) was brought too recently (`soak`)',
  'source-refused': 'its [sources](sources.md) cannot be used as they are',
  'source-changed': 'the publisher of a [source](sources.md) gave a version other content than the lock pins',
} as const satisfies Readonly<Record<string, string>>;

/** The table of docs/variants.md, in Markdown. */
export function withheldReasonTable(): string {
  const rows = Object.entries(WITHHELD_REASONS).map(([reason, meaning]) => [`\`${reason}\``, meaning]);
  return table(['reason', 'meaning'], rows);
}
