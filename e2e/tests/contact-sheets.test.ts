// Fourteen states in each locale. `CARDFORM_SCREENS=FOLDER npx vitest run tests/contact-sheets.test.ts` saves a contact sheet of
// each locale, for people to look at.

import { expect } from "vitest";

import { LOCALES } from "../../form/generated/locales.ts";
import { STATES } from "../../form/src/gallery/states.ts";
import { openPage } from "../src/browser.ts";
import { layoutProblems } from "../src/layout-problems.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import { test } from "../src/test.ts";

const SHOWN = [
  "wrong-entries",
  "saved-many",
  "removal-asked",
  "saved-failed",
  "page-open",
  "page-saved",
  "page-declined",
  "page-challenge",
  "page-checking",
  "page-receipt",
  "page-link-expired",
  "cards-list",
  "cards-naming",
  "error-404",
];
const WIDTH = 320;
/** The highest of the states. */
const HEIGHT = 960;
const SHEET_TIMEOUT_MS = 60_000;

test.for(LOCALES)(
  "in $code nothing is cut off on the narrowest phone",
  { timeout: SHEET_TIMEOUT_MS },
  async ({ code }, { service, browser }) => {
    const { page } = await openPage(browser, {
      viewport: { width: (SHOWN.length / 2) * WIDTH, height: 2 * HEIGHT },
      reducedMotion: "reduce",
    });
    await page.goto(`${service.url}/healthz`);
    const frames = SHOWN.map((state) => {
      const standalone = String(STATES[state]?.standalone === true);
      const address = `/demo/gallery?${new URLSearchParams({ state, standalone, locale: code })}`;
      return `<iframe src="${address.replaceAll("&", "&amp;")}" width="${WIDTH}" height="${HEIGHT}"></iframe>`;
    });
    await page.setContent(
      `<style>body { margin: 0; font-size: 0 } iframe { border: 0 }</style>${frames.join("")}`,
    );
    const found: string[] = [];
    const shown = page.mainFrame().childFrames();
    expect(shown).toHaveLength(SHOWN.length);
    for (const [index, frame] of shown.entries()) {
      const state = SHOWN[index];
      await frame.waitForSelector(`html[data-shown="${state}"]`);
      found.push(...(await frame.evaluate(layoutProblems)).map((part) => `${state}: ${part}`));
    }
    await saveScreenshot(page, `sheet-${code}`);
    await page.context().close();
    expect(found).toEqual([]);
  },
);
