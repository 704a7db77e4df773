/** Pieces that the schemas of several documents are made of. */
import { z } from 'zod';

import { parseAge } from './age.ts';

/** A string that `problem` has nothing to say about. */
export function text(
  problem: (value: string) => string | undefined,
  base: z.ZodString = z.string(),
): z.ZodString {
  return base.check((ctx) => {
    const message = problem(ctx.value);
    if (message !== undefined) ctx.issues.push(custom(ctx.value, message));
  });
}

/** Of so many characters at most. */
export const shortText = (longest: number): z.ZodString => z.string().min(1).max(longest);

/** `30m`, `12h`, `3d` or `2w`. */
export const ageText = (): z.ZodString =>
  text((value) => {
    const parsed = parseAge(value);
    return typeof parsed === 'string' ? parsed : undefined;
  });

/** What a check of a whole value says of a field in it. */
export function custom(input: unknown, message: string, path: (string | number)[] = []): z.core.$ZodRawIssue {
  return { code: 'custom', message, input, path };
}
