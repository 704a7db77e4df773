import { CatalogMistake } from '../../fbc/mistake.ts';
import type { Problem } from '../../fbc/model.ts';
import { packagesView } from '../../fbc/packages-view.ts';
import { validateCatalog, type Verdict } from '../../fbc/validate.ts';
import { counted } from '../../text/counted.ts';
import { EXIT } from '../exit-code.ts';
import { placeIn, type Call } from '../verb.ts';
import { readCatalogOf } from './read.ts';

/** `portico catalog validate DIR`: says whether a catalog is in order, and what its channels offer. */
export async function validate(call: Call): Promise<number> {
  const { terminal } = call;
  const { errors, warnings, packages } = verdictOn(call);
  const passed = errors.length === 0 && !(call.has('strict') && warnings.length > 0);
  const place = placeIn(call, call.path(call.positionals[0] ?? '.'));
  for (const [problems, severity, colour] of [
    [errors, 'error', 'red'],
    [warnings, 'warning', 'yellow'],
  ] as const) {
    for (const { message, at, place: where } of problems) {
      const file = where === undefined ? '' : `${place(where.file)}:${where.line}: `;
      const path = at
        .slice(1)
        .map((heading) => `${heading}: `)
        .join('');
      terminal.say(`${file}${terminal.style(colour, `${severity}:`, 'stderr')} ${path}${message}`);
    }
  }
  if (terminal.json) {
    terminal.document({
      passed,
      errors: errors.map(shown),
      warnings: warnings.map(shown),
      packages: packagesView(packages),
    });
  } else if (passed) terminal.print(`The catalog is valid: ${counted(packages.size, 'package')}.`);
  return passed ? EXIT.ok : EXIT.failed;
}

/** A catalog that cannot be read is one with a mistake. */
function verdictOn(call: Call): Verdict {
  try {
    return validateCatalog(readCatalogOf(call));
  } catch (error) {
    if (!(error instanceof CatalogMistake)) throw error;
    const { file, line = 1 } = error.place;
    const place = file === undefined ? {} : { place: { file, line } };
    return { errors: [{ message: error.sentence, at: [], ...place }], warnings: [], packages: new Map() };
  }
}

function shown({ message, at, place }: Problem): object {
  return { message, at, ...(place && { file: place.file, line: place.line }) };
}
