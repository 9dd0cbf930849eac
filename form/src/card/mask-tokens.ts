// Input masks: `#` stands for a digit, `@` for a letter, `*` for either, and any other character for itself
// (docs/rules.md#masks).

import { isDigits, isLetter } from "./characters.ts";

const TOKENS: ReadonlyMap<string, (character: string) => boolean> = new Map([
  ["#", isDigits],
  ["@", isLetter],
  ["*", (character: string) => isDigits(character) || isLetter(character)],
]);

/** How many characters fit into the mask. */
export function capacity(mask: string): number {
  return Array.from(mask).filter((place) => TOKENS.has(place)).length;
}

/**
 * The characters of `text` in the places of the mask. A character that does not fit its place is left out, and so is
 * everything after the last place. The mask's own characters are added only when another character follows them.
 */
export function fill(mask: string, text: string): string {
  const characters = Array.from(text);
  let next = 0;
  let filled = "";
  let literal = "";
  for (const place of mask) {
    const takes = TOKENS.get(place);
    if (!takes) {
      literal += place;
      continue;
    }
    while (next < characters.length && !takes(characters[next] ?? "")) next++;
    if (next === characters.length) break;
    filled += literal + characters[next++];
    literal = "";
  }
  return filled;
}
