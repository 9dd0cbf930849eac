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

/** `text` in the places of the mask. What does not fit is left out. The mask's own characters are added only before others. */
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
