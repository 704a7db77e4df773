import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RealRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly host: string;
}

/** Starts Debian's `docker-registry` (distribution 2.8) over an empty directory. */
export async function startRegistry(settings = ''): Promise<RealRegistry> {
  const directory = mkdtempSync(join(tmpdir(), 'registry-'));
  const config = join(directory, 'config.yml');
  writeFileSync(
    config,
    `version: 0.1
log: { level: info, formatter: json, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ${join(directory, 'data')} } }
http: { addr: "127.0.0.1:0" }
${settings}`,
  );
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const host = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`docker-registry ended with ${code}`)));
    createInterface(child.stderr).on('line', (line) => {
      const [, address] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  return {
    host,
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.removeAllListeners('exit');
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await Promise.race([ended, gone]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
