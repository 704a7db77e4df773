import { certificateHint, MACHINE_HINT, PorticoError, troubleIn } from '../error.ts';

export interface GitFailure {
  /** The subcommand, for the message. */
  readonly command: string;
  readonly exitCode: number | null;
  /** Already without secrets. */
  readonly stderr: string;
}

const AUTH =
  /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|returned error: 40[13]/i;
const NOT_FOUND =
  /repository '[^']*' not found|Repository not found|returned error: (?:404|30\d)|redirect|does not appear to be a git repository/i;
const NETWORK =
  /unable to access|Could not resolve|Connection (?:refused|reset|timed out)|Failed to connect|early EOF|unexpected disconnect|RPC failed|hung up unexpectedly|returned error: 5\d\d|SSL|TLS|Operation too slow/i;
/** An answer that broke off, or was replaced on its way: pkt-line.c, connect.c, remote-curl.c, fetch-pack.c and send-pack.c of git. */
const BROKEN_OFF =
  /protocol error|expected (?:flush|response end packet|packfile to be sent)|unexpected (?:response end|flush) packet|bytes of body are still expected|invalid (?:server response|index-pack output|ls-refs response|packet)|unable to parse remote unpack status|premature end of pack file|remote end hung up|the remote end did not report|Could not read from remote repository/i;
/** A lock file counts too: only a git that was killed leaves one, for one process owns a mirror. */
const CORRUPT =
  /missing (?:blob|tree|commit|tag|object)|bad object|(?:loose )?object \S+ .*(?:corrupt|is empty)|object file \S+ is empty|packfile \S+ (?:cannot be accessed|does not match|claims)|bad (?:pack|index file)|index file \S+ is too small|not a git repository|bad tree object|invalid object|inflate: |unable to (?:read|parse) (?:tree|object|commit)|broken (?:ref|link)|wrong index|could not parse (?:HEAD|object)|is corrupt|unable to unpack|bad signature|too-short|Unable to create '[^']*\.lock'/i;

/** Tells what a failed git process means. Codes: GIT_AUTH, GIT_NOT_FOUND, GIT_NO_SUCH_REF, GIT_UNREACHABLE, GIT_CORRUPT, MACHINE_TROUBLE, GIT_FAILED. */
export function gitError(failure: GitFailure): PorticoError {
  const text = failure.stderr.trim();
  const message = `git ${failure.command} failed (${failure.exitCode ?? 'no exit code'}): ${lastLines(text)}`;
  if (troubleIn(text) !== undefined) {
    return new PorticoError('MACHINE_TROUBLE', message, { blame: 'forge', hint: MACHINE_HINT });
  }
  if (AUTH.test(text)) {
    return new PorticoError('GIT_AUTH', message, {
      blame: 'forge',
      hint: 'The forge refused the token: check that the App is installed on the repository with write access to contents.',
    });
  }
  if (NOT_FOUND.test(text)) {
    return new PorticoError('GIT_NOT_FOUND', message, {
      blame: 'forge',
      hint: 'The repository does not exist, was renamed, or the App may not see it.',
    });
  }
  if (/couldn't find remote ref|not our ref|unadvertised object/i.test(text)) {
    return new PorticoError('GIT_NO_SUCH_REF', message, {
      blame: 'forge',
      hint: 'The ref no longer exists; try again.',
    });
  }
  if (NETWORK.test(text) || BROKEN_OFF.test(text))
    return new PorticoError('GIT_UNREACHABLE', message, { blame: 'forge', ...certificateHint(text) });
  if (CORRUPT.test(text)) {
    // A full disk or an operator damages mirrors, and they are made again: as trouble of the machine, it is tried for long.
    return new PorticoError('GIT_CORRUPT', message, {
      blame: 'forge',
      hint: 'The local mirror is damaged; the next fetch clones it again.',
    });
  }
  return new PorticoError('GIT_FAILED', message, { blame: 'bug' });
}

/** The last lines of an output, short enough for an error. */
export function lastLines(text: string, lines = 5, characters = 1_000): string {
  const said = text.split('\n').map((line) => line.trim().replace(/[.;]$/, ''));
  return said
    .filter((line) => line !== '')
    .slice(-lines)
    .join('; ')
    .slice(-characters);
}
