/** Refs read from the files of a repository (gitrepository-layout(5)), where starting git would take longer than the answer. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pktLine, readLines } from './pkt-line.ts';

/**
 * What `git upload-pack` answers to an `ls-refs` request of protocol 2 (gitprotocol-v2(5)) that asks for nothing but
 * prefixes; undefined for every other request, and where a ref is symbolic: that is git's to answer.
 */
export async function answerLsRefs(directory: string, request: Buffer): Promise<Buffer | undefined> {
  const lines = readLines(request);
  if (lines?.[0] !== 'command=ls-refs') return undefined;
  const prefixes = lines.slice(1).map((line) => /^ref-prefix (refs\/[^\s]*)$/.exec(line)?.[1]);
  if (prefixes.length === 0 || !prefixes.every((prefix) => prefix !== undefined)) return undefined;
  // First the loose ones: a ref that is packed meanwhile is in the file before it leaves the directory.
  const loose = await looseRefs(directory, 'refs');
  if (loose === undefined) return undefined;
  const refs = new Map([...(await packedRefs(directory)), ...loose]);
  const wanted = [...refs].filter(([ref]) => prefixes.some((prefix) => ref.startsWith(prefix)));
  const sorted = wanted.toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return Buffer.concat([...sorted.map(([ref, sha]) => pktLine(`${sha} ${ref}\n`)), Buffer.from('0000')]);
}

async function looseRefs(directory: string, below: string): Promise<[string, string][] | undefined> {
  const entries = await readdir(join(directory, below), { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry): Promise<[string, string][] | undefined> => {
      const ref = `${below}/${entry.name}`;
      if (entry.isDirectory()) return looseRefs(directory, ref);
      if (ref.endsWith('.lock')) return [];
      const text = await readFile(join(directory, ref), 'utf8').catch(() => '');
      // Removed since it was listed, or about to be written.
      if (text === '') return [];
      const sha = /^([0-9a-f]{40})\n$/.exec(text)?.[1];
      return sha === undefined ? undefined : [[ref, sha]];
    }),
  );
  return found.includes(undefined) ? undefined : found.flatMap((refs) => refs ?? []);
}

async function packedRefs(directory: string): Promise<[string, string][]> {
  const text = await readFile(join(directory, 'packed-refs'), 'utf8').catch(() => '');
  return [...text.matchAll(/^([0-9a-f]{40}) (refs\/.+)$/gm)].map(([, sha = '', ref = '']) => [ref, sha]);
}
