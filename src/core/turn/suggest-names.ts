/** suggestNames: which tools somebody may have meant by a name that does not exist. Rules: RG11. */

const MOST_SUGGESTIONS = 3;
const FARTHEST = 2;

/** Up to 3 of `names`: the nearest within edit distance 2 first, then those of the same part after `__`, each in their own order. */
export function suggestNames(asked: string, names: readonly string[]): readonly string[] {
  const near = [1, 2].flatMap((distance) => names.filter((name) => editDistance(asked, name) === distance));
  const sameTool = names.filter((name) => lastPart(name) === lastPart(asked));
  return [...new Set([...near, ...sameTool])].slice(0, MOST_SUGGESTIONS);
}

/** What stands in front of `__` in `server__tool`; the whole of any other name. */
export const serverOf = (name: string): string => name.split("__", 1)[0] ?? name;

/** What follows the server's name in `server__tool`; the whole of any other name. */
export function lastPart(name: string): string {
  const at = name.indexOf("__");
  return at < 0 ? name : name.slice(at + 2);
}

/** Levenshtein distance, or anything above 2 when it is above 2: lengths further apart are not compared at all. */
function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > FARTHEST) return FARTHEST + 1;
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 0; row < left.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < right.length; column += 1) {
      const replaced = (above[column] ?? 0) + (left[row] === right[column] ? 0 : 1);
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}
