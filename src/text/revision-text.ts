/**
 * Pure: the one form in which texts show revisions. A package that is made from another has revisions of its own beside
 * those of its upstream, and both are called v1, v2, v3: each number therefore says whose it is.
 */

/** Revisions before and after; `from` is absent where there was none. */
export interface RevisionStep {
  readonly from?: string | undefined;
  readonly to: string;
  /** Version of the chart or operator in `to`, such as `13.0.1`. */
  readonly version?: string | undefined;
}

/** Writes one number of a text, such as `code` in Markdown. */
type Write = (text: string) => string;

const PLAIN: Write = (text) => text;

/** `v3 → v4`; a revision that stays, or that has none before it, is alone. */
function stepText({ from, to, version }: RevisionStep, write: Write): string {
  const now = version === undefined ? write(to) : `${write(to)} (${version})`;
  return from === undefined || from === to ? now : `${write(from)} → ${now}`;
}

/** True for the name of what sources lead to, such as `chart@7.3.0`: it is no revision of an upstream. */
export function isSourceState(name: string): boolean {
  return name.includes('@');
}

/** `upstream v3 → v4`, or of a package that is made from a chart `chart@1.0.0 → chart@1.1.0`. */
export function upstreamText(step: RevisionStep | string, write: Write = PLAIN): string {
  const whole = typeof step === 'string' ? { to: step } : step;
  if (!isSourceState(whole.to)) return `upstream ${stepText(whole, write)}`;
  const { from, ...alone } = whole;
  return stepText(from !== undefined && isSourceState(from) ? whole : alone, write);
}

/** `here v7 → v8` */
export function hereText(step: RevisionStep | string, write: Write = PLAIN): string {
  return `here ${stepText(typeof step === 'string' ? { to: step } : step, write)}`;
}

/** `web-app: upstream v3 → v4, here v7 → v8`; a side that is absent is left out. */
export function revisionsText(
  {
    path,
    upstream,
    here,
  }: {
    readonly path?: string;
    readonly upstream?: RevisionStep | undefined;
    readonly here?: RevisionStep | undefined;
  },
  write: Write = PLAIN,
): string {
  const sides = [
    ...(upstream === undefined ? [] : [upstreamText(upstream, write)]),
    ...(here === undefined ? [] : [hereText(here, write)]),
  ].join(', ');
  return path === undefined ? sides : `${write(path)}: ${sides}`;
}
