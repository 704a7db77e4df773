import { parseRange } from '../../fbc/range.ts';
import { parseVersion } from '../../fbc/version.ts';
import { EXIT } from '../exit-code.ts';
import type { Call } from '../verb.ts';

/** `portico catalog range RANGE VERSION…`: which versions lie in a `skipRange`. */
export async function range(call: Call): Promise<number> {
  const { terminal } = call;
  const [text = '', ...versions] = call.positionals;
  const { value, problem } = parseRange(text);
  const read = versions.map((version) => ({ version, ...parseVersion(version) }));
  const invalid = read.flatMap(({ version, problem: why }) =>
    why === undefined ? [] : [{ version, problem: why }],
  );
  const matches = read
    .filter((one) => value !== undefined && one.value !== undefined && value.matches(one.value))
    .map(({ version }) => version);
  for (const { version, problem: why } of invalid) terminal.warn(`${version} is not a version: ${why}`);
  if (problem !== undefined) terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${problem}`);
  if (terminal.json) {
    terminal.document({
      valid: problem === undefined,
      matches,
      ...(problem !== undefined && { problem }),
      ...(invalid.length > 0 && { invalid }),
    });
  } else for (const version of matches) terminal.print(version);
  return problem === undefined ? EXIT.ok : EXIT.failed;
}
