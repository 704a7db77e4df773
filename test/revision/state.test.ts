import { expect, test } from 'vitest';

import { type Action, type StateName, transition } from '../../src/revision/state.ts';

// Porch's legal transitions (lifecycle strategy and approval), and every other one with the code that is told.
const TABLE: Record<StateName, Record<Action, string>> = {
  draft: {
    edit: '→ draft',
    propose: '→ proposed',
    reject: 'not-proposed',
    approve: 'not-proposed',
    publish: 'not-proposed',
    'propose-deletion': 'not-published',
    'reject-deletion': 'no-deletion-proposed',
    delete: '→ gone',
  },
  proposed: {
    edit: '→ proposed',
    propose: 'already-proposed',
    reject: '→ draft',
    approve: '→ proposed',
    publish: '→ published',
    'propose-deletion': 'not-published',
    'reject-deletion': 'no-deletion-proposed',
    delete: '→ gone',
  },
  published: {
    edit: 'published',
    propose: 'published',
    reject: 'published',
    approve: 'published',
    publish: 'already-published',
    'propose-deletion': '→ deletion-proposed',
    'reject-deletion': 'no-deletion-proposed',
    delete: 'deletion-not-proposed',
  },
  'deletion-proposed': {
    edit: 'published',
    propose: 'published',
    reject: 'published',
    approve: 'published',
    publish: 'already-published',
    'propose-deletion': 'deletion-already-proposed',
    'reject-deletion': '→ published',
    delete: '→ gone',
  },
  gone: {
    edit: 'gone',
    propose: 'gone',
    reject: 'gone',
    approve: 'gone',
    publish: 'gone',
    'propose-deletion': 'gone',
    'reject-deletion': 'gone',
    delete: 'gone',
  },
};

const cases = Object.entries(TABLE).flatMap(([state, row]) =>
  Object.entries(row).map(([action, want]) => [state as StateName, action as Action, want] as const),
);

test.each(cases)('%s, %s: %s', (state, action, want) => {
  const step = transition(state, action);
  expect(step.allowed ? `→ ${step.to}` : step.code).toBe(want);
  if (!step.allowed) {
    expect(step.message).not.toBe('');
    expect(step.hint).toMatch(/\.$/);
  }
});
