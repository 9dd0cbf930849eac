// The same tests in Firefox and in WebKit, against a service of the file's own.

import { beforeAll, describe, expect } from "vitest";

import { test as base, serviceWith } from "./test.ts";
import { type BrowserWindow, type DrivenBrowser, startFirefox, startWebKit } from "./webdriver.ts";

/** Starting a browser takes long on a busy machine. */
const START_MS_MAX = 120_000;

/** The service is the file's own because the tests read everything that the pages' policies forbade. */
export const test = base.extend("service", { scope: "file" }, serviceWith());

/** Declares `tests` once in each browser. `window()` is the browser's window while a test runs. */
export function inOtherBrowsers(tests: (window: () => BrowserWindow, name: string) => void): void {
  describe.each([
    ["Firefox", startFirefox],
    ["WebKit", startWebKit],
  ] as const)("in %s", (name, startBrowser) => {
    let browser: DrivenBrowser | undefined;

    beforeAll(async () => {
      browser = await startBrowser();
    }, START_MS_MAX);

    test.afterAll(async ({ service }) => {
      await browser?.stop();
      expect(await service.violations()).toEqual([]);
    });

    tests(() => {
      if (browser === undefined) {
        throw new Error(`${name} has not started`);
      }
      return browser.window;
    }, name);
  });
}
