import { answerText, wordsOf } from '../rest.ts';
import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

/** Greater than any number of a repository. */
const NOBODYS = 2_147_483_646;

/** Asks for a token for a repository that the installation does not have. */
export const tokenForAStranger: Row = {
  number: 18,
  belief:
    'A token for a repository that is not in the installation is refused by 422, in words that name the repository and not a wrong request',
  async play({ freshToken }) {
    const answer = await freshToken([NOBODYS]);
    const isSo = answer.status === 422 && /repository .*not (?:exist|accessible)/i.test(wordsOf(answer.body));
    return isSo ? asBelieved(answerText(answer)) : otherwise(answerText(answer));
  },
};
