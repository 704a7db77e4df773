/**
 * The real tools that make the results of the golden cases. Each is a Go program in `scripts/oracles/NAME/`: a small main of ours over the
 * tool's own packages, pinned by its go.mod. `npm run oracles` builds them into `.oracles/`, which git ignores.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const BUILT = join(HERE, '../../.oracles');

/** Leave out parts of operator-registry that link C libraries for container storage. */
const TAGS = 'containers_image_openpgp,exclude_graphdriver_btrfs';

interface Tool {
  /** The directory in `scripts/oracles/` that holds its go.mod and main.go. */
  readonly program: string;
  /** The module whose behavior is the reference. */
  readonly module: string;
  /** The pinned version: the go.mod's own line. */
  readonly version: string;
  /** The main package, where it is not our own main.go but the tool's. */
  readonly main?: string;
}

/** Tools by the name that cases give. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  kpt: tool('kpt', 'github.com/kptdev/kpt'),
  'apply-setters': catalogFunction('apply-setters'),
  'list-setters': catalogFunction('list-setters'),
  kyaml: tool('functions', 'sigs.k8s.io/kustomize/kyaml'),
  kustomize: tool('filters', 'sigs.k8s.io/kustomize/api'),
  'operator-controller-bundles': tool('bundles', 'github.com/operator-framework/operator-controller'),
  'opm-bundles': tool('bundles', 'github.com/operator-framework/operator-registry'),
  apimachinery: tool('readings', 'k8s.io/apimachinery'),
  porch: tool('variants', 'github.com/nephio-project/porch'),
  'operator-controller': tool('catalogs', 'github.com/operator-framework/operator-controller'),
  'operator-registry': tool('catalogs', 'github.com/operator-framework/operator-registry'),
};

function tool(program: string, module: string): Tool {
  const manifest = readFileSync(join(HERE, program, 'go.mod'), 'utf8');
  const version = new RegExp(`^(?:require)?\\s*${module.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(
    manifest,
  )?.[1];
  if (version === undefined) throw new Error(`scripts/oracles/${program}/go.mod does not require ${module}`);
  return { program, module, version };
}

/** A function whose own main package is built: no other package of it can run it. */
function catalogFunction(name: string): Tool {
  const module = `github.com/GoogleContainerTools/kpt-functions-catalog/functions/go/${name}`;
  return { ...tool('functions', module), main: module };
}

/** Programs of this run: Go checks all sources of a program each time it is asked. */
const built = new Map<string, string>();

/**
 * Builds a tool with Go, once in a run, and returns the path of its program.
 *
 * @throws if Go is missing, or the module proxy does not serve the pinned version
 */
export function buildTool(name: string): string {
  const path = built.get(name) ?? build(name);
  built.set(name, path);
  return path;
}

function build(name: string): string {
  const { program, main } = toolNamed(name);
  mkdirSync(BUILT, { recursive: true });
  const binary = join(BUILT, main === undefined ? program : name);
  process.stderr.write(`${existsSync(binary) ? 'checking' : 'building'} ${name} …\n`);
  // Go knows itself whether the program is still that of its sources.
  execFileSync('go', ['build', '-trimpath', '-buildvcs=false', '-o', binary, main ?? '.'], {
    cwd: join(HERE, program),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GOFLAGS: `-mod=readonly -tags=${TAGS}`, GOWORK: 'off' },
  });
  return binary;
}

/** Returns a tool of the table. */
export function toolNamed(name: string): Tool {
  const tool = TOOLS[name];
  if (tool === undefined)
    throw new Error(`No tool has the name ${name}. Known: ${Object.keys(TOOLS).join(', ')}.`);
  return tool;
}
