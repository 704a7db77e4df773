import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

/** Pushes a ref outside of branches and tags, looks at it, and deletes it. */
export const porticoRefs: Row = {
  number: 26,
  belief: 'Refs below refs/portico/ can be pushed, are shown to whoever fetches, and can be deleted',
  async play({ blueprints, name, signal }) {
    const main = await blueprints.main();
    const ref = `refs/portico/${name('ledger')}`;
    const refused = await blueprints.tryToMove({ [ref]: main });
    if (refused !== '') return otherwise(`refused: ${refused}`);
    const there = (await blueprints.mirror.remoteRefs([ref], signal)).get(ref)?.oid;
    if (there !== main) return otherwise('taken, and not shown');
    const kept = await blueprints.tryToMove({ [ref]: null });
    return kept === '' ? asBelieved('pushed, shown and deleted') : otherwise(`not deleted: ${kept}`);
  },
};
