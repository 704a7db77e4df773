import { expect, test } from 'vitest';

import { isOurs } from '../../src/forge/checks.ts';
import * as names from '../../src/reconcile/check-names.ts';

const ACTIONS = { id: 15_368, isShared: true } as const;

test('through an App that others have too, only checks with our names are ours', () => {
  const own = Object.entries(names).flatMap(([key, name]) => (key.endsWith('_CHECK') ? [String(name)] : []));
  expect(own.length).toBeGreaterThan(10);
  for (const name of [...own, names.guardrailCheck('schema')])
    expect([name, isOurs({ name, app: ACTIONS }, ACTIONS)]).toEqual([name, true]);
  for (const name of ['build', 'portico-check', 'check / portico', 'guardrail'])
    expect([name, isOurs({ name, app: ACTIONS }, ACTIONS)]).toEqual([name, false]);
});

test('an App of its own has every run that it made, and none of another', () => {
  expect(isOurs({ name: 'anything', app: { id: 7 } }, { id: 7 })).toBe(true);
  expect(isOurs({ name: 'portico', app: { id: 8 } }, { id: 7 })).toBe(false);
  expect(isOurs({ name: 'portico', app: null }, { id: 7 })).toBe(false);
});
