import { mermaidGraph } from '../../fbc/mermaid.ts';
import { EXIT } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import { readCatalogOf } from './read.ts';

/** `portico catalog graph DIR`: the upgrade graphs as Mermaid. */
export async function graph(call: Call): Promise<number> {
  const [of, minimumEdge] = [call.text('package'), call.text('minimum-edge')];
  const drawn = mermaidGraph(readCatalogOf(call), {
    ...(of !== undefined && { package: of }),
    ...(minimumEdge !== undefined && { minimumEdge }),
    v0: call.has('v0'),
  });
  if (call.terminal.json) call.terminal.document({ graph: drawn });
  else call.terminal.write(drawn);
  return EXIT.ok;
}
