/** What the demo invites to once the story is told. A test does all of it, reading it as a person would. */
import { DOWNSTREAMS, ORGANISATION, PEOPLE, UPSTREAM } from './cast.ts';
import type { StoryPages } from './story.ts';

export interface InvitationTo {
  /** Address of the forge. */
  readonly web: string;
  /** The package of the story, at v2 by now. */
  readonly hero: string;
  /** True where the hero is the package that comes with Portico. */
  readonly own: boolean;
  readonly pages: StoryPages;
}

/** The people with their tokens, a clone line, and three things to try. */
export function invitation({ web, hero, own, pages }: InvitationTo): string {
  const upstream = `${web}/${ORGANISATION}/${UPSTREAM}`;
  const [first, second] = DOWNSTREAMS;
  const dashboard = (name: string): string => pages.dashboards.get(name) ?? '';
  const { edit, terminal } = own ? ownChanges(hero) : anyChanges(hero);
  const [byHand, byPush] = [`drafts/${hero}/by-hand`, `drafts/${hero}/by-push`];
  return [
    `Now you try: ${web}`,
    'There is no password: click a name at the top of any page to act as that person.',
    '',
    ...people(),
    '',
    `1. Find the update of ${second} on its dashboard, and see what a reader cannot do`,
    `   - As carol_acme, open ${dashboard(second)}`,
    `   - Wait until the page says "v1 → v2 #${pages.openUpdate}", within half a minute.`,
    `   - Press "#${pages.openUpdate}".`,
    '   - Comment `/portico publish`',
    '   - Wait until the page says "your role is read".',
    '   - As bob, comment `/portico approve`',
    '   - Wait until the page says "Approved for this content by bob".',
    '   - As alice, comment `/portico publish`',
    '   - Wait until the page says "merged this as".',
    '',
    `2. Change ${hero} in the browser, and publish it`,
    `   - As alice, open ${upstream}/blob/main/${encodePath(edit.path)}`,
    '   - Press "Edit".',
    `   - ${edit.sentence}`,
    `   - Write \`${byHand}\` into "Branch".`,
    '   - Press "Commit changes".',
    '   - Tick "As a draft".',
    '   - Press "Open pull request".',
    '   - Wait until the page says "Needs 1 approval".',
    '   - Comment `/portico propose`',
    '   - As bob, choose "Approve".',
    '   - Press "Submit review".',
    '   - Wait until the page says "Approved for this content by bob".',
    '   - As alice, comment `/portico publish`',
    '   - Wait until the page says "merged this as".',
    `   - Open ${dashboard(first)}`,
    `   - Wait until the page says "v2 → v3", within half a minute.`,
    '',
    '3. Change it in a clone, and see that main rejects a direct push',
    `     git clone -c user.name=Alice -c user.email=alice@example.com ${withToken(upstream)}.git`,
    `     cd ${UPSTREAM}`,
    `     git switch -c ${quoted(byPush)}`,
    `     ${terminal}`,
    `     git commit -m ${quoted(`Change ${hero} in a clone`)}`,
    '     git push origin HEAD',
    '     git push origin HEAD:main    # refused: Required status check "portico" is expected.',
    `   - As alice, open ${upstream}/compare/main...${encodePath(byPush)}`,
    '   - Press "Open pull request".',
    '   - Wait until the page says "Needs 1 approval".',
  ].join('\n');
}

function people(): string[] {
  const rights = {
    admin: 'administers the repositories',
    maintain: 'maintains the repositories',
    read: 'may only read',
  };
  return Object.entries(PEOPLE).map(
    ([login, { role, token }]) => `  ${login.padEnd(10)} ${rights[role].padEnd(29)} token ${token}`,
  );
}

/** What to change, in the browser and in a clone; the two do not meet. */
interface Changes {
  readonly edit: { readonly path: string; readonly sentence: string };
  /** A command that changes and stages something in a clone. */
  readonly terminal: string;
}

/** The story left three replicas and the tag 1.5.0. */
function ownChanges(hero: string): Changes {
  const path = `${hero}/setters.yaml`;
  return {
    edit: { path, sentence: 'Change `replicas: "3"` to `replicas: "4"`.' },
    terminal: `sed -i.bak 's/tag: 1.5.0/tag: 1.6.0/' ${path} && rm ${path}.bak && git add ${path}`,
  };
}

/** Every package has a Kptfile. */
function anyChanges(hero: string): Changes {
  const note = `${hero}/by-push.md`;
  return {
    edit: { path: `${hero}/Kptfile`, sentence: 'Add `# Changed by hand.` at the end.' },
    terminal: `echo 'Changed in a clone.' > ${quoted(note)} && git add ${quoted(note)}`,
  };
}

function withToken(address: string): string {
  const url = new URL(address);
  url.username = 'alice';
  url.password = PEOPLE.alice.token;
  return url.href;
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** For a shell. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
