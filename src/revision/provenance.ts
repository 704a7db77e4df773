/**
 * The message of a revision's tag: a sentence for people, then git trailers (see git-interpret-trailers) that say
 * where the revision comes from. It is the record that stays when every comment is gone.
 */

/** A Kptfile's `upstream`, as far as a tag tells it. */
interface UpstreamPlace {
  readonly repo: string;
  readonly directory: string;
  readonly ref: string;
}

export interface Provenance {
  readonly package: string;
  readonly revision: string;
  /** The content digest, see `contentDigest`. */
  readonly digest: string;
  /** Git's id of the package's tree, as it was published. */
  readonly tree?: string;
  readonly upstream?: UpstreamPlace;
  readonly upstreamLock?: UpstreamPlace & { readonly commit: string };
  /** `function` is the image with its version. */
  readonly guardrails: readonly { readonly name: string; readonly function: string }[];
  readonly approvedBy: readonly string[];
  /** Approvals of the same change elsewhere that counted: who, and where. */
  readonly approvedElsewhere?: readonly string[];
  /** Approvals were asked for and it was published without them: written as `Approved-by: none`, whoever had approved. */
  readonly unapproved?: boolean;
  /** What it is in registries: `HOST/REPOSITORY@DIGEST`. */
  readonly artifacts?: readonly string[];
  /** Number of the pull request. */
  readonly proposal?: number;
  /** An update that `updates.pullRequest: false` let come without one. */
  readonly direct?: boolean;
  readonly requestedBy?: string;
  /** The revision whose content this one brings back. */
  readonly restoredFrom?: string;
  /** Guardrails that failed and were waived, each with who waived it. */
  readonly waived?: readonly { readonly guardrail: string; readonly by: string }[];
  /** Exemptions from guardrails that were in force for the package, with the last day of each and who answers for it. */
  readonly exemptions?: readonly ProvenExemption[];
}

export interface ProvenExemption {
  readonly guardrail: string;
  readonly name: string;
  readonly until: string;
  readonly owner: string;
}

/** Stands for nobody; of an account with this name it would say the lesser thing. */
const NOBODY = 'none';

/** By whose word a revision came without a pull request. */
const WITHOUT_PROPOSAL = 'updates.pullRequest';

/** The whole message, ending in a newline. Values lose line breaks and control characters, see `oneLine`. */
export function formatProvenance(provenance: Provenance): string {
  const { upstream, upstreamLock: lock, proposal, requestedBy, restoredFrom } = provenance;
  const trailers: (readonly [string, string])[] = [
    ['Package', provenance.package],
    ['Revision', provenance.revision],
    ['Digest', provenance.digest],
    ...(provenance.tree === undefined ? [] : [['Tree', provenance.tree] as const]),
    ...(provenance.artifacts ?? []).map((name) => ['Artifact', name] as const),
    ...(upstream ? [['Upstream', fields(upstream.repo, upstream.directory, upstream.ref)] as const] : []),
    ...(lock ? [['Upstream-Lock', fields(lock.repo, lock.directory, lock.ref, lock.commit)] as const] : []),
    ...provenance.guardrails.map((run) => ['Guardrail', fields(run.name, run.function)] as const),
    ...(provenance.unapproved === true ? [NOBODY] : provenance.approvedBy).map(
      (login) => ['Approved-by', login] as const,
    ),
    ...(provenance.approvedElsewhere ?? []).map((given) => ['Approved-Elsewhere', given] as const),
    ...(proposal === undefined ? [] : [['Proposal', `#${proposal}`] as const]),
    ...(provenance.direct === true ? [['Without-Proposal', WITHOUT_PROPOSAL] as const] : []),
    ...(requestedBy === undefined ? [] : [['Requested-by', requestedBy] as const]),
    ...(restoredFrom === undefined ? [] : [['Restored-From', restoredFrom] as const]),
    ...(provenance.waived ?? []).map(({ guardrail, by }) => ['Waived', fields(guardrail, by)] as const),
    ...(provenance.exemptions ?? []).map(
      ({ guardrail, name, until, owner }) => ['Exemption', fields(guardrail, name, until, owner)] as const,
    ),
  ];
  const subject = oneLine(`${provenance.package} ${provenance.revision}`);
  const lines = trailers.map(([key, value]) => `${key}: ${oneLine(value)}`.trimEnd());
  return `${subject}\n\nPublished by Portico.\n\n${lines.join('\n')}\n`;
}

/** What `formatProvenance` wrote, or undefined for a tag message that is not one of ours. Never throws. */
export function parseProvenance(message: string): Provenance | undefined {
  const trailers = readTrailers(message);
  const one = (key: string): string | undefined => trailers.get(key)?.[0];
  const [path, revision, digest] = [one('Package'), one('Revision'), one('Digest')];
  if (path === undefined || revision === undefined || digest === undefined) return undefined;
  const upstream = place(one('Upstream'));
  const lock = place(one('Upstream-Lock'));
  const tree = one('Tree');
  const artifacts = trailers.get('Artifact');
  const proposal = /^#([1-9][0-9]{0,14})$/.exec(one('Proposal') ?? '')?.[1];
  const requestedBy = one('Requested-by');
  const restoredFrom = one('Restored-From');
  const approvedBy = trailers.get('Approved-by') ?? [];
  const approvedElsewhere = trailers.get('Approved-Elsewhere');
  const waived = (trailers.get('Waived') ?? []).map((text) => {
    const [guardrail = '', by = ''] = text.split(' ').map(decode);
    return { guardrail, by };
  });
  const exemptions = (trailers.get('Exemption') ?? []).map((text) => {
    const [guardrail = '', name = '', until = '', owner = ''] = text.split(' ').map(decode);
    return { guardrail, name, until, owner };
  });
  return {
    package: path,
    revision,
    digest,
    ...(tree !== undefined && { tree }),
    ...(artifacts !== undefined && { artifacts }),
    ...(upstream && { upstream: { repo: upstream.repo, directory: upstream.directory, ref: upstream.ref } }),
    ...(lock && { upstreamLock: lock }),
    guardrails: (trailers.get('Guardrail') ?? []).map((text) => {
      const [name = '', run = ''] = text.split(' ').map(decode);
      return { name, function: run };
    }),
    approvedBy: approvedBy.filter((login) => login !== NOBODY),
    ...(approvedElsewhere !== undefined && { approvedElsewhere }),
    ...(approvedBy.includes(NOBODY) && { unapproved: true }),
    ...(proposal !== undefined && { proposal: Number(proposal) }),
    ...(one('Without-Proposal') === WITHOUT_PROPOSAL && { direct: true }),
    ...(requestedBy !== undefined && { requestedBy }),
    ...(restoredFrom !== undefined && { restoredFrom }),
    ...(waived.length > 0 && { waived }),
    ...(exemptions.length > 0 && { exemptions }),
  };
}

/** A value as a trailer can hold it: everything that breaks a line or cannot be seen becomes one space. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** A tag of ours says far less; what is longer is somebody's book, and is not read to its end. */
const MAX_MESSAGE_LENGTH = 256 * 1024;

/** The last paragraph of a message, without a signature below it. */
export function trailersOf(message: string): string {
  const [unsigned = ''] = message.replaceAll('\r\n', '\n').split(/^-----BEGIN [A-Z ]+-----$/m, 1);
  return unsigned.trimEnd().split('\n\n').at(-1) ?? '';
}

/** The last paragraph, where every line is `Key: value`; a signature below it is passed over. */
function readTrailers(message: string): Map<string, string[]> {
  const trailers = new Map<string, string[]>();
  if (message.length > MAX_MESSAGE_LENGTH) return trailers;
  for (const line of trailersOf(message).split('\n')) {
    const [, key, value = ''] = /^([A-Za-z][A-Za-z-]{0,40}):(?: (.*))?$/.exec(line) ?? [];
    if (key === undefined) return new Map();
    const known = trailers.get(key);
    if (known === undefined) trailers.set(key, [value]);
    else known.push(value);
  }
  return trailers;
}

/** Several values in one trailer, apart by spaces; a space within one is written %20, an empty one as `-`. */
function fields(...values: readonly string[]): string {
  return values.map((value) => encode(oneLine(value))).join(' ');
}

function encode(value: string): string {
  if (value === '') return '-';
  const encoded = value.replaceAll('%', '%25').replaceAll(' ', '%20');
  return value === '-' ? '%2D' : encoded;
}

function decode(value: string): string {
  if (value === '-') return '';
  return value.replaceAll(/%(20|25|2D)/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function place(text: string | undefined): (UpstreamPlace & { readonly commit: string }) | undefined {
  if (text === undefined) return undefined;
  const [repo = '', directory = '', ref = '', commit = ''] = text.split(' ').map(decode);
  return { repo, directory, ref, commit };
}
