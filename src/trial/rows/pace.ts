import { asBelieved, otherwise } from '../row.ts';
import type { Row } from '../row.ts';

/** Looks at every answer of the trial: the limit itself is not tried, as whoever meets it is kept waiting. */
export const pace: Row = {
  number: 16,
  belief: 'Answers tell what is left of the hourly limit; whoever writes once a second meets no other limit',
  play({ answers, limitsMet }) {
    const calls = answers.length;
    if (limitsMet() > 0) {
      return Promise.resolve(otherwise(`${limitsMet()} of ${calls} calls were refused by a limit`));
    }
    const silent = answers.filter(
      ({ status, headers }) => status < 500 && !headers.has('x-ratelimit-remaining'),
    );
    const summary = `${calls} calls, none refused by a limit`;
    return Promise.resolve(
      silent.length === calls
        ? otherwise(`${summary}; no answer told what is left`)
        : asBelieved(`${summary}; ${calls - silent.length} told what is left`),
    );
  },
};
