import { z } from 'zod';

import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

const release = z.object({ tag_name: z.string() });

/** Makes a release that is the latest, and one after it that is not to be. */
export const latestRelease: Row = {
  number: 22,
  belief: 'A release made with make_latest: false does not become the latest one',
  async play({ blueprints, rest, name }) {
    const main = await blueprints.main();
    const [kept, later] = [name('latest'), name('not-latest')];
    await blueprints.move({ [`refs/tags/${kept}`]: main, [`refs/tags/${later}`]: main });
    const path = `${blueprints.path}/releases`;
    await rest.read(release, 'POST', path, { tag_name: kept, make_latest: 'true' });
    await rest.read(release, 'POST', path, { tag_name: later, make_latest: 'false' });
    const { tag_name: latest } = await rest.read(release, 'GET', `${path}/latest`);
    return latest === kept
      ? asBelieved('the earlier release stayed the latest')
      : otherwise('the later release took its place');
  },
};
