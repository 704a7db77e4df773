/**
 * The real tools that make the results of the golden cases. Each is a Go program in `scripts/oracles/NAME/`: a small main of ours over the
 * tool's own packages, pinned by its go.mod. `npm run oracles` builds them into `.oracles/`, which git ignores.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const BUILT = join(HERE, '../../.oracles');

interface Tool {
  /** The directory in `scripts/oracles/` that holds its go.mod and main.go. */
  readonly program: string;
  /** The module whose behavior is the reference. */
  readonly module: string;
  /** The pinned version: the go.mod's own line. */
  readonly version: string;
}

/** Tools by the name that cases give. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  kpt: tool('kpt', 'github.com/kptdev/kpt'),
};

function tool(program: string, module: string): Tool {
  const manifest = readFileSync(join(HERE, program, 'go.mod'), 'utf8');
  const version = new RegExp(`^(?:require)?\\s*${module.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(
    manifest,
  )?.[1];
  if (version === undefined) throw new Error(`scripts/oracles/${program}/go.mod does not require ${module}`);
  return { program, module, version };
}

/**
 * Builds a tool with Go unless it is there, and returns the path of its program.
 *
 * @throws if Go is missing, or the module proxy does not serve the pinned version
 */
export function buildTool(name: string): string {
  const { program } = TOOLS[name] ?? fail(`there is no tool ${name}`);
  mkdirSync(BUILT, { recursive: true });
  const binary = join(BUILT, program);
  process.stderr.write(`${existsSync(binary) ? 'checking' : 'building'} ${name} …\n`);
  // Go knows itself whether the program is still that of its sources.
  execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-o', binary, '.'], {
    cwd: join(HERE, program),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off' },
  });
  return binary;
}

function fail(message: string): never {
  throw new Error(message);
}
