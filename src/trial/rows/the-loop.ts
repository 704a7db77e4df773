/** The life of a package, played by Portico itself; each row looks at one part of it. */
import { judged } from '../row.ts';
import type { Row } from '../row.ts';

/** Pushes a draft, opens a pull request, lets Portico look, and reads its checks. */
export const proposalChecked: Row = {
  number: 29,
  belief: 'A proposal gets its checks, and the check `portico` completes with success',
  async play(stage) {
    const { checks } = await stage.loop();
    const [, conclusion] = checks.find(([name]) => name === 'portico') ?? [];
    const seen = checks.map(([name, outcome]) => `${name} ${outcome ?? 'under way'}`).join(', ');
    return judged(conclusion === 'success', seen === '' ? 'no check' : seen);
  },
};

/** Merges it, lets Portico look, and reads tags and refs. */
export const revisionTagged: Row = {
  number: 30,
  belief: 'What was merged becomes a revision: an annotated tag, a ref of the ledger and a release',
  async play(stage) {
    const { revision } = await stage.loop();
    const seen = Object.entries(revision).map(([what, is]) => `${what}: ${is ? 'yes' : 'no'}`);
    return judged(Object.values(revision).every(Boolean), seen.join(', '));
  },
};

/** Publishes a second revision and looks for the pull request that brings it downstream. */
export const updateProposed: Row = {
  number: 31,
  belief:
    'A second revision is proposed, as a pull request, to the repository that holds a copy of the first',
  async play(stage) {
    const { update } = await stage.loop();
    return judged(update !== null, update ?? 'no pull request was opened downstream');
  },
};

/** Lets Portico look once more at what it has done. */
export const lookingWritesNothing: Row = {
  number: 32,
  belief: 'Looking again at what is as it should be writes nothing',
  async play(stage) {
    const { rewritten } = await stage.loop();
    return judged(rewritten.length === 0, rewritten.length === 0 ? 'nothing' : rewritten.join(', '));
  },
};
