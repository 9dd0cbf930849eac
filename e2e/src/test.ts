// `test` with fixtures for browser tests. A test gets the fixtures that its first parameter names. A fixture starts with
// the first test that names it and stops after the last test of the file, also when tests have failed. Only the shared
// service and browser run until the worker ends.

import type { Browser } from "playwright-core";
import { test as base } from "vitest";

import { startBrowser, startWholeBrowser } from "./browser.ts";
import { startMerchantPage } from "./form-page.ts";
import { closePages } from "./page-errors.ts";
import { type Service, startService } from "./service.ts";

/** A Vitest fixture: starts something, and passes to `onCleanup` what stops it after the file's tests. */
export type Fixture<T> = (
  fixtures: object,
  cleanup: { onCleanup: (stop: () => void | Promise<void>) => void },
) => Promise<T>;

/** A fixture that calls `start`, and `stop` after the file's tests. */
export function startAndStop<T extends { readonly stop: () => unknown }>(
  start: () => Promise<T>,
): Fixture<T> {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
  return async ({}, { onCleanup }) => {
    const started = await start();
    onCleanup(async () => {
      // The pages are closed first, so that none of them calls a service that has stopped.
      await closePages();
      await started.stop();
    });
    return started;
  };
}

/** A service for one file, with these arguments: `test.extend("service", { scope: "file" }, serviceWith("--x"))`. */
export function serviceWith(...args: readonly string[]): Fixture<Service> {
  return startAndStop(() => startService(...args));
}

/** A whole Chromium for one file, with these arguments. */
export function browserWith(...args: readonly string[]): Fixture<Browser> {
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  return async ({}, { onCleanup }) => {
    const browser = await startWholeBrowser(args);
    onCleanup(() => browser.close());
    return browser;
  };
}

/** The service and the browser that the files of a worker share. Each starts when it is first used. */
class WorkerShared {
  #service: Promise<Service> | undefined;
  #browser: Promise<Browser> | undefined;

  service(): Promise<Service> {
    this.#service ??= startService();
    return this.#service;
  }

  async browser(): Promise<Browser> {
    // After a crash a new browser starts, so that only one test fails.
    if ((await this.#browser)?.isConnected() !== true) {
      this.#browser = startBrowser();
    }
    return this.#browser as Promise<Browser>;
  }

  async stop(): Promise<void> {
    const [service, browser] = [this.#service, this.#browser];
    this.#service = undefined;
    this.#browser = undefined;
    await (await browser)?.close();
    await (await service)?.stop();
  }
}

const shared = new WorkerShared();

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend("shared", { scope: "worker" }, async ({}, { onCleanup }) => {
    onCleanup(() => shared.stop());
    return shared;
  })
  /**
   * A service that the other files of the worker use, too. A file that needs arguments, stops the service, or reads its log
   * or a total of its metrics or books must start another one with `serviceWith`.
   */
  .extend("service", { scope: "file" }, ({ shared }) => shared.service())
  /** The browser of the worker. Each page opens in a new context. */
  .extend("browser", { scope: "file" }, async ({ shared }, { onCleanup }) => {
    onCleanup(closePages);
    return shared.browser();
  })
  /** A merchant's page, on another origin than the service's. */
  .extend("merchant", { scope: "file" }, startAndStop(startMerchantPage));
