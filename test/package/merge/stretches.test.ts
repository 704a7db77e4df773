/** Conflicts about a part of a text or of a list, and items whose key changed. */
import { describe, expect, test } from 'vitest';

import { contentAt } from '../../../src/package/merge/conflict-place.ts';
import type { Choice, Conflict } from '../../../src/package/merge/conflict.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { settleConflicts } from '../../../src/package/merge/settle.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { textOf } from './trees.ts';

function tree(text: string, name = 'a.yaml'): PackageFiles {
  return new Map([[name, { mode: '100644', bytes: new TextEncoder().encode(text) }]]);
}

interface Merged {
  readonly text: string;
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly stray: readonly string[];
}

function merge(
  texts: readonly [string, string, string],
  decisions = new Map<string, Choice>(),
  name = 'a.yaml',
): Merged {
  const [base = new Map(), upstream = new Map(), local = new Map()] = texts.map((text) => tree(text, name));
  const { files, conflicts, strayDecisions } = mergePackages({ base, upstream, local, decisions });
  expect(mergePackages({ base, upstream, local: files }).changed, 'merged twice').toEqual(
    decisions.size === 0 ? [] : expect.anything(),
  );
  return { text: textOf(files.get(name)), files, conflicts, stray: strayDecisions };
}

/** All conflicts decided for this. */
function decided(texts: readonly [string, string, string], choice: Choice, name = 'a.yaml'): Merged {
  return merge(texts, new Map(merge(texts, new Map(), name).conflicts.map(({ id }) => [id, choice])), name);
}

function config(...lines: string[]): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  app.conf: |\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

describe('lines of a text', () => {
  const sides = [
    config('workers = 1', 'a', 'b', 'ttl = 1', 'c', 'd', 'log = x'),
    config('workers = 2', 'a', 'b', 'ttl = 1', 'c', 'd', 'log = y'),
    config('workers = 3', 'a', 'b', 'ttl = 90', 'c', 'd', 'log = x'),
  ] as const;

  test('only the lines that both changed are in conflict; what each changed alone stays', () => {
    const { text, conflicts } = merge(sides);
    expect(text).toBe(config('workers = 2', 'a', 'b', 'ttl = 90', 'c', 'd', 'log = y'));
    expect(conflicts).toMatchObject([
      {
        path: 'data["app.conf"]',
        part: true,
        base: 'workers = 1\n',
        upstream: 'workers = 2\n',
        local: 'workers = 3\n',
      },
    ]);
    expect(decided(sides, 'local').text).toBe(
      config('workers = 3', 'a', 'b', 'ttl = 90', 'c', 'd', 'log = y'),
    );
  });

  test('both is not offered for lines that both rewrote, and then does not count', () => {
    const { conflicts, stray } = decided(sides, 'both');
    expect(conflicts).toHaveLength(1);
    expect(conflicts[0]).not.toHaveProperty('both');
    expect(stray).toEqual([conflicts[0]?.id]);
  });

  test('equal conflicts in one text have ids of their own', () => {
    const twice = (value: string): string => config(value, 'a', 'b', value);
    const one = merge([twice('x = 1'), twice('x = 2'), twice('x = 3')]);
    expect(new Set(one.conflicts.map(({ id }) => id)).size).toBe(2);
    const decisions = new Map<string, Choice>([[one.conflicts[1]?.id ?? '', 'local']]);
    const { text } = merge([twice('x = 1'), twice('x = 2'), twice('x = 3')], decisions);
    expect([config('x = 2', 'a', 'b', 'x = 3'), config('x = 3', 'a', 'b', 'x = 2')]).toContain(text);
  });

  test('lines that both appended may both stay', () => {
    const appended = [config('a'), config('a', 'theirs'), config('a', 'mine')] as const;
    const { text, conflicts } = merge(appended);
    expect(text).toBe(config('a', 'theirs'));
    expect(conflicts).toMatchObject([{ both: true, base: '', upstream: 'theirs\n', local: 'mine\n' }]);
    expect(decided(appended, 'both').text).toBe(config('a', 'theirs', 'mine'));
    expect(decided(appended, 'local').text).toBe(config('a', 'mine'));
  });

  test('an edit of another line of the text does not settle it; an edit of its lines does', () => {
    const { text, files, conflicts } = merge(sides);
    const [conflict] = conflicts;
    if (conflict === undefined) throw new Error('no conflict');
    const edited = (from: string, to: string): unknown => contentAt(tree(text.replace(from, to)), conflict);
    expect(edited('log = y', 'log = z')).toBe(contentAt(files, conflict));
    expect(edited('workers = 2', 'workers = 5')).not.toBe(contentAt(files, conflict));
  });
});

function file(...lines: string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

describe.each(['notes.md', 'settings.conf'])('lines of the file %s', (name) => {
  const sides = [
    file('workers = 1', 'a', 'b', 'ttl = 1', 'c', 'd', 'log = x'),
    file('workers = 2', 'a', 'b', 'ttl = 1', 'c', 'd', 'log = y'),
    file('workers = 3', 'a', 'b', 'ttl = 90', 'c', 'd', 'log = x'),
  ] as const;
  const mine = file('workers = 3', 'a', 'b', 'ttl = 90', 'c', 'd', 'log = y');

  test('only the lines that both changed are in conflict; local stays, and its line is named', () => {
    const { text, conflicts } = merge(sides, new Map(), name);
    expect(text).toBe(mine);
    const values = { base: 'workers = 1\n', upstream: 'workers = 2\n', local: 'workers = 3\n' };
    const place = { file: name, resource: null, path: '', taken: 'local', part: true, line: 1 };
    expect(conflicts).toEqual([{ id: conflicts[0]?.id, ...place, ...values }]);
    expect(decided(sides, 'local', name).text).toBe(mine);
    expect(decided(sides, 'upstream', name).text).toBe(mine.replace('workers = 3', 'workers = 2'));
    expect(decided(sides, 'both', name).stray).toEqual([conflicts[0]?.id]);
  });

  test('an id stays while another part of the file changes', () => {
    const other = sides.map((text) => `first\n${text}`) as [string, string, string];
    const [one, two] = [sides, other].map((texts) => merge(texts, new Map(), name).conflicts[0]);
    expect(one?.id).toBe(two?.id);
    expect(two?.line).toBe(2);
  });

  test('lines that both appended may both stay', () => {
    const appended = [file('a'), file('a', 'theirs'), file('a', 'mine')] as const;
    expect(merge(appended, new Map(), name).conflicts).toMatchObject([{ both: true, base: '' }]);
    expect(decided(appended, 'both', name).text).toBe(file('a', 'theirs', 'mine'));
    const [start, theirs, own] = appended;
    const open = [start, theirs, own.trimEnd()] as const;
    expect(decided(open, 'both', name).text).toBe(file('a', 'theirs', 'mine').trimEnd());
  });

  test('an edit of another line does not settle it; an edit of its lines does', () => {
    const { text, files, conflicts } = merge(sides, new Map(), name);
    const [conflict] = conflicts;
    if (conflict === undefined) throw new Error('no conflict');
    const edited = (from: string, to: string): unknown =>
      contentAt(tree(text.replace(from, to), name), conflict);
    expect(edited('log = y', 'log = z')).toBe(contentAt(files, conflict));
    expect(edited('workers = 3', 'workers = 5')).not.toBe(contentAt(files, conflict));
  });

  test('a file that both sides added, or that one side deleted, is one conflict', () => {
    const whole = { path: '', resource: null, taken: 'local' };
    const [base, upstream, local] = sides.map((text) => tree(text, name));
    if (base === undefined || upstream === undefined || local === undefined) throw new Error('no sides');
    const nothing: PackageFiles = new Map();
    for (const one of [
      { base: nothing, upstream, local },
      { base, upstream: nothing, local },
    ]) {
      const { conflicts } = mergePackages(one);
      expect(conflicts).toMatchObject([whole]);
      expect(conflicts[0]).not.toHaveProperty('part');
    }
  });
});

function args(...items: string[]): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          args:
${items.map((item) => `            - ${item}\n`).join('')}`;
}

function role(...resources: string[]): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
rules:
${resources.map((one) => `  - apiGroups: [""]\n    resources: ["${one}"]\n    verbs: ["get"]\n`).join('')}`;
}

describe('items of a list', () => {
  test('arguments that both appended may both stay, and a change elsewhere arrives either way', () => {
    const sides = [
      args('--a=1', '--b'),
      args('--a=2', '--b', '--theirs'),
      args('--a=1', '--b', '--mine'),
    ] as const;
    const { text, conflicts } = merge(sides);
    expect(text).toBe(args('--a=2', '--b', '--theirs'));
    expect(conflicts).toMatchObject([
      { path: 'spec.template.spec.containers[name=web].args', upstream: ['--theirs'], local: ['--mine'] },
    ]);
    expect(decided(sides, 'both').text).toBe(args('--a=2', '--b', '--theirs', '--mine'));
    expect(decided(sides, 'local').text).toBe(args('--a=2', '--b', '--mine'));
  });

  test('one argument that both changed is in conflict alone', () => {
    const { text, conflicts } = merge([
      args('--a=1', '--b=1', '--c=1'),
      args('--a=2', '--b=2', '--c=1'),
      args('--a=1', '--b=3', '--c=3'),
    ]);
    expect(text).toBe(args('--a=2', '--b=2', '--c=3'));
    expect(conflicts).toMatchObject([{ base: ['--b=1'], upstream: ['--b=2'], local: ['--b=3'] }]);
  });

  test('rules of a role that both appended may both stay', () => {
    const sides = [role('pods'), role('pods', 'secrets'), role('pods', 'nodes')] as const;
    expect(merge(sides).conflicts).toMatchObject([{ path: 'rules', both: true }]);
    expect(decided(sides, 'both').text).toBe(role('pods', 'secrets', 'nodes'));
    expect(decided(sides, 'local').text).toBe(role('pods', 'nodes'));
  });

  test('a decision for both in the draft gives the bytes of a merge with it', () => {
    const sides = [role('pods'), role('pods', 'secrets'), role('pods', 'nodes')] as const;
    const [before, after] = [merge(sides).files, decided(sides, 'both').files];
    const settled = settleConflicts({ before, after, current: before });
    expect(settled.conflicts).toEqual([]);
    expect(textOf(settled.files.get('a.yaml'))).toBe(role('pods', 'secrets', 'nodes'));
  });
});

function service(...ports: string[]): string {
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n${ports.map((port) => `    - ${port.replaceAll(', ', '\n      ')}\n`).join('')}`;
}

describe('ports with names of their own', () => {
  test('a port whose number one side changed is the same port', () => {
    const { text, conflicts } = merge([
      service('name: http, port: 80'),
      service('name: http, port: 80, targetPort: http'),
      service('name: http, port: 8000'),
    ]);
    expect(text).toBe(service('name: http, port: 8000, targetPort: http'));
    expect(conflicts).toEqual([]);
  });

  test('two numbers for one name are a conflict, not two ports', () => {
    for (const base of [service('name: http, port: 80'), service('name: metrics, port: 90')]) {
      const kept = base.includes('metrics') ? ['name: metrics, port: 90'] : [];
      const { text, conflicts } = merge([
        base,
        service(...kept, 'name: http, port: 81'),
        service(...kept, 'name: http, port: 82'),
      ]);
      expect(text).toBe(service(...kept, 'name: http, port: 81'));
      expect(conflicts).toMatchObject([{ path: 'spec.ports[name=http].port', upstream: 81, local: 82 }]);
    }
  });
});

function deployment(strategy: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n${strategy}`;
}

test('fields that follow the side of the one that excludes them are named', () => {
  const { conflicts } = merge([
    deployment('    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1\n'),
    deployment('    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 2\n'),
    deployment('    type: Recreate\n'),
  ]);
  expect(conflicts).toMatchObject([
    {
      path: 'spec.strategy.rollingUpdate',
      also: [{ path: 'spec.strategy.type', upstream: 'RollingUpdate', local: 'Recreate' }],
    },
  ]);
});
