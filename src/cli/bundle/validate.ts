import type { Problem } from '../../bundle/manifest.ts';
import { judgeBundle } from '../../bundle/validate-bundle.ts';
import { EXIT } from '../exit-code.ts';
import { placeIn, type Call } from '../verb.ts';
import { knownApis, readBundle } from './read-bundle.ts';

/** `portico bundle validate DIR`: says whether a bundle is in order. */
export function validate(call: Call): Promise<number> {
  const { terminal } = call;
  const { files, format } = readBundle(call);
  const { errors, warnings } = judgeBundle(files, { format, knownApis: knownApis(call) });
  const place = placeIn(call, call.path(call.positionals[0] ?? '.'));
  for (const [problems, severity, colour] of [
    [errors, 'error', 'red'],
    [warnings, 'warning', 'yellow'],
  ] as const) {
    for (const { message, file } of problems) {
      const where = file === undefined ? '' : `${place(file)}: `;
      terminal.say(`${where}${terminal.style(colour, `${severity}:`, 'stderr')} ${message}`);
    }
  }
  const passed = errors.length === 0;
  if (terminal.json) {
    terminal.document({ passed, format, errors: errors.map(shown), warnings: warnings.map(shown) });
  } else if (passed) terminal.print(`The ${format} bundle is valid.`);
  return Promise.resolve(passed ? EXIT.ok : EXIT.failed);
}

function shown({ message, file }: Problem): object {
  return { message, at: [], ...(file !== undefined && { file }) };
}
