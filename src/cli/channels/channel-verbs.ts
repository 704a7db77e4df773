import {
  CHANNEL_CHANGES,
  PLAN,
  type ChannelChangeVerb,
  type ChannelVerb,
} from '../../command/channel-verbs.ts';
import type { Option, Run, Verb } from '../verb.ts';

/** Of the options that the slash-commands have, too. */
const OPTIONS: Readonly<Record<string, Omit<Option, 'name'>>> = {
  to: { value: 'CHANNEL', help: 'the channel, as an alternative to the word to' },
  channel: { value: 'CHANNEL', help: 'only this channel' },
  'superseded-by': { value: 'REVISION', help: 'the revision to use instead' },
  severity: {
    value: 'SEVERITY',
    choices: ['info', 'warning', 'blocking'],
    help: 'blocking: no new package can be made from it',
  },
};

const REPO: Option = { name: 'repo', value: 'DIR', help: 'the clone (default: the current directory)' };
const JSON_OPTION: Option = { name: 'json', help: 'print one JSON document on stdout' };

const CHANGE_OPTIONS: readonly Option[] = [
  REPO,
  {
    name: 'branch',
    value: 'NAME',
    help: 'commit the change to this branch, new or not, instead of editing the work tree',
  },
  { name: 'push', value: 'REMOTE', help: 'also push that branch to this remote, with your git' },
  JSON_OPTION,
];

const SUMMARIES: Readonly<Record<ChannelChangeVerb, string>> = {
  promote: 'put a revision into a channel',
  withdraw: 'withdraw a revision: downstreams that have it go back to the head of the channel',
  deprecate: 'mark a package, one of its channels or a revision as deprecated',
  channel: 'create or delete a channel, or set the default one',
};

/** `portico promote`, `withdraw`, `deprecate` and `channel`: words and options are those of the slash-commands. */
export const CHANNEL_CHANGE_VERBS: readonly Verb[] = (
  ['promote', 'withdraw', 'deprecate', 'channel'] as const
).map((name): Verb => {
  const { usage, examples, accepts } = CHANNEL_CHANGES[name];
  const [first = ''] = lines(examples);
  return {
    name,
    summary: SUMMARIES[name],
    usage: [`portico ${usage} [--repo DIR] [--branch NAME [--push REMOTE]]`],
    description: [
      'Edits .github/portico/channels/PACKAGE.yaml in the work tree of a clone and keeps everything else in it as it is;',
      'with --branch, a commit on that branch holds the change and the work tree stays as it is. The registered branch',
      'is never written: open a pull request. PACKAGE is relative to the registered directory. Only revisions with a tag in the',
      'clone count. Channel rules that the changed file breaks are printed as warnings.',
    ],
    options: [...ownOptions(accepts.options ?? {}), ...CHANGE_OPTIONS],
    examples: [...lines(examples), `${first} --branch channels/web --push origin`],
    positionals: { least: 1, most: accepts.positional ?? 0 },
    load: loadChange(name),
  };
});

export const PLAN_VERB: Verb = {
  name: PLAN.name,
  summary: 'show what each package downstream of a clone gets next, and why',
  usage: ['portico plan [PACKAGE] [--repo DIR] [--in FOLDER]… [--branch NAME]'],
  description: [
    'Uses the channel files of the registered branch or, with --branch, those of that branch, to show what its merge would change.',
    'portico catalog plan is the same, with the clone as its argument. Both show where a package goes, not when: schedules, soak,',
    'waves and pauses are decided by the server. The dashboards show them, and /portico rollout plan shows the waves.',
  ],
  options: [
    REPO,
    {
      name: 'in',
      value: 'FOLDER',
      many: true,
      help: 'a clone, a folder of clones, or a directory with Kptfiles',
    },
    { name: 'branch', value: 'NAME', help: 'a branch with proposed channel files' },
    {
      name: 'follow',
      value: 'WHAT',
      help: 'what to follow if no configuration says so (default: latest)',
    },
    {
      name: 'repository',
      value: 'OWNER/NAME',
      help: 'the address by which locks name the clone, if its remotes do not show it',
    },
    JSON_OPTION,
  ],
  examples: ['portico plan --in ~/clones', 'portico plan web --in ~/clones --branch channels/web --json'],
  positionals: { least: 0, most: 1 },
  load: async () => (await import('./plan.ts')).plan,
};

function loadChange(name: ChannelChangeVerb): () => Promise<Run> {
  return async () => {
    const { changeChannels } = await import('./change.ts');
    return (call) => changeChannels(name, call);
  };
}

function ownOptions(accepted: Readonly<Record<string, 'flag' | 'value'>>): Option[] {
  return Object.keys(accepted).flatMap((name) => {
    const option = OPTIONS[name];
    return option === undefined ? [] : [{ name, ...option }];
  });
}

/** As they are typed at a terminal. */
function lines(examples: ChannelVerb['examples']): string[] {
  return examples.map(({ line }) => line.replace(/^\//, ''));
}
