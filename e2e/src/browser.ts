// Debian's Chromium, and pages in it that must not report an error of their own. Most tests run in its headless shell: the
// same engine without what is around a page (tabs, autofill, permissions), for half of the work.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

import { watch } from "./watch.ts";

/** What Chromium is started with: no sandbox in a container, and no network calls of its own. */
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

/** Starts Chromium's headless shell with a profile of its own; the whole Chromium where there is no shell. */
export function startBrowser(): Promise<Browser> {
  const executablePath = named("CHROMIUM_HEADLESS_SHELL") ?? onPath("chromium-headless-shell");
  return chromium.launch({ executablePath: executablePath ?? chromiumOnPath(), args: [...ARGUMENTS] });
}

/** Starts the whole Chromium with a profile of its own, with further arguments where a test needs them. */
export function startWholeBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumOnPath(), args: [...ARGUMENTS, ...args] });
}

/** A page, and what went wrong in it: errors thrown, errors on the console, violations of the page's policy. */
export interface WatchedPage {
  readonly page: Page;
  readonly troubles: string[];
}

/** Opens an empty page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  return { page, troubles: await watch(context, page) };
}

/** The whole Chromium. */
export function chromiumOnPath(): string {
  const found = named("CHROMIUM") ?? onPath("chromium", "chromium-browser");
  if (found === undefined) {
    throw new Error("chromium is not on PATH; on Debian: apt-get install chromium");
  }
  return found;
}

/** The program that a variable of the environment names. */
function named(variable: string): string | undefined {
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
    /** The application's version, set once the page's script runs. */
    cardformVersion?: string;
  }
}
