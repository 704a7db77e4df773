import { defineConfig } from 'vitest/config';

/** They replace HTTP in their process, or its environment. */
const APART = ['test/forge/**/*.test.ts', 'test/e2e/probot-host.test.ts'];

// Git is made hermetic for every test: no user or system configuration, no prompt, no foreign protocol.
export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two processors are not busy with two: each waits for git and for the forge a good part of its time.
    maxWorkers: 3,
    setupFiles: ['test/print-seed.ts'],
    // Loading the program anew for each file would take a third of all the time.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts', 'localforge/{test,examples}/**/*.test.ts'],
          exclude: APART,
        },
      },
      { extends: true, test: { name: 'apart', isolate: true, include: APART } },
    ],
    env: {
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
