// Tells the merchant's developer, on the console, what became of the theme, which the server has read.

import type { ThemeReport } from "../../generated/wire.ts";

export function reportTheme({ unusable, dropped, repaired }: ThemeReport): void {
  if (unusable) {
    console.warn("Cardform: customStyle is no JSON object; the default theme is shown.");
  }
  for (const key of dropped) {
    console.warn(`Cardform: customStyle.${key} has a value that it cannot have, and is left out.`);
  }
  if (repaired.length > 0) {
    const changes = repaired.map(({ key, from, to }) => `${key}: ${from} → ${to}`);
    console.info(`Cardform: colours that contrast too little were changed.\n${changes.join("\n")}`);
  }
}
