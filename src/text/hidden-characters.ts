/**
 * Invisible characters that hide, reorder or erase text (CVE-2021-42574): control and format characters, and the separators of
 * Unicode. Line feeds and tabs stay, and so do the joiners of emoji.
 */
const HIDDEN = /(\p{ExtPict}(?:\uFE0F?\p{EMod}?\u200D\p{ExtPict})+)|(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Writes hidden characters as `\u202E`, which JSON reads as the same character. */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (found, emoji?: string) =>
    emoji === undefined ? Array.from(found.split(''), escaped).join('') : found,
  );
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
