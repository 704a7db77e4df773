/** Pure: what `portico run --json` came to, as a summary. */

import { z } from 'zod';

import { counted } from '../text/counted.ts';
import { codeSpan, inert, table } from '../text/markdown.ts';

const report = z.object({
  rounds: z.number(),
  changed: z.array(z.string()),
  waiting: z.number(),
  failed: z.array(z.object({ job: z.string(), code: z.string(), message: z.string() })),
  complete: z.boolean(),
});
const failure = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

export type RunReport = z.output<typeof report>;
export type Failure = z.output<typeof failure>['error'];

/** @throws an error of zod for a document that `portico run` does not write */
export function readRunReport(text: string): RunReport | Failure {
  const read = z.union([failure, report]).parse(JSON.parse(text));
  return 'error' in read ? read.error : read;
}

/** In Markdown in which nothing foreign is live. */
export function runSummary(read: RunReport | Failure): string {
  if ('code' in read)
    return `### Portico could not run\n\n${inert(read.message)}\n\n${inert(read.hint ?? '')}\n`;
  const { changed, failed, waiting, complete } = read;
  const what =
    changed.length === 0
      ? 'nothing to do'
      : `changed ${counted(changed.length, 'repository', 'repositories')}`;
  return [
    `### Portico: ${failed.length > 0 ? `${counted(failed.length, 'job')} failed` : what}`,
    '',
    ...changed.map((name) => `- ${codeSpan(name)}`),
    ...(waiting > 0
      ? ['', `${counted(waiting, 'job')} for a later time; the next run finds what they are about.`]
      : []),
    ...(complete ? [] : ['', 'The run ended before all was done; the next one goes on.']),
    ...(failed.length === 0
      ? []
      : [
          '',
          table(
            ['job', 'why'],
            failed.map(({ job, code, message }) => [codeSpan(job), `${inert(message)} (${code})`]),
          ),
        ]),
    '',
  ].join('\n');
}
