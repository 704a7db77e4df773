import { z } from 'zod';

/** Name of a credential of the host that Portico runs on, as the file of credentials and all that refer to it write it. */
export const credentialName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes');
