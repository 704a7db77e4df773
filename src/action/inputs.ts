/** Pure: what a step of a workflow says of the Action, and what it asks of the command line. */

import { PorticoError } from '../error.ts';
import type { EnvironmentQuestion } from './secret-environment.ts';

const MODES = ['check', 'catalog', 'run', 'sweep'] as const;
/** They read the work tree, and get no credentials. */
const READING: readonly string[] = ['check', 'catalog'];

export interface Inputs {
  readonly mode: (typeof MODES)[number];
  /** Arguments of `portico`. */
  readonly arguments: readonly string[];
  /** Environment of `portico`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The environment that should hold the step's secrets, if it has any; `required`: the step stops unless that is confirmed. */
  readonly secrets?: EnvironmentQuestion & { readonly required: boolean };
  /** Whether it reads the work tree, where the step is. */
  readonly reads: boolean;
  /** Where findings of a check go as SARIF; '' for nowhere. */
  readonly sarif: string;
  /** The image that the catalog is pushed to; '' for a catalog that is compared. */
  readonly image: string;
  /** The workflow's login for the registry of the forge; absent where the image is elsewhere. */
  readonly login?: { readonly registry: string; readonly account: string; readonly token: string };
}

/** The registry that takes the token of a workflow. */
const REGISTRY_OF_FORGE = 'ghcr.io';

type Variables = Readonly<Record<string, string | undefined>>;

/** What a program of ours does not need, and what would change how it or git work. */
const NOT_PASSED =
  /^(?:INPUT_|ACTIONS_|GIT_|npm_)|^(?:NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|LD_PRELOAD|LD_LIBRARY_PATH)$/;

/** @throws PorticoError CLI_USAGE for an input that is wrong, or an event that the mode is not for */
export function readInputs(env: Variables): Inputs {
  const input = (name: string): string => (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
  const mode = MODES.find((one) => one === (input('mode') || 'check'));
  if (mode === undefined)
    throw wrong(`mode must be one of ${MODES.join(', ')}`, 'See docs/github-action.md.');
  const event = env['GITHUB_EVENT_NAME'] ?? '';
  const image = mode === 'catalog' ? input('image') : '';
  refuseEvent(mode, event, image);
  const option = (name: string): readonly string[] =>
    input(name) === '' ? [] : [`--${name}=${input(name)}`];
  const typed = input('directory') || '.';
  const directory = typed.startsWith('-') ? `./${typed}` : typed;
  const reads = READING.includes(mode);
  const commands: Readonly<Record<Inputs['mode'], readonly string[]>> = {
    check: ['check', '--json', ...option('changed-since'), directory],
    catalog:
      image === ''
        ? ['catalog', 'diff', '--output=markdown', ...option('changed-since'), directory]
        : [
            'catalog',
            'push',
            '--json',
            `--source=${sourceOf(env)}`,
            ...option('bundle-images'),
            directory,
            image,
          ],
    run: [
      'run',
      '--json',
      `--event=${event}`,
      `--payload=${env['GITHUB_EVENT_PATH'] ?? ''}`,
      ...option('minutes'),
    ],
    sweep: ['run', '--json', '--sweep', ...option('minutes')],
  };
  const credentials = reads
    ? {}
    : {
        GITHUB_TOKEN: input('token'),
        APP_ID: input('app-id'),
        PRIVATE_KEY: input('private-key'),
        SEAL_KEYS: input('seal-keys'),
      };
  const required = input('environment-check') || 'warn';
  if (required !== 'warn' && required !== 'fail')
    throw wrong('environment-check must be warn or fail', 'See docs/github-action.md.');
  const hasSecrets = !reads && (input('private-key') !== '' || input('seal-keys') !== '');
  return {
    mode,
    reads,
    arguments: commands[mode],
    environment: { ...passedOn(env), ...withoutEmpty(credentials) },
    ...(hasSecrets && {
      secrets: {
        environment: input('environment'),
        repository: env['GITHUB_REPOSITORY'] ?? '',
        apiUrl: env['GITHUB_API_URL'] ?? 'https://api.github.com',
        token: input('token'),
        required: required === 'fail',
      },
    }),
    sarif: mode === 'check' ? input('sarif') : '',
    image,
    ...(image.startsWith(`${REGISTRY_OF_FORGE}/`) && {
      login: { registry: REGISTRY_OF_FORGE, account: env['GITHUB_ACTOR'] ?? '', token: input('token') },
    }),
  };
}

function sourceOf(env: Variables): string {
  return `${env['GITHUB_SERVER_URL'] ?? 'https://github.com'}/${env['GITHUB_REPOSITORY'] ?? ''}`;
}

function refuseEvent(mode: Inputs['mode'], event: string, image: string): void {
  if (image !== '' && event === 'pull_request') {
    throw wrong(
      'a pull request is not pushed as an image before it is merged',
      'Start the workflow on push to the default branch, or leave image out to compare the catalog.',
    );
  }
  if (READING.includes(mode) && event === 'pull_request_target') {
    throw wrong(
      `mode ${mode} reads the work tree, which pull_request_target must not take from a fork`,
      'Start the workflow on pull_request, or use mode run, which checks out nothing.',
    );
  }
  if (mode === 'run' && event === 'pull_request') {
    throw wrong(
      'on pull_request, the token of a fork only reads',
      'Start the workflow on pull_request_target: mode run checks out nothing and runs nothing of the fork.',
    );
  }
}

function passedOn(env: Variables): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !NOT_PASSED.test(name));
  return withoutEmpty(Object.fromEntries(kept));
}

function withoutEmpty(env: Variables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''),
  );
}

function wrong(message: string, hint: string): PorticoError {
  return new PorticoError('CLI_USAGE', message, { blame: 'user', hint });
}
