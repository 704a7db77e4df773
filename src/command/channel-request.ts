/** What a verb about channels asks for: one change of a package's channel file. */
import type { ChannelRequest } from '../channels/change-file.ts';
import { channelNameProblem } from '../channels/channel-name.ts';
import { shown, type Arguments } from './arguments.ts';
import type { ChannelChangeVerb } from './channel-verbs.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

type Words = Pick<Arguments, 'positional' | 'options'>;
type Read = (words: Words) => ChannelRequest | Refusal;

/** Reads the words after a verb, the same in a comment and on the command line. */
export const readChannelChange: Readonly<Record<ChannelChangeVerb, Read>> = {
  promote: readPromotion,
  withdraw: readWithdrawal,
  deprecate: readDeprecation,
  channel: readChannelAction,
};

/** `web@v12 to stable`, or `web@v12 --to=stable`. */
function readPromotion({ positional, options }: Words): ChannelRequest | Refusal {
  const named = readRevision(positional, 'promote web@v12 to stable');
  if ('kind' in named) return named;
  const option = options.get('to');
  const byOption = typeof option === 'string' ? ['to', option] : [];
  const [to, channel, ...more] = [...named.rest, ...byOption];
  if (to !== 'to' || channel === undefined || more.length > 0) {
    return refuse('bad-argument', 'the channel is missing', 'Write /portico promote web@v12 to stable.');
  }
  const wrong = readChannel(channel);
  return wrong ?? { do: 'promote', ...named.at, channel };
}

function readWithdrawal({ positional, options }: Words): ChannelRequest | Refusal {
  const named = readRevision(positional, 'withdraw web@v10 "broken probe"');
  if ('kind' in named) return named;
  const [reason, ...more] = named.rest;
  if (more.length > 0) return refuse('bad-argument', 'the reason is one text', 'Put it into quotes.');
  const channel = options.get('channel');
  const wrong = typeof channel === 'string' ? readChannel(channel) : undefined;
  return (
    wrong ?? {
      do: 'withdraw',
      ...named.at,
      ...(reason !== undefined && { reason }),
      ...(typeof channel === 'string' && { channel }),
    }
  );
}

const SEVERITIES = ['info', 'warning', 'blocking'] as const;

function readDeprecation({ positional: [name = '', ...others], options }: Words): ChannelRequest | Refusal {
  const usage = 'Write /portico deprecate web@v7 "why".';
  const isRevision = name.includes('@') || /^v\d[\w.+-]*$/.test(others[0] ?? '');
  const named = isRevision
    ? readRevision([name, ...others], 'deprecate web@v7 "why"')
    : readPackage(name, others);
  if ('kind' in named) return named;
  const [message, ...more] = named.rest;
  if (message === undefined || message.trim() === '')
    return refuse('bad-argument', 'the message is missing', usage);
  if (more.length > 0) return refuse('bad-argument', 'the message is one text', 'Put it into quotes.');
  const [channel, by, level] = ['channel', 'superseded-by', 'severity'].map((option) => options.get(option));
  const wrong = typeof channel === 'string' ? readChannel(channel) : undefined;
  if (wrong !== undefined) return wrong;
  if (channel !== undefined && isRevision) {
    return refuse('bad-argument', 'a revision and a channel are named', 'Deprecate them one by one.');
  }
  const supersededBy = typeof by === 'string' ? revisionOf(by) : undefined;
  if (by !== undefined && supersededBy === undefined) return notARevision(String(by));
  const severity = SEVERITIES.find((one) => one === level);
  if (level !== undefined && severity === undefined) {
    return refuse(
      'bad-argument',
      `${shown(String(level))} is not a severity`,
      `It is ${SEVERITIES.join(', ')}.`,
    );
  }
  return {
    do: 'deprecate',
    ...named.at,
    message,
    ...(typeof channel === 'string' && { channel }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(severity !== undefined && { severity }),
  };
}

const ACTIONS = ['create', 'delete', 'default'] as const;

function readChannelAction({
  positional: [word = '', name = '', named = '', revision],
}: Words): ChannelRequest | Refusal {
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
  const first = revision === undefined ? undefined : revisionOf(revision);
  if (revision !== undefined && first === undefined) return notARevision(revision);
  return {
    do: action,
    ...found.at,
    channel: named,
    ...(first !== undefined && { revision: first }),
  };
}

interface Named<At> {
  readonly at: At;
  /** The words behind it. */
  readonly rest: readonly string[];
}

/** `web@v12`, or `web v12`; of an operator also `redis@1.2.0`. */
function readRevision(
  [name = '', ...others]: readonly string[],
  usage: string,
): Named<{ readonly package: string; readonly revision: number | string }> | Refusal {
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
  const revision = revisionOf(word);
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
    : refuse(
        'bad-argument',
        `${shown(name)} is not a valid channel name: it ${wrong}`,
        'Name it like stable.',
      );
}

/** A number, or the name of a version: that of an operator has a dot in it, such as `1.2.0` and `redis-operator.v1.2.0`. */
function revisionOf(word: string): number | string | undefined {
  const found = /^v?([1-9]\d{0,8})$/.exec(word)?.[1];
  if (found !== undefined) return Number(found);
  return /^[\w+-]{1,100}\.[\w.+-]{1,150}$/.test(word) ? word : undefined;
}

function notARevision(word: string): Refusal {
  return refuse(
    'bad-argument',
    `${shown(word)} is not a revision`,
    'Name it by its number, such as v12, or an operator by its version, such as 1.2.0.',
  );
}
