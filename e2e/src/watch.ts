// Watches every page that a test opens, its frames with it: what is thrown, logged as an error, or forbidden
// by a page's policy is a trouble, and a test with troubles fails (`no-troubles.ts`).

import type { BrowserContext, Page } from "playwright-core";

interface Watched {
  readonly page: Page;
  readonly troubles: string[];
}

const watched: Watched[] = [];

/** What the page's script calls to report a violation. */
const TELL = "tellOfViolation";

/**
 * Watches the only page of a context, from before it opens anything. A test that means to make trouble takes it out of
 * what this returns.
 */
export async function watch(context: BrowserContext, page: Page): Promise<string[]> {
  const troubles: string[] = [];
  watched.push({ page, troubles });
  page.on("pageerror", (error) => troubles.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    // The browser's own line about a 4xx answer is no trouble: a declined card causes one.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      troubles.push(`console: ${message.text()}`);
    }
  });
  await context.exposeBinding(TELL, (_, violation: string) => {
    troubles.push(`policy: ${violation}`);
  });
  await context.addInitScript(tellOfViolations, TELL);
  return troubles;
}

/** Runs in every document, before its own scripts. */
function tellOfViolations(tell: string): void {
  document.addEventListener(
    "securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      const told = `${effectiveDirective} forbids ${blockedURI}, at ${sourceFile}:${lineNumber}`;
      void (window as unknown as Record<string, (violation: string) => Promise<void>>)[tell]?.(told);
    },
  );
}

/** Returns the troubles of all pages since the last call. */
export async function takeTroubles(): Promise<string[]> {
  // A frame answers after it has reported everything before; one that is gone has nothing more to report.
  const frames = watched.flatMap(({ page }) => (page.isClosed() ? [] : page.frames()));
  await Promise.all(frames.map((frame) => frame.evaluate(() => undefined).catch(() => undefined)));
  const troubles = watched.flatMap((each) => each.troubles.splice(0));
  for (let index = watched.length - 1; index >= 0; index -= 1) {
    if (watched[index]?.page.isClosed()) {
      watched.splice(index, 1);
    }
  }
  return troubles;
}

/** Closes every page that a test has left open, with its context. */
export async function closePages(): Promise<void> {
  await Promise.all(watched.splice(0).map(({ page }) => page.context().close()));
}
