import { PorticoError } from '../../error.ts';
import { listCatalog, type ListSubject } from '../../fbc/list-catalog.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { visible } from '../terminal.ts';
import { table } from '../text-table.ts';
import type { Call } from '../verb.ts';
import { packagesOf, readCatalogOf } from './read.ts';

const SUBJECTS: readonly ListSubject[] = ['packages', 'channels', 'bundles'];

/** `portico catalog list packages|channels|bundles DIR`. */
export async function list(call: Call): Promise<number> {
  const [typed = '', directory = '.'] = call.positionals;
  const subject = SUBJECTS.find((one) => one === typed);
  if (subject === undefined) {
    throw usageError(`portico catalog list cannot list ${typed}`, `It lists ${SUBJECTS.join(', ')}.`);
  }
  const all = packagesOf(readCatalogOf(call, directory));
  const wanted = call.text('package');
  const packages = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  if (wanted !== undefined && packages.length === 0) {
    throw new PorticoError('CATALOG_NO_PACKAGE', `package "${wanted}" not found`, {
      blame: 'user',
      hint: `The catalog has: ${all.map(({ name }) => name).join(', ')}`,
    });
  }
  const { columns, rows } = listCatalog(subject, packages);
  if (call.terminal.json) call.terminal.document({ columns, rows });
  else call.terminal.write(visible(table([columns.map((column) => column.toUpperCase()), ...rows])));
  return EXIT.ok;
}
