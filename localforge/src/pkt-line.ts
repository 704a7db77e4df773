/** git's pkt-line framing (gitprotocol-common), as far as a push needs it. */

interface PushCommand {
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface PushHead {
  readonly commands: readonly PushCommand[];
  readonly capabilities: readonly string[];
}

/**
 * Reads the commands at the start of a receive-pack request.
 * @returns undefined while more bytes are needed
 * @throws RangeError when it is not pkt-line
 */
export function readPushHead(bytes: Buffer): PushHead | undefined {
  const commands: PushCommand[] = [];
  let capabilities: string[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = lengthAt(bytes, at);
    if (length === 0) return { commands, capabilities };
    if (at + length > bytes.length) return undefined;
    const line = bytes.toString('utf8', at + 4, at + length).replace(/\n$/, '');
    at += length;
    const [command = '', offered] = line.split('\0');
    if (offered !== undefined) capabilities = offered.trim().split(' ');
    const match = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/.exec(command);
    if (match?.[3] !== undefined) {
      commands.push({ ref: match[3], before: idOf(match[1]), after: idOf(match[2]) });
    }
  }
  return undefined;
}

const idOf = (sha: string | undefined): string | null => (sha === undefined || /^0+$/.test(sha) ? null : sha);

function lengthAt(bytes: Buffer, at: number): number {
  const text = bytes.toString('latin1', at, at + 4);
  const length = Number.parseInt(text, 16);
  if (!/^[0-9a-f]{4}$/i.test(text) || (length > 0 && length < 4)) throw new RangeError('not a pkt-line');
  return length;
}

/** The lines of a whole request of protocol 2 up to its flush, without their ends; undefined where it is not one. */
export function readLines(bytes: Buffer): string[] | undefined {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16);
    if (length === 0) return lines;
    const isDelimiter = length === 1;
    if (!isDelimiter && !(length >= 4 && at + length <= bytes.length)) return undefined;
    if (!isDelimiter) lines.push(bytes.toString('utf8', at + 4, at + length).replace(/\n$/, ''));
    at += isDelimiter ? 4 : length;
  }
  return undefined;
}

/** One frame; text in UTF-8. */
export function pktLine(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** The payloads of complete frames; a flush is null. */
function frames(bytes: Buffer): (Buffer | null)[] {
  const found: (Buffer | null)[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = lengthAt(bytes, at);
    found.push(length === 0 ? null : bytes.subarray(at + 4, at + length));
    at += Math.max(4, length);
  }
  return found;
}

/**
 * Puts the forge's reasons into the report of a push, where git's hook can only say "hook declined".
 * `reasons`: ref → what to print in brackets. Works with and without side bands.
 */
export function withReasons(report: Buffer, reasons: ReadonlyMap<string, string>): Buffer {
  if (reasons.size === 0) return report;
  const outer = frames(report);
  const banded = outer.some((frame) => frame !== null && frame[0] === 1);
  if (!banded) return rewriteStatus(report, reasons);
  const status = Buffer.concat(
    outer.flatMap((frame) => (frame !== null && frame[0] === 1 ? [frame.subarray(1)] : [])),
  );
  const progress = outer.flatMap((frame) => (frame !== null && frame[0] !== 1 ? [pktLine(frame)] : []));
  const rewritten = pktLine(Buffer.concat([Buffer.from([1]), rewriteStatus(status, reasons)]));
  return Buffer.concat([...progress, rewritten, Buffer.from('0000')]);
}

function rewriteStatus(status: Buffer, reasons: ReadonlyMap<string, string>): Buffer {
  return Buffer.concat(
    frames(status).map((frame) => {
      if (frame === null) return Buffer.from('0000');
      const match = /^ng (\S+) hook declined\n?$/.exec(frame.toString());
      const reason = match?.[1] === undefined ? undefined : reasons.get(match[1]);
      return pktLine(reason === undefined ? frame : `ng ${match?.[1] ?? ''} ${reason}\n`);
    }),
  );
}
