// Starts Debian's Chromium and opens pages in it. Most tests run in its headless shell, which has the same engine but no
// tabs, autofill or permissions, and needs half of the processor time.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

import { recordPageErrors } from "./page-errors.ts";

/** Chromium's arguments: no sandbox, which containers do not allow, and no network calls of the browser itself. */
export const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The widths at which every screen is checked. */
export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 375, height: 760 };

/** Starts Chromium's headless shell with a new profile, or the whole Chromium where no headless shell is installed. */
export function startBrowser(): Promise<Browser> {
  const executablePath = fromEnvironment("CHROMIUM_HEADLESS_SHELL") ?? onPath("chromium-headless-shell");
  return chromium.launch({ executablePath: executablePath ?? chromiumOnPath(), args: [...ARGUMENTS] });
}

/** Starts the whole Chromium with a new profile. `args` are added to the usual arguments. */
export function startWholeBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumOnPath(), args: [...ARGUMENTS, ...args] });
}

/** A page and its errors: exceptions, errors on the console, and violations of the page's policy. */
export interface WatchedPage {
  readonly page: Page;
  readonly pageErrors: string[];
}

/**
 * Opens an empty page in a new browser context, so that it shares no cookies with other pages. Nothing moves on it: a
 * page that waits would draw its spinner all the time.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  return { page, pageErrors: await recordPageErrors(context, page) };
}

/** Keeps back the requests to the addresses that `pattern` matches, until the returned function is called. */
export async function holdRequests(
  page: Page,
  pattern: string | RegExp | ((url: URL) => boolean),
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The path of the whole Chromium. */
export function chromiumOnPath(): string {
  const found = fromEnvironment("CHROMIUM") ?? onPath("chromium", "chromium-browser");
  if (found === undefined) {
    throw new Error("chromium is not on PATH; on Debian: apt-get install chromium");
  }
  return found;
}

/** The path in an environment variable; undefined when it is empty or not set. */
function fromEnvironment(variable: string): string | undefined {
  return process.env[variable] || undefined;
}

function onPath(...names: readonly string[]): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

declare global {
  interface Window {
    /** The application's version. The page's script sets it when it has started. */
    cardformVersion?: string;
  }
}
