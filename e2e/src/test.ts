// `test` with what a browser test needs: a test names it in its first parameter. It starts with the first such test and
// stops after the last test of the file, also when tests have failed.

import type { Browser } from "playwright-core";
import { test as base } from "vitest";

import { startBrowser, startWholeBrowser } from "./browser.ts";
import { startMerchantPage } from "./form-page.ts";
import { type Service, startService } from "./service.ts";
import { closePages } from "./watch.ts";

/** Starts something that lasts as long as the file's tests. */
export type Start<T> = (
  fixtures: object,
  until: { onCleanup: (stop: () => void | Promise<void>) => void },
) => Promise<T>;

/** Something that is started once for the file and stopped after its tests. */
export function startAndStop<T extends { readonly stop: () => unknown }>(start: () => Promise<T>): Start<T> {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are asked for.
  return async ({}, { onCleanup }) => {
    const started = await start();
    onCleanup(async () => {
      // No page may call a service that has stopped.
      await closePages();
      await started.stop();
    });
    return started;
  };
}

/** A service of the file's own, with these arguments: `test.extend("service", { scope: "file" }, serviceWith("--x"))`. */
export function serviceWith(...args: readonly string[]): Start<Service> {
  return startAndStop(() => startService(...args));
}

/** A whole Chromium of the file's own, with these arguments. */
export function browserWith(...args: readonly string[]): Start<Browser> {
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  return async ({}, { onCleanup }) => {
    const browser = await startWholeBrowser(args);
    onCleanup(() => browser.close());
    return browser;
  };
}

/** What the files of a worker share; each part starts when it is first used. */
class Shared {
  #service: Promise<Service> | undefined;
  #browser: Promise<Browser> | undefined;

  service(): Promise<Service> {
    this.#service ??= startService();
    return this.#service;
  }

  async browser(): Promise<Browser> {
    // A browser that crashed fails that one test, and no other.
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

const shared = new Shared();

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  .extend("shared", { scope: "worker" }, async ({}, { onCleanup }) => {
    onCleanup(() => shared.stop());
    return shared;
  })
  /**
   * A service that other files use, too, before and after. A file that gives it arguments, stops it, or reads what it
   * counts, logs or has in its books as a whole, takes one of its own: `serviceWith`.
   */
  .extend("service", { scope: "file" }, ({ shared }) => shared.service())
  /** Each test has contexts of its own in it. */
  .extend("browser", { scope: "file" }, async ({ shared }, { onCleanup }) => {
    onCleanup(closePages);
    return shared.browser();
  })
  /** A merchant's page, on an origin of its own. */
  .extend("merchant", { scope: "file" }, startAndStop(startMerchantPage));
