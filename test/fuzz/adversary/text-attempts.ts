/** What is done with documents, names and texts, all of it in the main loop. */

import { setImmediate } from 'node:timers/promises';

import { parseRecord } from '../../../src/command/approval-record.ts';
import { readArguments } from '../../../src/command/arguments.ts';
import { parseIssueForm } from '../../../src/command/issue-form.ts';
import { parseComment } from '../../../src/command/parse.ts';
import { commands } from '../../../src/command/table.ts';
import { readUpstream } from '../../../src/command/upstream-wish.ts';
import { admissionGuardrails } from '../../../src/config/admission-policy.ts';
import { ownersOfAll, parseCodeOwners } from '../../../src/config/code-owners.ts';
import { globProblem, matchesGlob } from '../../../src/config/glob.ts';
import { parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import { readRollouts } from '../../../src/config/read-rollouts.ts';
import { readKrmignore } from '../../../src/package/krmignore.ts';
import type { PackageFile } from '../../../src/package/package.ts';
import type { ExpansionWorld } from '../../../src/package/variant/expand.ts';
import type { ReadDocument } from '../../../src/package/variant/read-document.ts';
import type { ObjectMeta } from '../../../src/package/variant/variant-types.ts';
import type { Content } from '../../../src/reconcile/content-port.ts';
import type { Git, GitRef } from '../../../src/reconcile/git-port.ts';
import {
  channelRevision,
  loadRevisionRefs,
  newestRevision,
  upcomingRevision,
} from '../../../src/reconcile/repository/package-revisions.ts';
import { readSealedComments } from '../../../src/reconcile/seal/sealed-comment.ts';
import { code, sentence, foreignSentence } from '../../../src/reconcile/text/markdown-blocks.ts';
import type { Keyring } from '../../../src/revision/keyring.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';
import { porchAnnotations } from '../../../src/revision/porch-annotation.ts';
import { oneLine, parseProvenance } from '../../../src/revision/provenance.ts';
import { createScrubber } from '../../../src/telemetry/log.ts';
import { cutText, shorten } from '../../../src/text/cut-text.ts';
import { cell, codeSpan, fence, inert, inertSentence, table } from '../../../src/text/markdown.ts';
import { scrubSecrets } from '../../../src/text/secrets.ts';
import type { Choices } from './choices.ts';
import { admission, configuration, inventory, rollout, variants } from './documents.ts';
import { codeOwners } from './owners.ts';
import { glob, subject } from './patterns.ts';
import type { Answer } from './subject.ts';
import { orRefusal } from './subject.ts';
import { message, prose } from './words.ts';

const BODY = 65_536;
/** What is longer is refused by its length. */
const CONFIGURATION = 66_000;
const DOCUMENTS = 1024 * 1024;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export function prepareConfiguration(choices: Choices): () => Answer {
  const [mine, theirs] = choices.split(2) as [Choices, Choices];
  const policies = mine.next() % 4 === 0 ? utf8(admission(theirs).slice(0, CONFIGURATION)) : undefined;
  const own = utf8(configuration(mine).slice(0, CONFIGURATION));
  const organization = utf8(configuration(theirs).slice(0, CONFIGURATION));
  return () => {
    if (policies !== undefined) {
      const { problems } = admissionGuardrails([{ file: '.github/portico/policy.yaml', bytes: policies }]);
      return problems[0]?.code ?? 'ok';
    }
    const result = parseRepositoryConfig(
      { file: '.github/portico.yaml', bytes: own },
      { organization: { file: 'org', bytes: organization } },
    );
    return result.problems[0]?.code ?? 'ok';
  };
}

export function prepareRollouts(choices: Choices): () => Answer {
  const bytes = utf8(rollout(choices).slice(0, DOCUMENTS));
  return () => {
    const { rollouts, problems } = readRollouts({ file: '.github/portico/rollout.yaml', bytes });
    return problems[0]?.code ?? (rollouts.length > 0 ? 'ok' : 'none');
  };
}

/** Documents below `.github/portico/`, and what a set among them makes; read and expanded in processes of their own. */
export function prepareVariants(choices: Choices): (content: Content) => Promise<Answer> {
  const [own, around] = choices.split(2) as [Choices, Choices];
  const files = new Map([
    ['variants.yaml', fileOf(variants(own))],
    ['objects.yaml', fileOf(inventory(around))],
  ]);
  return (content) =>
    orRefusal(async () => {
      const [found, objects] = await content.documents(files);
      const codes = new Set<string>(found?.problems.length === 0 ? [] : ['problems']);
      const world = worldOf(objects?.documents ?? []);
      for (const document of found?.documents ?? []) {
        codes.add(document.kind);
        if (document.kind !== 'set') continue;
        const { problems } = await content.expand({ ...world, set: document.set, names: new Map() });
        for (const { reason } of problems) codes.add(reason);
      }
      return [...codes].sort().join(' ') || 'none';
    });
}

function fileOf(text: string): PackageFile {
  return { mode: '100644', bytes: utf8(text.slice(0, DOCUMENTS)) };
}

const metaOf = (name: string): ObjectMeta => ({ name, labels: { region: 'eu' }, annotations: {} });

function worldOf(objects: readonly ReadDocument[]): ExpansionWorld {
  const names = ['blueprints', 'deploy', ...Array.from({ length: 50 }, (_, at) => `deploy${at}`)];
  const published = {
    repository: 'blueprints',
    package: 'web',
    revision: 1,
    lifecycle: 'Published',
    metadata: metaOf('blueprints.web.v1'),
    workspaceName: 'v1',
  };
  return {
    repositories: names.map((name) => ({
      kind: 'Repository',
      metadata: metaOf(name),
      repo: `https://forge.test/acme/${name}.git`,
    })),
    packageRevisions: [published as never],
    objects: objects.flatMap((one) => (one.kind === 'object' ? [one.object] : [])),
  };
}

/** GitHub lists 3,000 changed files of a pull request at most. */
const CHANGED = Array.from(
  { length: 3_000 },
  (_, at) => `m${at % 100}/${'a/'.repeat(at % 60)}${'a'.repeat(at % 100)}${at}.yaml`,
);

export function prepareOwners(choices: Choices): () => Answer {
  const text = codeOwners(choices);
  return () => {
    const file = parseCodeOwners(text);
    const groups = ownersOfAll(file, CHANGED);
    return groups.length === 0 ? 'none' : file.whole ? 'ok' : 'limit';
  };
}

export function prepareGlobs(choices: Choices): () => Answer {
  const some = Array.from({ length: 6 }, () => glob(choices));
  const globs = Array.from({ length: 100 }, (_, at) => some[at % 6]!).filter(
    (one) => globProblem(one) === undefined,
  );
  const path = subject(choices).slice(0, 1_000);
  const ignored = readKrmignore(glob(choices));
  return () => {
    const found = [path, 'a/b/c', ...CHANGED.slice(0, 100)].filter(
      (one) => matchesGlob(one, globs) || ignored(one),
    );
    return found.length > 0 ? 'ok' : 'none';
  };
}

export function prepareComments(choices: Choices): () => Answer {
  const body = prose(choices).slice(0, BODY);
  const keyring: Keyring = { sign: () => '0'.repeat(64), verify: () => false };
  return () => {
    const parsed = parseComment(body);
    parseIssueForm(body);
    parseIssueForm(`### Path of the new package\n\n${body}`);
    parseRecord(body, { repository: '1', pull: 1 }, keyring);
    readSealedComments('a', 'b', body, keyring);
    if (parsed.kind !== 'commands') return parsed.code;
    for (const { verb, rest, problem } of parsed.commands) {
      const command = commands.find(({ name }) => name === verb);
      if (problem === undefined && command !== undefined) readArguments(rest, command.accepts);
      readUpstream(rest);
    }
    return parsed.commands.length > 0 ? 'ok' : 'none';
  };
}

export function prepareMessages(choices: Choices): () => Answer {
  const text = message(choices);
  return () => {
    const annotations = porchAnnotations(text);
    oneLine(text);
    return parseProvenance(text) === undefined ? (annotations.length > 0 ? 'porch' : 'none') : 'ok';
  };
}

/** A repository's tags, and the ledger beside them: whoever may push makes as many as he likes. */
export function prepareRefs(choices: Choices): () => Promise<Answer> {
  const [tags, ledger] = [refNames(choices, 'refs/tags/'), refNames(choices, 'refs/portico/published/')];
  const some = [...tags.keys()].slice(0, 100).map((ref) => ref.slice(ref.lastIndexOf('/') + 1));
  const git = { refs: async (prefix: string) => (prefix === 'refs/tags/' ? tags : ledger) } as Pick<
    Git,
    'refs'
  >;
  return () =>
    orRefusal(async () => {
      const refs = await loadRevisionRefs(git);
      await setImmediate();
      const web = repositoryDirectory('web');
      const channels = some.filter((name) => channelRevision(refs, web, name) !== undefined);
      await setImmediate();
      newestRevision(refs, web);
      await setImmediate();
      upcomingRevision(refs, web, { versioning: choices.next() % 2 === 0 ? 'sequence' : 'semver' });
      return channels.length > 0 ? 'channels' : 'ok';
    });
}

const commitOf = (at: number): string => (at % 997).toString(16).padStart(40, '0');

function refNames(choices: Choices, prefix: string): ReadonlyMap<string, GitRef> {
  const forms: readonly ((at: number) => string)[] = [
    (at) => `web/v${at + 1}`,
    (at) => `web/v1.${at}.0-rc.${at}`,
    (at) => `web/c${at}`,
    (at) => `p${at}/v1`,
    (at) => `${'d/'.repeat(at % 100)}v${at + 1}`,
    (at) => `web/v${at + 999_990_000}`,
    (at) => `release-${at}`,
  ];
  const names = [choices.pick(forms), choices.pick(forms)].flatMap((form) =>
    Array.from({ length: choices.pick([10, 100, 1_000, 3_000, 10_000, 30_000]) }, (_, at) => form(at)),
  );
  return new Map(names.map((name, at) => [`${prefix}${name}`, { oid: commitOf(at), commit: commitOf(at) }]));
}

/** What comes from elsewhere and is shown on the forge or written to a log. */
export function prepareTexts(choices: Choices): () => Answer {
  const text = prose(choices).slice(0, 2 * BODY);
  const scrub = createScrubber(['a secret of ours']);
  return () => {
    const shown = [
      inert(text),
      inertSentence(text),
      codeSpan(text),
      fence(text, 'text'),
      cell(text),
      cutText(text, { characters: 65_000 }),
      cutText(text, { bytes: 65_000 }),
      shorten(text, 200),
      foreignSentence(text),
      sentence(text),
      table(['a'], [[code(text)]]),
    ];
    return scrub(text) === text && scrubSecrets(text) === text && shown.length > 0 ? 'ok' : 'scrubbed';
  };
}
