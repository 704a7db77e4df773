import { PorticoError } from '../error.ts';

/** What `dev` and `demo` import and no installation of Portico brings; package.json has them for development. */
const ONLY_IN_A_CHECKOUT = /'(?:@portico\/localforge|simple-git)(?:\/[^']*)?'/;

/**
 * Loads the module of a verb that needs the local forge.
 * @throws PorticoError LOCAL_FORGE_MISSING where it is not there
 */
export async function needsLocalForge<Module>(verb: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !ONLY_IN_A_CHECKOUT.test(message)) throw cause;
    throw new PorticoError(
      'LOCAL_FORGE_MISSING',
      `portico ${verb} needs the local forge, which is not installed`,
      {
        blame: 'user',
        hint: `Run it in a clone of Portico (npm ci && npm run ${verb}), or install @portico/localforge and simple-git beside portico.`,
        cause,
      },
    );
  }
}
