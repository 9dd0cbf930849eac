// Records the errors of every page that a test opens, and of its frames: exceptions, errors on the console, and violations
// of the page's policy. A test whose pages have errors fails (`check-page-errors.ts`).

import type { BrowserContext, Page } from "playwright-core";

interface OpenPage {
  readonly page: Page;
  readonly pageErrors: string[];
}

const openPages: OpenPage[] = [];

/** The name of the function that a page calls to report a violation. */
const REPORT_FUNCTION = "reportPolicyViolation";

/**
 * Starts to record the errors of the only page of a context, and returns the list of them. A test that expects an error
 * removes it from the list.
 */
export async function recordPageErrors(context: BrowserContext, page: Page): Promise<string[]> {
  const pageErrors: string[] = [];
  openPages.push({ page, pageErrors });
  page.on("pageerror", (error) => pageErrors.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    // The browser logs every 4xx response as an error. That is no fault of the page: a declined card has such a response.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      pageErrors.push(`console: ${message.text()}`);
    }
  });
  await context.exposeBinding(REPORT_FUNCTION, (_, violation: string) => {
    pageErrors.push(`policy: ${violation}`);
  });
  await context.addInitScript(reportViolations, REPORT_FUNCTION);
  return pageErrors;
}

/** Runs in every document before the document's scripts: calls `report` with each violation of the policy. */
function reportViolations(report: string): void {
  document.addEventListener(
    "securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      const violation = `${effectiveDirective} forbids ${blockedURI}, at ${sourceFile}:${lineNumber}`;
      void (window as unknown as Record<string, (violation: string) => Promise<void>>)[report]?.(violation);
    },
  );
}

/** Returns the errors of all pages since the last call. */
export async function takePageErrors(): Promise<string[]> {
  // A frame reports its errors before it answers `evaluate`, so all errors are in the lists after it. A removed frame, which
  // cannot answer, has no more errors to report.
  const frames = openPages.flatMap(({ page }) => (page.isClosed() ? [] : page.frames()));
  await Promise.all(frames.map((frame) => frame.evaluate(() => undefined).catch(() => undefined)));
  const pageErrors = openPages.flatMap((each) => each.pageErrors.splice(0));
  for (let index = openPages.length - 1; index >= 0; index -= 1) {
    if (openPages[index]?.page.isClosed()) {
      openPages.splice(index, 1);
    }
  }
  return pageErrors;
}

/** Closes every page that a test has left open, with its context. */
export async function closePages(): Promise<void> {
  await Promise.all(openPages.splice(0).map(({ page }) => page.context().close()));
}
