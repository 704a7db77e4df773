import { convertRegistry } from '../../bundle/convert-registry.ts';
import { installerRights } from '../../bundle/installer-rights.ts';
import { readRegistryBundle } from '../../bundle/registry-bundle.ts';
import { PorticoError } from '../../error.ts';
import { goYaml } from '../../fbc/go-yaml.ts';
import { EXIT } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import { registryOptions } from './convert.ts';
import { readBundle } from './read-bundle.ts';

/** `portico bundle rbac DIR`: the account with which a ClusterExtension installs the bundle, and its rights, as YAML. */
export async function rbac(call: Call): Promise<number> {
  const { terminal } = call;
  const { files, format } = readBundle(call);
  if (format !== 'registry-v1')
    throw refused(
      ['a ClusterExtension installs registry+v1 bundles'],
      'Name the directory of such a bundle.',
    );
  const read = readRegistryBundle(files);
  if ('problems' in read) throw refused(read.problems.map(({ message }) => message));
  const options = registryOptions(call, read.value);
  const converted = convertRegistry(read.value, options);
  if ('refused' in converted) throw refused(converted.refused);
  const extension = call.text('extension') ?? read.value.packageName;
  const rights = installerRights(converted.objects, {
    extension,
    account: call.text('account') ?? `${extension}-installer`,
    namespace: options.installNamespace,
  });
  if (terminal.json) terminal.document({ objects: rights });
  else terminal.write(rights.map((one) => goYaml(one)).join(''));
  return EXIT.ok;
}

function refused(why: readonly string[], hint = 'See: portico bundle validate.'): PorticoError {
  return new PorticoError('BUNDLE_REFUSED', why.join('\n'), { blame: 'user', hint });
}
