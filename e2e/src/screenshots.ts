// Screenshots for people to look at. No test compares them, so they are taken only when the variable is set:
// `CARDFORM_SCREENS=FOLDER npx vitest run tests/gallery.test.ts`.

import { join } from "node:path";
import type { Page } from "playwright-core";

const FOLDER = process.env.CARDFORM_SCREENS ?? "";

/** Saves a screenshot as `name.png` in the folder that CARDFORM_SCREENS names, and does nothing without it. */
export async function saveScreenshot(page: Page, name: string, fullPage = false): Promise<void> {
  if (FOLDER !== "") {
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage });
  }
}
