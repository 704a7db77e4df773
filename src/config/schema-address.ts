/** Where the JSON Schemas of Portico's documents are: editors read them there, and find them by these names. */
const AT = 'https://raw.githubusercontent.com/portico/portico/main/docs';

export const SCHEMAS = {
  repository: `${AT}/portico.schema.json`,
  rollout: `${AT}/rollout.schema.json`,
  channels: `${AT}/package-channels.schema.json`,
  sources: `${AT}/sources.schema.json`,
} as const;
