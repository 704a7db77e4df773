/** Where the schemas and the pages are that Portico's texts name: what is seen first leads to what explains it. */

const AT = 'https://raw.githubusercontent.com/portico/portico/main/docs';

/** The JSON Schemas of Portico's documents: editors read them there, and find them by these names. */
export const SCHEMAS = {
  repository: `${AT}/portico.schema.json`,
  rollout: `${AT}/rollout.schema.json`,
  channels: `${AT}/package-channels.schema.json`,
  sources: `${AT}/sources.schema.json`,
} as const;

/** The address of a page of the documentation, such as `lifecycle`. */
export function pageAddress(page: 'commands' | 'lifecycle' | 'questions'): string {
  return `https://github.com/portico/portico/blob/main/docs/${page}.md`;
}
