// Fourteen states in each locale. `CARDFORM_SCREENS=FOLDER npx vitest run tests/contact-sheets.test.ts` saves a contact sheet of
// each locale, for people to look at.

import { expect } from "vitest";

import { LOCALES } from "../../form/generated/locales.ts";
import { openPage } from "../src/browser.ts";
import { stateAddress } from "../src/gallery.ts";
import { layoutProblems } from "../src/layout-problems.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import { test as base } from "../src/test.ts";

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

/** A sheet with a frame for each state. All tests use it, so that the frames are loaded only once. */
const test = base.extend("sheet", { scope: "file" }, async ({ service, browser }) => {
  const { page } = await openPage(browser, {
    viewport: { width: (SHOWN.length / 2) * WIDTH, height: 2 * HEIGHT },
    reducedMotion: "reduce",
  });
  await page.goto(`${service.url}/healthz`);
  const frames = SHOWN.map(
    (state) =>
      `<iframe src="${stateAddress(service, state).address}" width="${WIDTH}" height="${HEIGHT}"></iframe>`,
  );
  await page.setContent(
    `<style>body { margin: 0; font-size: 0 } iframe { border: 0 }</style>${frames.join("")}`,
  );
  return page;
});

test.for(LOCALES)(
  "in $code nothing is cut off on the narrowest phone",
  { timeout: SHEET_TIMEOUT_MS },
  async ({ code }, { service, sheet }) => {
    const found: string[] = [];
    const frames = sheet.mainFrame().childFrames();
    expect(frames).toHaveLength(SHOWN.length);
    for (const [index, frame] of frames.entries()) {
      const state = SHOWN[index] ?? "";
      const { fragment } = stateAddress(service, state, { locale: code });
      await frame.evaluate((fragment) => {
        location.hash = fragment;
      }, fragment);
      await frame.waitForSelector(`html[data-shown="${fragment}"]`);
      found.push(...(await frame.evaluate(layoutProblems)).map((part) => `${state}: ${part}`));
    }
    await saveScreenshot(sheet, `sheet-${code}`);
    expect(found).toEqual([]);
  },
);
