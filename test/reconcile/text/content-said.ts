/** What Portico says about the content of a pull request, parsed and compared with the branch in git. */
import { parse, parseAllDocuments } from 'yaml';

import type { StageRepository } from '../stage-repository.ts';

interface Resource {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type Resources = ReadonlyMap<string, Resource>;

/** How many statements were compared, by their kind. */
export type Compared = Map<string, number>;

/** Statements that git contradicts; none if all are true. `upstream` is where tags of the upstream are. */
export async function untrue(
  repo: StageRepository,
  number: number,
  compared: Compared,
  upstream?: StageRepository,
): Promise<string[]> {
  const pull = await repo.pull(number);
  const body = (pull.body ?? '').replaceAll('\r\n', '\n');
  const comment = (await repo.sticky(number)).replaceAll('\r\n', '\n');
  const wrong: string[] = [];
  const claim = (kind: string, isTrue: boolean, said: string): void => {
    compared.set(kind, (compared.get(kind) ?? 0) + 1);
    if (!isTrue) wrong.push(`#${number} ${kind}: ${said}`);
  };
  claim('one place', !/```diff|What changes in/.test(body), 'the body shows a difference');
  if (pull.merged) {
    await ofMerged(repo, comment, claim);
    return wrong;
  }
  if (pull.state === 'closed') {
    claim('closed', !/will be published|\| resources in/.test(comment), 'a closed one speaks of content');
    return wrong;
  }
  const head = pull.head.sha;
  const base = await repo.git('merge-base', 'refs/heads/main', head);
  const checks = await repo.checks(head);
  const sides = { before: await resourcesAt(repo, base), after: await resourcesAt(repo, head) };
  ofDifference(comment, sides, claim);
  await ofPackages(repo, comment, { base, head, ...sides }, claim);
  ofStray(comment, sides, claim);
  ofHeadline(comment, checks, claim);
  const [, committed] = /Portico committed `([0-9a-f]{7})`/.exec(comment) ?? [];
  if (committed !== undefined) claim('pushed', head.startsWith(committed), committed);
  const isOurs = (await repo.git('log', '-1', '--format=%cn', head)).startsWith('portico');
  if (pull.user?.type === 'User') claim('pushed', isOurs === (committed !== undefined), `head ${head}`);
  ofConflicts({ body, comment, checks, after: sides.after }, claim);
  await ofLocalChanges({ body, after: sides.after, upstream }, claim);
  await ofRevisions(repo, { body, title: pull.title }, { base, head }, claim);
  await ofChannels(repo, comment, { base, head }, claim);
  return wrong;
}

type Claim = (kind: string, isTrue: boolean, said: string) => void;
type Checks = Awaited<ReturnType<StageRepository['checks']>>;

/** Templates of charts are no YAML. */
const QUIET = { logLevel: 'silent' } as const;

/** By kind, namespace, name and file. */
async function resourcesAt(repo: StageRepository, commit: string): Promise<Resources> {
  const files = (await repo.git('ls-tree', '-r', '--name-only', commit)).split('\n');
  const resources = new Map<string, Resource>();
  for (const file of files.filter((name) => /^[^.].*\/.*\.yaml$/.test(name))) {
    for (const document of parseAllDocuments((await repo.read(file, commit)) ?? '', QUIET)) {
      const value = document.toJS() as Record<string, unknown> | null;
      if (document.errors.length > 0 || value === null || typeof value['kind'] !== 'string') continue;
      const { name = '', namespace = '' } = value['metadata'] as { name?: string; namespace?: string };
      resources.set(`${value['kind']} ${namespace === '' ? '' : `${namespace}/`}${name} ${file}`, {
        file,
        value,
      });
    }
  }
  return resources;
}

function isLocal({ value }: Resource): boolean {
  const { annotations = {}, namespace = '' } = value['metadata'] as {
    annotations?: Record<string, string>;
    namespace?: string;
  };
  const isTool = String(value['apiVersion']).startsWith('config.portico.dev/');
  // The cluster gets a marked ConfigMap that has a namespace.
  const isLoose = value['kind'] === 'ConfigMap' && namespace === '';
  const isKptfile = value['kind'] === 'Kptfile';
  return isKptfile || (annotations['config.kubernetes.io/local-config'] === 'true' && (isTool || isLoose));
}

/** The value at a path such as `spec.containers[name=web].image`. */
function at(value: unknown, path: string): unknown {
  let here = value;
  for (const [, key, item] of path.matchAll(/([^.[\]]+)|\[([^\]]+)\]/g)) {
    if (/^\d+$/.test(item ?? '')) here = (here as unknown[] | undefined)?.[Number(item)];
    else if (item === undefined) here = (here as Record<string, unknown> | undefined)?.[key!];
    else {
      const [by = '', of = ''] = item.split('=');
      here = (here as Record<string, unknown>[] | undefined)?.find((one) => String(one[by]) === of);
    }
  }
  return here;
}

function isSaid(value: unknown, said: string): boolean {
  if (value === undefined) return said === 'absent';
  return typeof value === 'object' || said === value || said === JSON.stringify(value);
}

/** Each `- path: value` and `+ path: value` of the comment's difference. */
function ofDifference(
  comment: string,
  { before, after }: { readonly before: Resources; readonly after: Resources },
  claim: Claim,
): void {
  for (const [, directory = '', part = ''] of comment.matchAll(
    /What changes in <code>([^<]+)<\/code><\/summary>([^]*?)(?=\n<details(?: open)?><summary>What changes|<sub>)/g,
  )) {
    const entries = part.matchAll(
      /^- `(\S+ [^`]+)`(?: \S+)* in `([^`]+)`[^\n]*\n(?: {2}```diff\n([^]*?)\n {2}```)?/gm,
    );
    for (const [, name = '', file = '', lines = ''] of entries) {
      if (file === 'Kptfile') continue;
      const key = `${name} ${directory}/${file}`;
      for (const line of lines.split('\n').map((one) => one.trim())) {
        const [, sign, path = '', said = ''] = /^([-+]) ([A-Za-z][^:\s]*): (.+)$/.exec(line) ?? [];
        if (sign === undefined) continue;
        const side = sign === '-' ? before : after;
        claim('value', isSaid(at(side.get(key)?.value, path), said), `${key} ${line}`);
      }
    }
  }
}

/** The row of each package: counts, and the revisions. */
async function ofPackages(
  repo: StageRepository,
  comment: string,
  sides: {
    readonly base: string;
    readonly head: string;
    readonly before: Resources;
    readonly after: Resources;
  },
  claim: Claim,
): Promise<void> {
  const rows = [
    ...comment.matchAll(/^\| `([^`]+)` \| ((?:removed|upstream|here)\b[^|]*) \| ([^|]+) \| [^|]+ \|$/gm),
  ];
  for (const [row, directory = '', revisions = '', said = ''] of rows) {
    const of = ({ file }: Resource): boolean => file.startsWith(`${directory}/`);
    const isThere = ((await repo.read(`${directory}/Kptfile`, sides.head)) ?? '') !== '';
    const ofCluster = (side: Resources): Resources =>
      new Map([...side].filter(([, one]) => of(one) && !isLocal(one)));
    const old = ofCluster(sides.before);
    // The check of deletions names what is left of a package that is removed.
    const now: Resources = isThere ? ofCluster(sides.after) : new Map();
    const counts = {
      added: [...now.keys()].filter((key) => !old.has(key)).length,
      removed: [...old.keys()].filter((key) => !now.has(key)).length,
      changed: [...now].filter(
        ([key, one]) => old.has(key) && JSON.stringify(one.value) !== JSON.stringify(old.get(key)?.value),
      ).length,
    };
    for (const [kind, count] of Object.entries(counts)) {
      const [, told = '0'] = new RegExp(`(?:^|, )(\\d+) ${kind}\\b`).exec(said.split(';')[0]!) ?? [];
      claim('count', Number(told) === count, `${row}: ${count} ${kind}`);
      const fold = comment.split(`What changes in <code>${directory}</code>`)[1]?.split('What changes in')[0];
      if (fold !== undefined && count > 0) {
        const title = `${kind[0]!.toUpperCase()}${kind.slice(1)}: ${count} resource`;
        claim('count', fold.includes(title), `${directory}: no "${title}"`);
      }
    }
    const newest = await newestHere(repo, directory);
    const stays = newest === 0 ? '' : `; here \`v${newest}\` stays`;
    const upstream = await lockedAt(repo, directory, sides);
    const wanted = isThere ? `${upstream}here ${stepOf(newest, newest + 1)}` : `removed${stays}`;
    claim('revision', revisions.replace(/ \(\S+\)$/, '') === wanted, `${row}: ${wanted}`);
  }
}

/** Packages that get a revision although no resource changes: neither for the cluster nor for tools. */
function ofStray(
  comment: string,
  { before, after }: { readonly before: Resources; readonly after: Resources },
  claim: Claim,
): void {
  for (const [line, path = ''] of comment.matchAll(/^- \*\*No resource of `([^`]+)` changes\*\*.*$/gm)) {
    const [was, now] = [before, after].map((side) =>
      JSON.stringify([...side].filter(([, { file }]) => file.startsWith(`${path}/`))),
    );
    claim('no resource', was === now, line);
  }
}

/** Number of the newest revision of a package; 0 without one. */
async function newestHere(repo: StageRepository, directory: string): Promise<number> {
  const numbers = [...(await repo.tags()).keys()]
    .filter((tag) => tag.startsWith(`${directory}/v`))
    .map((tag) => Number(tag.slice(directory.length + 2)));
  return Math.max(0, ...numbers);
}

function stepOf(from: number, to: number): string {
  return from === 0 ? `\`v${to}\`` : `\`v${from}\` → \`v${to}\``;
}

/** `upstream v1 → v2, ` as the locks on both sides have it; '' without an upstream. */
async function lockedAt(
  repo: StageRepository,
  directory: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<string> {
  const at = async (commit: string): Promise<string | undefined> =>
    /\n {4}ref: "?web\/(v\d+)"?\n/.exec(
      ((await repo.read(`${directory}/Kptfile`, commit)) ?? '').split('upstreamLock:')[1] ?? '',
    )?.[1];
  const [from, to] = [await at(base), await at(head)];
  if (to === undefined) return '';
  return `upstream ${from === undefined || from === to ? '' : `\`${from}\` → `}\`${to}\`, `;
}

function ofHeadline(comment: string, checks: Checks, claim: Claim): void {
  const headline = /^### (.*)$/m.exec(comment)?.[1] ?? '';
  const isGreen = checks.get('portico')?.conclusion === 'success';
  claim('headline', !headline.includes('all checks pass') || isGreen, headline);
  const isApproved = checks.get('portico/approval')?.conclusion === 'success';
  if (headline.includes('needs approval')) claim('headline', !isApproved, headline);
}

/** A table of conflicts leaves the namespace out. */
function isCalled(key: string, kind: string, name: string): boolean {
  const [its, called = ''] = key.split(' ');
  return its === kind && (called === name || called.endsWith(`/${name}`));
}

/** Open conflicts: how many, and that the branch has the side that is named. */
function ofConflicts(
  { body, comment, checks, after }: { body: string; comment: string; checks: Checks; after: Resources },
  claim: Claim,
): void {
  const header = '| file | field | before | upstream | local | taken |';
  const text = [body, comment].find((one) => one.includes(header)) ?? '';
  const rows = [
    ...text.matchAll(/^\| \d+ \| `([^`]+)` \| `(\S+?)\/(\S+) (\S+)` \| (.+) \| (.+) \| (.+) \| (\w+) \|$/gm),
  ];
  const title = checks.get('portico/conflicts')?.output.title ?? '';
  const isOpen = checks.get('portico/conflicts')?.conclusion === 'action_required';
  // A base that moved under the proposal comes first in that check.
  const isBehind = title.startsWith('The base branch changed');
  if (!isBehind) claim('conflicts', isOpen === rows.length > 0, `${rows.length} rows beside "${title}"`);
  const counted = Number(/^\*\*(\d+) conflicts? ?[(:]?/m.exec(body)?.[1] ?? 0);
  if (text === body && text !== '')
    claim('conflicts', counted === rows.length, `${counted} of ${rows.length}`);
  claim('conflicts', !/conflicts? (?:is|are) settled\.\*\*/.test(body) || !isOpen, title);
  for (const [row, file = '', kind = '', name = '', path = '', , upstream = '', local = '', taken] of rows) {
    const said = (taken === 'upstream' ? upstream : local).replaceAll('`', '');
    const held = [...after].filter(([key]) => isCalled(key, kind, name) && key.endsWith(file));
    claim(
      'taken',
      held.some(([, one]) => isSaid(at(one.value, path), said)),
      row,
    );
  }
}

/** `Local changes`, in the body of an update. */
async function ofLocalChanges(
  { body, after, upstream }: { body: string; after: Resources; upstream: StageRepository | undefined },
  claim: Claim,
): Promise<void> {
  const [, place] = /\*\*Local changes(?: in `([^`]+)`)?:\*\* none/.exec(body) ?? [];
  const [, none] = /\*\*Local changes[^\n]*none; the package equals upstream `([^`]+)`/.exec(body) ?? [];
  if (none !== undefined && upstream !== undefined) {
    const there = await resourcesAt(upstream, `refs/tags/web/${none}`);
    const wanted = JSON.stringify([...there.values()].map(({ value }) => value['data']));
    const held = [...after.values()].filter(
      ({ file }) => place === undefined || file.startsWith(`${place}/`),
    );
    claim(
      'local changes',
      JSON.stringify(held.map(({ value }) => value['data'])) === wanted,
      `none, ${none}`,
    );
  }
  const lines = body.matchAll(/^- `(\S+) (\S+)`: `([^`:]+): ([^`]+)` \(upstream: `([^`]+)`\)$/gm);
  for (const [line, kind = '', name = '', path = '', said = ''] of lines) {
    const held = [...after].filter(([key]) => isCalled(key, kind, name));
    claim(
      'local changes',
      held.some(([, one]) => isSaid(at(one.value, path), said)),
      line,
    );
  }
}

/** The opening and the title of an update, and what it becomes after the merge: of the locks and tags. */
async function ofRevisions(
  repo: StageRepository,
  { body, title }: { readonly body: string; readonly title: string },
  sides: { readonly base: string; readonly head: string },
  claim: Claim,
): Promise<void> {
  const [, after = ''] = /^After the merge, (.*)\.$/m.exec(body) ?? [];
  const each = [...after.matchAll(/`([^`]+)`: (?:upstream )?`([^`]+)`, here ([^;]*)/g)];
  for (const [said, directory = '', from = '', here = ''] of each) {
    const newest = await newestHere(repo, directory);
    const locked = await lockedAt(repo, directory, sides);
    claim('revision', here === stepOf(newest, newest + 1), `${said}, newest ${newest}`);
    // The upstream of charts is no package.
    if (locked === '') continue;
    claim('revision', locked.endsWith(`\`${from}\`, `), `${said}: ${locked}`);
    const [, named] = /to upstream (v\d+)/.exec(title) ?? [];
    claim('revision', named === undefined || named === from, `${title}: ${locked}`);
    const opening = `\`${directory}\`: ${locked.slice(0, -2)}`;
    const isOpened = body.includes(opening) || body.includes(`| ${locked.slice(0, -2)} |`);
    claim('revision', isOpened, `no ${opening}`);
  }
}

interface Channel {
  readonly name: string;
  readonly members?: readonly (string | { readonly revision: string; readonly withdrawn?: object })[];
}

/** The table of channels: the newest member of `stable` that is not withdrawn. */
async function ofChannels(
  repo: StageRepository,
  comment: string,
  { base, head }: { readonly base: string; readonly head: string },
  claim: Claim,
): Promise<void> {
  const offers = async (commit: string): Promise<string> => {
    const text = (await repo.read('.github/portico/channels/web.yaml', commit)) ?? '';
    const { channels: all = [] } = (parse(text) ?? {}) as { channels?: readonly Channel[] };
    const members = all.find(({ name }) => name === 'stable')?.members ?? [];
    const offered = members.flatMap((one) => {
      const { revision, withdrawn } = typeof one === 'string' ? { revision: one, withdrawn: undefined } : one;
      return withdrawn === undefined ? [Number(revision.slice(1))] : [];
    });
    return offered.length === 0 ? 'nothing' : `v${Math.max(...offered)}`;
  };
  const [row, said] = /^\| `web` \| `stable` \| ([^|]+) \| [^|]+ \|$/m.exec(comment) ?? [];
  if (row === undefined) return;
  const [from, to] = [await offers(base), await offers(head)];
  claim('channel', said === (from === to ? `the head stays ${to}` : `${from} → ${to}`), row);
}

/** After the merge: the difference that was reviewed can be reached, and the tags are there. */
async function ofMerged(repo: StageRepository, comment: string, claim: Claim): Promise<void> {
  const tags = await repo.tags();
  for (const [row, path = '', revision = '', rest = ''] of comment.matchAll(
    /^\| `([^`]+)` \| \[`(v\d+)`\]\([^)]+\) \| (.*) \|$/gm,
  )) {
    claim('published', tags.has(`${path}/${revision}`), row);
    const [, from, to] = /\/compare\/(\S+)\.\.\.(\S+)\)/.exec(rest) ?? [];
    const isFirst = revision === 'v1';
    claim('published', isFirst ? rest === 'first revision' : tags.has(from!) && tags.has(to!), row);
  }
}
