/** What is done with packages: most of it in processes of its own, what is told of it in the main loop. */
import { setImmediate } from 'node:timers/promises';

import { createRuntime } from '../../../src/function/runtime.ts';
import { diffMarkdown } from '../../../src/package/diff/diff-markdown.ts';
import { readKptfile, withName } from '../../../src/package/kptfile.ts';
import type { PackageFile } from '../../../src/package/package.ts';
import { powerMarkdown } from '../../../src/package/power/power-markdown.ts';
import type { Guardrail } from '../../../src/package/render/render-types.ts';
import { renderCheck } from '../../../src/reconcile/check/render-check.ts';
import type { Content } from '../../../src/reconcile/content-port.ts';
import type { RenderedPackage } from '../../../src/reconcile/render/proposal-render.ts';
import { conflictTable } from '../../../src/reconcile/text/markdown-blocks.ts';
import type { Choices } from './choices.ts';
import { altered, hostilePackage, hostilePolicies } from './packages.ts';
import { subject } from './patterns.ts';
import type { Answer } from './subject.ts';
import { orRefusal } from './subject.ts';
import { yaml } from './yaml.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const runtime = createRuntime();
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: a }\n';
const file = (text: string): PackageFile => ({ mode: '100644', bytes: utf8(text) });

/** A package as a proposal brings it, with guardrails in some; its check is written in the main loop. */
export function prepareRender(choices: Choices): (content: Content) => Promise<Answer> {
  const [own, rules] = choices.split(2) as [Choices, Choices];
  const files = hostilePackage(own);
  const policies = hostilePolicies(rules).map((expression, at): Guardrail => ({
    name: `g${at}`,
    type: 'validator',
    mode: 'enforce',
    spec: {},
    policy: { validations: [{ expression }] },
  }));
  const guardrails = rules.next() % 3 === 0 ? policies : [];
  return async (content) => {
    const { ok, runs, findings, problem } = await content.renderSettled({ files, runtime, guardrails });
    const touched = { path: 'web', directory: 'web' };
    const rendered = {
      package: touched,
      ok,
      runs,
      findings,
      ...(problem && { problem }),
      changes: new Map(),
    };
    renderCheck([rendered as unknown as RenderedPackage], { state: 'unchanged' } as never);
    const refused = runs.find((run) => run.refused !== undefined)?.refused?.code;
    return problem?.code ?? refused ?? (ok ? 'ok' : 'failed');
  };
}

/** An update of a package with changes of its own; the conflicts are told in the main loop. */
export function prepareMerge(choices: Choices): (content: Content) => Promise<Answer> {
  const [old, theirs, ours] = choices.split(3) as [Choices, Choices, Choices];
  const base = hostilePackage(old);
  const upstream = altered(base, theirs);
  const local = altered(base, ours);
  const strategy = ours.pick([
    'resource-merge',
    'resource-merge',
    'copy-merge',
    'force-delete-replace',
  ] as const);
  return (content) =>
    orRefusal(async () => {
      const { conflicts } = await content.merge({ base, upstream, local, strategy });
      conflictTable(conflicts);
      return conflicts.length === 0 ? 'ok' : 'conflicts';
    });
}

/** Two states of a package; what differs is told in the main loop. */
export function prepareCompare(choices: Choices): (content: Content) => Promise<Answer> {
  const [old, change] = choices.split(2) as [Choices, Choices];
  const before = hostilePackage(old);
  const after = change.next() % 4 === 0 ? hostilePackage(change) : altered(before, change);
  return (content) =>
    orRefusal(async () => {
      const found = await content.compare({ before, after });
      const told = diffMarkdown(found.content, { limit: 60_000 }) + powerMarkdown(found.power);
      return found.content.same && told !== '' ? 'same' : 'ok';
    });
}

/** One file of YAML, read, edited by a function and compared. */
export function prepareYaml(choices: Choices): (content: Content) => Promise<Answer> {
  const [text, other] = choices.split(2).map(yaml) as [string, string];
  const kptfile = file(KPTFILE);
  const labelled = `${KPTFILE}pipeline: { mutators: [{ image: set-labels:v0.2, configMap: { a: b } }] }\n`;
  const before = new Map([
    ['Kptfile', kptfile],
    ['a.yaml', file(other)],
  ]);
  const after = new Map([
    ['Kptfile', file(labelled)],
    ['a.yaml', file(text)],
  ]);
  return (content) =>
    orRefusal(async () => {
      const { problem, ok } = await content.render({ files: after, runtime });
      await content.compare({ before, after });
      return problem?.code ?? (ok ? 'ok' : 'failed');
    });
}

/** What the server itself reads of a package, and writes into it; between these others have their turn. */
export function prepareKptfile(choices: Choices): () => Promise<Answer> {
  const [own, other] = choices.split(2) as [Choices, Choices];
  const bytes = hostilePackage(own).get('Kptfile')!.bytes;
  const word = subject(other);
  return () =>
    orRefusal(async () => {
      const { problems } = readKptfile(bytes);
      await setImmediate();
      withName(bytes, word);
      await setImmediate();
      return problems.length === 0 ? 'ok' : 'problems';
    });
}
