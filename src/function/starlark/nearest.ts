/** ` (did you mean x?)` with the name that is most like a wrong one, or nothing where none is near. */
export function nearest(wrong: string, names: readonly string[]): string {
  if (wrong.length > 50 || names.length > 1000) return '';
  let best: string | undefined;
  let bestDistance = Math.floor((wrong.length + 1) / 2);
  for (const name of names) {
    if (name.length > 50) continue;
    const distance = distanceOf(fold(wrong), fold(name));
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best === undefined ? '' : ` (did you mean ${best}?)`;
}

function fold(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** How many letters have to be changed, added or left out. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(from).entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column += 1) {
      const change = (row[column] ?? 0) + (letter === to[column] ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
