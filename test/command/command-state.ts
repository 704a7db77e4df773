/** A proposal of one package that is ready to publish; tests change what they are about. */

import type { Caller, CommandState, PullPlace } from '../../src/command/command-state.ts';
import { type Answer, decideCommand } from '../../src/command/decide.ts';
import { parseComment } from '../../src/command/parse.ts';
import { defaultRepositoryConfig } from '../../src/config/parse-repository-config.ts';
import type { RepositoryConfig } from '../../src/config/repository-config.ts';

export const HEAD = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
export const OTHER = 'ffffffffffffffffffffffffffffffffffffffff';
export const DIGEST = `sha256:${'d'.repeat(64)}`;

export const caller = (change: Partial<Caller> = {}): Caller => ({
  login: 'bob',
  role: 'write',
  teams: [],
  isAuthor: false,
  isBot: false,
  ...change,
});

export const pull = (change: Partial<PullPlace> = {}): PullPlace => ({
  kind: 'pull',
  number: 7,
  nodeId: 'PR_7',
  state: 'open',
  draft: false,
  locked: false,
  merged: false,
  author: 'alice',
  headRef: 'drafts/web/one',
  headSha: HEAD,
  headSeenAtComment: HEAD,
  headPushedAt: '2026-11-20T10:00:00Z',
  baseRef: 'main',
  fork: false,
  ...change,
});

export const config = (change: Partial<RepositoryConfig> = {}): RepositoryConfig => ({
  ...defaultRepositoryConfig(),
  ...change,
});

const state = (change: Partial<CommandState> = {}): CommandState => ({
  caller: caller(),
  comment: { id: 99, createdAt: '2026-11-20T10:05:00Z', author: 'bob' },
  place: pull(),
  config: config(),
  packages: [{ path: 'web', state: 'proposed', newest: 'v2' }],
  digest: DIGEST,
  checks: { state: 'green', failing: [], digest: DIGEST },
  approvals: {
    counted: [{ login: 'carol', how: 'review' }],
    notCounted: [],
    changesRequested: [],
    required: 1,
    needed: 1,
    authors: [],
    unknownAuthors: [],
    digest: DIGEST,
  },
  openConflicts: 0,
  updates: [],
  ...change,
});

/** Decides the first command of a comment. */
export function say(body: string, change: Partial<CommandState> = {}): Answer {
  const parsed = parseComment(body);
  const line = parsed.kind === 'commands' ? parsed.commands[0] : undefined;
  if (line === undefined) throw new Error(`no command in ${JSON.stringify(body)}`);
  return decideCommand(line, state(change));
}

/** The code of a refusal, or the kinds of the steps. */
export function outcome(body: string, change: Partial<CommandState> = {}): string {
  const answer = say(body, change);
  return answer.kind === 'do' ? answer.steps.map((step) => step.do).join(' ') || 'reply' : answer.code;
}
