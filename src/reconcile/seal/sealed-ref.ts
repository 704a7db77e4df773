/**
 * Records that Portico keeps in refs of its own, below `refs/portico/`: annotated tags whose message ends in a keyed
 * digest over what it says, the repository and the ref. Whoever may push can make such a ref; without the seal it
 * decides nothing.
 */
import type { Keyring } from '../../revision/keyring.ts';
import { isSealOf, sealOf } from '../../revision/sealed-record.ts';
import type { Git, TagInfo } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { botPerson } from './bot-commit.ts';

const TRAILER = 'Portico-Seal: ';

/** Where a record stands: one that was copied to another ref or repository is none. */
export interface RecordPlace {
  readonly repository: number;
  /** In full, such as `refs/portico/rollout/web`. */
  readonly ref: string;
}

/** Writes the tag of a record, not yet the ref; answers its id. */
export async function writeSealedTag(
  ports: Pick<Ports, 'app' | 'seals'>,
  { git, ref: { id } }: Pick<RepositoryAccess, 'git' | 'ref'>,
  record: { readonly ref: string; readonly text: string; readonly object: string; readonly date: Date },
  signal?: AbortSignal,
): Promise<string> {
  const { ref, object, date } = record;
  const text = record.text.trimEnd();
  const message = `${text}\n${TRAILER}${sealOf({ of: 'ref', repository: id, ref }, text, ports.seals)}\n`;
  const name = ref.slice('refs/'.length);
  return git.writeTag({ name, object, message, tagger: botPerson(ports.app), date }, signal);
}

/** What a record says; null for what Portico has not written there. */
export function readSealedTag(tag: TagInfo | null, place: RecordPlace, seals: Keyring): string | null {
  const message = tag?.message.trimEnd() ?? '';
  const at = message.lastIndexOf(`\n${TRAILER}`);
  if (at < 0) return null;
  const text = message.slice(0, at);
  const mac = message.slice(at + 1 + TRAILER.length);
  return isSealOf({ of: 'ref', ...place }, text, mac, seals) ? text : null;
}

/** Refs that decide something where they are sealed. */
const RECORDS: readonly string[] = ['refs/portico/paused/', 'refs/portico/rollout/'];
/** Refs below `refs/portico/` that one search reads; anyone who can push can make more. */
const MAX_LOOKED_AT = 1_000;

/** Refs of records that Portico has not written: they are not obeyed, and the dashboard says so. */
export async function unsealedRefs(
  { seals }: Pick<Ports, 'seals'>,
  { git, ref: { id } }: { readonly git: Pick<Git, 'refs' | 'tag'>; readonly ref: RepositoryAccess['ref'] },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const prefix of RECORDS) {
    const refs = [...(await git.refs(prefix, signal))].slice(0, MAX_LOOKED_AT);
    for (const [ref, { oid }] of refs) {
      const place = { repository: id, ref };
      if (readSealedTag(await git.tag(oid, signal), place, seals) === null) found.push(ref);
    }
  }
  return found;
}
