import { PorticoError } from '../error.ts';
import type { Commit, Signature } from '../reconcile/git-port.ts';
import type { Tag } from './mirror-types.ts';

/** Reads the text of a commit object; throws GIT_CORRUPT where it is none. */
export function parseCommit(oid: string, bytes: Buffer): Commit {
  const { headers, message } = split(bytes);
  const one = (key: string): string => headers.find(([name]) => name === key)?.[1] ?? '';
  return {
    oid,
    tree: one('tree'),
    parents: headers.filter(([name]) => name === 'parent').map(([, value]) => value),
    author: parseSignature(one('author'), oid),
    committer: parseSignature(one('committer'), oid),
    message,
  };
}

/** Reads the text of a tag object. */
export function parseTag(oid: string, bytes: Buffer): Tag {
  const { headers, message } = split(bytes);
  const one = (key: string): string | undefined => headers.find(([name]) => name === key)?.[1];
  const tagger = one('tagger');
  return {
    oid,
    object: one('object') ?? '',
    name: one('tag') ?? '',
    tagger: tagger === undefined ? null : parseSignature(tagger, oid),
    message: message.replace(SIGNED, ''),
  };
}

/** A signature of a tag stands below its message (git-tag(1)). */
const SIGNED = /^-----BEGIN (?:SSH|PGP) SIGNATURE-----\n[^]*$/m;

/** A name or e-mail as a commit can hold it: no line breaks, no angle brackets, never empty. */
export function cleanIdentity(text: string): string {
  // oxlint-disable-next-line no-control-regex -- git drops control characters too
  const clean = text.replace(/[\u0000-\u001f\u007f<>]+/g, ' ').trim();
  return clean === '' ? 'unknown' : clean;
}

/** Git's own date format, in UTC: seconds and offset. */
export function rawDate(date: Date): string {
  return `${Math.floor(date.getTime() / 1_000)} +0000`;
}

function split(bytes: Buffer): { headers: [string, string][]; message: string } {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const headers: [string, string][] = [];
  for (const line of head.split('\n')) {
    const space = line.indexOf(' ');
    // A line that starts with a space goes on with the header before (signatures); nobody here needs those.
    if (space > 0) headers.push([line.slice(0, space), line.slice(space + 1)]);
  }
  return { headers, message: end < 0 ? '' : text.slice(end + 2) };
}

function parseSignature(text: string, oid: string): Signature {
  const match = /^(.*?) ?<([^>]*)> (-?\d+) ([+-])(\d\d)(\d\d)$/.exec(text);
  if (!match)
    throw new PorticoError('GIT_CORRUPT', `object ${oid} has no readable author line`, { blame: 'bug' });
  const [, name = '', email = '', seconds = '0', sign = '+', hours = '00', minutes = '00'] = match;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const moment = new Date((Number(seconds) + offset * 60) * 1_000);
  // Dates beyond what ECMAScript knows exist in hostile commits.
  const local = Number.isNaN(moment.getTime()) ? '1970-01-01T00:00:00' : moment.toISOString().slice(0, 19);
  return { name, email, date: `${local}${sign}${hours}:${minutes}` };
}
