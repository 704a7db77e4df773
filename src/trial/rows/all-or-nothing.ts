import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

/** Pushes two refs together, one of which is not where the push says. */
export const allOrNothing: Row = {
  number: 25,
  belief: 'A push of several refs with leases moves all of them or none',
  async play({ blueprints, name, signal }) {
    const main = await blueprints.main();
    const next = await blueprints.commit([main], { 'atomic.txt': 'x\n' });
    const [branch, tag] = [`refs/heads/${name('atomic')}`, `refs/tags/${name('atomic')}`];
    const refused = await blueprints.mirror.push(
      [
        { ref: tag, to: next, expect: null },
        { ref: branch, to: next, expect: main },
      ],
      signal,
    );
    if (refused.ok) return otherwise('a push with a lease that does not hold was taken');
    const there = await blueprints.mirror.remoteRefs([branch, tag], signal);
    if (there.size > 0) return otherwise(`${[...there.keys()].length} of two refs moved all the same`);
    const taken = await blueprints.mirror.push(
      [
        { ref: tag, to: next, expect: null },
        { ref: branch, to: next, expect: null },
      ],
      signal,
    );
    return taken.ok
      ? asBelieved(`none (${refused.rejected[0]?.reason ?? 'other'}), then both`)
      : otherwise('the push with leases that hold was refused');
  },
};
