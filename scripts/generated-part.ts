/** The part of a page that is generated, between two comments that are not shown; people write the rest. */

const BEGIN = '<!-- made by scripts/generate-docs.ts from here -->';
const END = '<!-- to here -->';

/** The page with its generated part made anew. Throws where the page has no place for it. */
export function withGeneratedPart(page: string, text: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page needs ${BEGIN} and ${END}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`;
}
