import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** PATH as a person's shell has it. Below npm it begins with the programs of the packages, the installed Node among them. */
export const MACHINE_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((directory) => !/[\\/]node_modules[\\/]/.test(`${directory}/`))
  .join(delimiter);

/** Returns the Node of this machine with its version, or undefined if only the packages have one. */
export function machineNode(): { readonly program: string; readonly version: string } | undefined {
  const { stdout, status } = spawnSync(
    'node',
    ['-p', 'JSON.stringify([process.execPath, process.versions.node])'],
    {
      encoding: 'utf8',
      env: { PATH: MACHINE_PATH },
    },
  );
  if (status !== 0) return undefined;
  const [program = '', version = ''] = JSON.parse(stdout) as string[];
  return { program, version };
}
