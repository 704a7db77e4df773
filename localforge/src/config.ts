import { z } from 'zod';

import { ForgeError } from './error.ts';

const name = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, 'may have letters, digits, ".", "_" and "-" only');
const role = z.enum(['read', 'triage', 'write', 'maintain', 'admin']);

const schema = z.strictObject({
  /** token → who it is */
  tokens: z.record(z.string().min(1), z.strictObject({ login: name })).default({}),
  users: z
    .array(z.strictObject({ login: name, name: z.string().optional(), email: z.string().optional() }))
    .default([]),
  orgs: z
    .array(
      z.strictObject({
        login: name,
        members: z.record(name, z.enum(['admin', 'member'])).default({}),
        teams: z
          .array(
            z.strictObject({
              slug: name,
              name: z.string().optional(),
              members: z.array(name).default([]),
              repos: z.record(name, role).default({}),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
  repos: z
    .array(
      z.strictObject({
        owner: name,
        name,
        private: z.boolean().default(false),
        description: z.string().optional(),
        topics: z.array(z.string()).default([]),
        collaborators: z.record(name, role).default({}),
        /** A folder to import as first commit of main, or a git repository (folder, bundle or address) to take branches and tags from. */
        from: z.string().min(1).optional(),
      }),
    )
    .default([]),
  app: z
    .strictObject({
      installations: z
        .array(
          z.strictObject({
            account: name,
            repositories: z.union([z.literal('all'), z.array(name)]).default('all'),
          }),
        )
        .default([]),
    })
    .default({ installations: [] }),
});

/** What a configuration file may say; see `parseForgeConfig`. */
export type ForgeConfig = z.input<typeof schema>;
/** The same with everything filled in. */
export type CheckedForgeConfig = z.output<typeof schema>;

/**
 * Checks a configuration (as read from YAML).
 * @throws ForgeError FORGE_CONFIG that names the first place that is wrong
 */
export function parseForgeConfig(value: unknown): CheckedForgeConfig {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue?.path.join('.') ?? '';
  throw new ForgeError(
    'FORGE_CONFIG',
    `The forge's configuration is wrong at ${place || 'its root'}: ${issue?.message ?? ''}.`,
    {
      hint: 'Known parts: tokens, users, orgs, repos, app.',
    },
  );
}
