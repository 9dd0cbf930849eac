// Pictures of screens for people to look at. No test asserts them, so they are taken only on request:
// `CARDFORM_SCREENS=FOLDER npx vitest run tests/gallery.test.ts`.

import { join } from "node:path";
import type { Page } from "playwright-core";

const FOLDER = process.env.CARDFORM_SCREENS ?? "";

/** Saves a screenshot as `name.png` if it was asked for. */
export async function keepScreen(page: Page, name: string, fullPage = false): Promise<void> {
  if (FOLDER !== "") {
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage });
  }
}
