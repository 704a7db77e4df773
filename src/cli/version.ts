import { VERSION } from '../version.ts';
import { EXIT } from './exit-code.ts';
import type { Call } from './verb.ts';

/** `portico version`: of Portico, and with `--json` of what it runs on. */
export async function version({ terminal }: Call): Promise<number> {
  const { versions, platform, arch } = process;
  if (terminal.json) terminal.document({ version: VERSION, node: versions.node, platform, arch });
  else terminal.print(VERSION);
  return EXIT.ok;
}
