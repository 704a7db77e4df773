/** What the verbs about channels are called and take: one table for comments and the command line. */
import type { Accepts } from './arguments.ts';

export interface ChannelVerb {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  readonly accepts: Accepts;
}

const PROMOTE = {
  name: 'promote',
  usage: 'promote <package>@<revision> to <channel>',
  summary:
    'Propose to add a revision to a channel. In a pull request about channels, the change joins that proposal.',
  examples: [
    { line: '/portico promote web@v12 to stable', does: 'opens a pull request that adds v12 to stable' },
  ],
  accepts: { positional: 4, options: { to: 'value' } },
} as const satisfies ChannelVerb;

const WITHDRAW = {
  name: 'withdraw',
  usage: 'withdraw <package>@<revision> ["<reason>"] [--channel=<channel>]',
  summary: 'Propose to withdraw a revision: downstreams that have it go back to the head of the channel.',
  examples: [
    {
      line: '/portico withdraw web@v10 "broken probe"',
      does: 'takes v10 out of every channel that offers it',
    },
    { line: '/portico withdraw web@v10 --channel=stable', does: 'takes it out of stable alone' },
  ],
  accepts: { positional: 3, options: { channel: 'value' } },
} as const satisfies ChannelVerb;

const DEPRECATE = {
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
} as const satisfies ChannelVerb;

const CHANNEL = {
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
      does: 'makes stable the default channel',
    },
  ],
  accepts: { positional: 4 },
} as const satisfies ChannelVerb;

export const PLAN = {
  name: 'plan',
  usage: 'plan [<package>]',
  summary:
    'Show what a pull request changes of the configuration, and what each package downstream gets next, and why.',
  examples: [
    {
      line: '/portico plan',
      does: 'shows the changed settings and documents, and lists all packages downstream of this repository',
    },
    { line: '/portico plan web', does: 'lists those that are made from web' },
  ],
  accepts: { positional: 1 },
} as const satisfies ChannelVerb;

/** Of the verbs that change a channel file, by name. */
export const CHANNEL_CHANGES: Readonly<Record<ChannelChangeVerb, ChannelVerb>> = {
  promote: PROMOTE,
  withdraw: WITHDRAW,
  deprecate: DEPRECATE,
  channel: CHANNEL,
};

export type ChannelChangeVerb = 'promote' | 'withdraw' | 'deprecate' | 'channel';
