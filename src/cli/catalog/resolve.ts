import { resolve as resolveIn, type ResolveRequest } from '../../fbc/resolve.ts';
import { EXIT, usageError } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import { readCatalogOf } from './read.ts';

/** `portico catalog resolve DIR --package NAME`: the bundle that would be installed, or why there is none. */
export async function resolve(call: Call): Promise<number> {
  const { terminal } = call;
  if (call.list('installed').length > 1)
    throw usageError('portico catalog resolve takes one --installed', 'Resolve each bundle on its own.');
  const outcome = resolveIn(readCatalogOf(call), requestOf(call));
  if (terminal.json) terminal.document(outcome);
  if (outcome.resolved === null) {
    terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${outcome.reason}`);
    terminal.say(`${outcome.code}: ${outcome.detail}`);
    return EXIT.failed;
  }
  if (outcome.deprecated !== undefined)
    terminal.warn(`${outcome.resolved} is deprecated: ${outcome.deprecated}`);
  if (!terminal.json) terminal.print(outcome.resolved);
  return EXIT.ok;
}

function requestOf(call: Call): ResolveRequest {
  const [version, installed, installedVersion] = ['version', 'installed', 'installed-version'].map(call.text);
  return {
    package: call.text('package') ?? '',
    channels: call.list('channel'),
    ...(version !== undefined && { version }),
    policy: call.text('policy') === 'SelfCertified' ? 'SelfCertified' : 'CatalogProvided',
    ...(installed !== undefined && { installed }),
    ...(installedVersion !== undefined && { installedVersion: installedVersion }),
  };
}
