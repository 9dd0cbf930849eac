// Writes to the console what the server did with the merchant's theme.

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
    console.info(`Cardform: colors that contrast too little were changed.\n${changes.join("\n")}`);
  }
}
