/** What an update policy follows, as written in `spec.updates.follow`. */
import satisfies from 'semver/functions/satisfies.js';

import { parseRevisionName } from '../revision/revision-name.ts';
import type { UpdatePolicy } from './repository-config.ts';

const COMPARATOR = /^(?:[\^~=]|[<>]=?)?v?(?:[0-9]{1,9}|[x*])(?:\.(?:[0-9]{1,9}|[x*])){0,2}$/;

/** The policy, or the sentence that says why the text is none. */
export function parseFollow(written: string | number): UpdatePolicy['follow'] | string {
  const text = typeof written === 'number' ? `v${written}` : written.trim();
  if (text === 'latest' || text === 'none') return { kind: text };
  if (text.startsWith('channel/')) {
    const channel = text.slice('channel/'.length);
    return /^[a-z0-9][a-z0-9.-]{0,62}$/.test(channel)
      ? { kind: 'channel', channel }
      : 'must name a channel in lower-case letters, digits, dots and dashes';
  }
  if (parseRevisionName(text) !== undefined) return { kind: 'pin', revision: pinned(text) };
  const alternatives = text.split('||').map((part) => part.trim().split(/\s+/));
  if (text.length <= 128 && alternatives.every((parts) => parts.every((part) => COMPARATOR.test(part)))) {
    return { kind: 'range', range: text };
  }
  return 'must be latest, none, channel/<name>, a range such as ^2.1 or >=1 <3, or a revision such as v3';
}

/** The newest of these revisions (oldest first) that a range takes; `v3` counts as 3.0.0. */
export function newestInRange(range: string, revisions: readonly string[]): string | undefined {
  return revisions.findLast((name) => {
    const parsed = parseRevisionName(name);
    if (parsed === undefined) return false;
    const { major, minor, patch, prerelease } = parsed;
    const tail = prerelease.length === 0 ? '' : `-${prerelease.join('.')}`;
    return satisfies(`${major}.${minor}.${patch}${tail}`, range);
  });
}

/** `3` and `v3` pin the same revision; tags are written with the v. */
function pinned(text: string): string {
  return text.startsWith('v') ? text : `v${text}`;
}
