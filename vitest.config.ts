import { globSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';

import { defineConfig } from 'vitest/config';

import { MissingParts } from './test/missing-parts.ts';
import { PARTS, PATH, RUNS, STORIES } from './test/parts.ts';

/** They replace HTTP in their process, or its environment. */
const APART = ['test/forge/**/*.test.ts', 'test/e2e/probot-host.test.ts'];

const FILES = ['test/**/*.test.ts', 'localforge/{test,examples}/**/*.test.ts'];

/** Files that hold a story, for `npm run stories`: by a tag of the file or of a test. */
const HOLDS_STORY = /@module-tag story|longTest\(|tags: \[[^\]]*'story'/;

const withStories = (): string[] =>
  globSync(FILES).filter((file) => HOLDS_STORY.test(readFileSync(file, 'utf8')));

// Git is made hermetic for every test: no user or system configuration, no prompt, no foreign protocol.
export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two processors are not busy with two: each waits for git and for the forge a good part of its time.
    maxWorkers: 3,
    setupFiles: ['test/print-seed.ts'],
    reporters: ['default', new MissingParts()],
    tags: [...PARTS, ...RUNS].map(({ name, get, isHere }) => ({
      name,
      description: get,
      ...(!isHere() && { skip: true }),
    })),
    // Loading the program anew for each file would take a third of all the time.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: STORIES && process.env['PORTICO_LONG'] !== '1' ? withStories() : FILES,
          exclude: APART,
        },
      },
      { extends: true, test: { name: 'apart', isolate: true, include: APART } },
    ],
    env: {
      PATH: PATH.join(delimiter),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
      NO_COLOR: '1',
      // Tests run where bubblewrap is not installed, too.
      PORTICO_WASM_SANDBOX: 'optional',
    },
  },
});
