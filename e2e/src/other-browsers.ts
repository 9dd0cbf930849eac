// Runs the same tests in Firefox and in WebKit, with a service that only this test file uses.

import { beforeAll, describe, expect } from "vitest";

import { test as base, serviceWith } from "./test.ts";
import { type BrowserWindow, type DrivenBrowser, startFirefox, startWebKit } from "./webdriver.ts";

/** Starting a browser takes long on a busy machine. */
const START_MS_MAX = 120_000;

/** The service is not shared, because `afterAll` reads the policy violations of all its pages. */
export const test = base.extend("service", { scope: "file" }, serviceWith());

/** Declares `tests` once for each browser. While a test runs, `window()` returns the browser's window. */
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
      expect(await service.policyViolations()).toEqual([]);
    });

    tests(() => {
      if (browser === undefined) {
        throw new Error(`${name} has not started`);
      }
      return browser.window;
    }, name);
  });
}
