/** Commands about channels: each asks for one change of a package's channel file, which a pull request then proposes. */
import type { ChannelChange } from '../channels/change-file.ts';
import { channelNameProblem } from '../channels/channel-name.ts';
import { shown } from './arguments.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

const COMMON = {
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
} as const;

export const promote: AnywhereCommand = {
  ...COMMON,
  name: 'promote',
  usage: 'promote <package>@<revision> to <channel>',
  summary:
    'Propose to put a revision into a channel; in a pull request about channels, along with what it proposes.',
  examples: [
    { line: '/portico promote web@v12 to stable', does: 'opens a pull request that adds v12 to stable' },
  ],
  accepts: { positional: 4 },
  decide(_state, { positional }): Decision {
    const named = readRevision(positional, 'promote web@v12 to stable');
    if ('kind' in named) return named;
    const [to, channel, ...more] = named.rest;
    if (to !== 'to' || channel === undefined || more.length > 0) {
      return refuse('bad-argument', 'the channel is missing', 'Write /portico promote web@v12 to stable.');
    }
    const wrong = readChannel(channel);
    return wrong ?? change({ do: 'promote', ...named.at, channel });
  },
};

export const withdraw: AnywhereCommand = {
  ...COMMON,
  name: 'withdraw',
  usage: 'withdraw <package>@<revision> ["<reason>"] [--channel=<channel>]',
  summary: 'Propose to take a revision out of use: whoever is at it is led back to the head of the channel.',
  examples: [
    {
      line: '/portico withdraw web@v10 "broken probe"',
      does: 'takes v10 out of every channel that offers it',
    },
    { line: '/portico withdraw web@v10 --channel=stable', does: 'takes it out of stable alone' },
  ],
  accepts: { positional: 3, options: { channel: 'value' } },
  decide(_state, { positional, options }): Decision {
    const named = readRevision(positional, 'withdraw web@v10 "broken probe"');
    if ('kind' in named) return named;
    const [reason, ...more] = named.rest;
    if (more.length > 0) return refuse('bad-argument', 'the reason is one text', 'Put it into quotes.');
    const channel = options.get('channel');
    const wrong = typeof channel === 'string' ? readChannel(channel) : undefined;
    return (
      wrong ??
      change({
        do: 'withdraw',
        ...named.at,
        ...(reason !== undefined && { reason }),
        ...(typeof channel === 'string' && { channel }),
      })
    );
  },
};

const SEVERITIES = ['info', 'warning', 'blocking'] as const;

export const deprecate: AnywhereCommand = {
  ...COMMON,
  name: 'deprecate',
  usage:
    'deprecate <package>[@<revision>] "<message>" [--channel=<channel>] [--superseded-by=<revision>] [--severity=info|warning|blocking]',
  summary:
    'Propose to mark a package, one of its channels or a revision as deprecated. Blocking: no new package can be made from it.',
  examples: [
    {
      line: '/portico deprecate web@v7 "uses an old API" --superseded-by=v12',
      does: 'says so in every update from or to v7',
    },
  ],
  accepts: { positional: 3, options: { channel: 'value', 'superseded-by': 'value', severity: 'value' } },
  decide(_state, { positional: [name = '', ...others], options }): Decision {
    const usage = 'Write /portico deprecate web@v7 "why".';
    const isRevision = name.includes('@') || /^v\d+$/.test(others[0] ?? '');
    const named = isRevision
      ? readRevision([name, ...others], 'deprecate web@v7 "why"')
      : readPackage(name, others);
    if ('kind' in named) return named;
    const [message, ...more] = named.rest;
    if (message === undefined || message.trim() === '')
      return refuse('bad-argument', 'the message is missing', usage);
    if (more.length > 0) return refuse('bad-argument', 'the message is one text', 'Put it into quotes.');
    const [channel, by, level] = ['channel', 'superseded-by', 'severity'].map((option) =>
      options.get(option),
    );
    const wrong = typeof channel === 'string' ? readChannel(channel) : undefined;
    if (wrong !== undefined) return wrong;
    if (channel !== undefined && isRevision) {
      return refuse('bad-argument', 'a revision and a channel are named', 'Deprecate them one by one.');
    }
    const supersededBy = typeof by === 'string' ? numberOf(by) : undefined;
    if (by !== undefined && supersededBy === undefined) return notARevision(String(by));
    const severity = SEVERITIES.find((one) => one === level);
    if (level !== undefined && severity === undefined) {
      return refuse(
        'bad-argument',
        `${shown(String(level))} is no severity`,
        `It is ${SEVERITIES.join(', ')}.`,
      );
    }
    return change({
      do: 'deprecate',
      ...named.at,
      message,
      ...(typeof channel === 'string' && { channel }),
      ...(supersededBy !== undefined && { supersededBy }),
      ...(severity !== undefined && { severity }),
    });
  },
};

const ACTIONS = ['create', 'delete', 'default'] as const;

export const channel: AnywhereCommand = {
  ...COMMON,
  name: 'channel',
  usage: 'channel create|delete|default <package> <channel> [<revision>]',
  summary: 'Propose a new channel, the end of one, or which one is the default.',
  examples: [
    {
      line: '/portico channel create web candidate',
      does: 'makes a channel that has every published revision',
    },
    { line: '/portico channel create web stable v3', does: 'makes one that begins with v3' },
    {
      line: '/portico channel default web stable',
      does: 'makes stable what is followed where nothing else is said',
    },
  ],
  accepts: { positional: 4 },
  decide(_state, { positional: [word = '', name = '', named = '', revision] }): Decision {
    const action = ACTIONS.find((one) => one === word);
    if (action === undefined) {
      return refuse(
        'bad-argument',
        'what to do with the channel is missing',
        `Say one of ${ACTIONS.join(', ')}.`,
      );
    }
    const found = readPackage(name, []);
    if ('kind' in found) return found;
    const wrong = readChannel(named);
    if (wrong !== undefined) return wrong;
    if (revision !== undefined && action !== 'create') {
      return refuse(
        'bad-argument',
        'only a new channel begins with a revision',
        `Leave ${shown(revision)} out.`,
      );
    }
    const number = revision === undefined ? undefined : numberOf(revision);
    if (revision !== undefined && number === undefined) return notARevision(revision);
    return change({
      do: action,
      ...found.at,
      channel: named,
      ...(number !== undefined && { revision: number }),
    });
  },
};

function change(asked: ChannelChange): Decision {
  return { kind: 'do', steps: [{ do: 'change-channels', change: asked }] };
}

interface Named<At> {
  readonly at: At;
  /** The words behind it. */
  readonly rest: readonly string[];
}

/** `web@v12`, or `web v12`. */
function readRevision(
  [name = '', ...others]: readonly string[],
  usage: string,
): Named<{ readonly package: string; readonly revision: number }> | Refusal {
  const split = name.lastIndexOf('@');
  const [path, word, rest] =
    split > 0
      ? [name.slice(0, split), name.slice(split + 1), others]
      : [name, others[0] ?? '', others.slice(1)];
  if (path === '' || word === '') {
    return refuse('bad-argument', 'a package and a revision are needed', `Write /portico ${usage}.`);
  }
  const found = readPackagePath(path);
  if (typeof found !== 'string') return found;
  const revision = numberOf(word);
  return revision === undefined ? notARevision(word) : { at: { package: found, revision }, rest };
}

function readPackage(name: string, rest: readonly string[]): Named<{ readonly package: string }> | Refusal {
  if (name === '') return refuse('bad-argument', 'a package is needed', 'Name it by its path.');
  const found = readPackagePath(name);
  return typeof found === 'string' ? { at: { package: found }, rest } : found;
}

function readChannel(name: string): Refusal | undefined {
  if (name === '') return refuse('bad-argument', 'the channel is missing', 'Name it, such as stable.');
  const wrong = channelNameProblem(name);
  return wrong === undefined
    ? undefined
    : refuse('bad-argument', `${shown(name)} is no name of a channel: it ${wrong}`, 'Name it like stable.');
}

function numberOf(word: string): number | undefined {
  const found = /^v?([1-9]\d{0,8})$/.exec(word)?.[1];
  return found === undefined ? undefined : Number(found);
}

function notARevision(word: string): Refusal {
  return refuse(
    'bad-argument',
    `${shown(word)} is no revision`,
    'Channels name revisions by number, such as v12.',
  );
}
