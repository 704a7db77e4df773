/** Loaded into the bot before anything else (`--import`): its clock is wrong by `CLOCK_SKEW_MS`. */
const skew = Number(process.env['CLOCK_SKEW_MS'] ?? 0);
const Real = Date;

class SkewedDate extends Real {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [Real.now() + skew] : args) as [number]));
  }

  static override now(): number {
    return Real.now() + skew;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
