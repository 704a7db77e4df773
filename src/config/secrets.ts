import type { Environment, WorkflowEnvironment } from './environment.ts';

/** What no line of the log may hold, and no pattern can know: the App's secrets and the password of the database. */
export function secretsOf(environment: Environment | WorkflowEnvironment): readonly string[] {
  const { webhookSecrets, databaseUrl, workflow, relayUrl } = environment;
  const signing = environment.signingKey === undefined ? [] : [environment.signingKey];
  const { notify } = environment;
  const notified =
    notify === undefined ? [] : [notify.url, ...(notify.secret === undefined ? [] : [notify.secret])];
  const tokens = [workflow?.token, relayUrl].filter((one) => one !== undefined);
  return [
    ...webhookSecrets,
    ...tokens,
    ...sealSecrets(environment),
    ...signing,
    ...notified,
    ...passwordsIn(databaseUrl),
  ];
}

/** What seals are keyed with: the first makes them, and those of all count. */
export function sealSecrets(
  environment: Pick<Environment | WorkflowEnvironment, 'privateKey' | 'sealKeys' | 'previousPrivateKeys'>,
): readonly string[] {
  const { sealKeys = [], privateKey, previousPrivateKeys = [] } = environment;
  return [...sealKeys, ...(privateKey === undefined ? [] : [privateKey]), ...previousPrivateKeys];
}

/** As written in the address, and as the server is told it. */
function passwordsIn(address: string | undefined): readonly string[] {
  if (address === undefined || !URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const plain = [searchParams.get('password') ?? ''];
  try {
    plain.push(decodeURIComponent(password));
  } catch {
    // It is used as it is written then.
  }
  return [password, ...plain].filter((one) => one !== '');
}
