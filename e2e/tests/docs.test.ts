// The documentation that the service serves: people find their way with mouse, keyboard and screen reader, in light and
// dark, on a phone, without a script; and every link leads somewhere.

import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { DESKTOP, openPage, PHONE } from "../src/browser.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import { test as base, serviceWith } from "../src/test.ts";

const test = base.extend("serviceWithoutDocs", { scope: "file" }, serviceWith("--docs", "false"));
/** A reader with a small phone, or with text of four times the size. */
const NARROW = { width: 320, height: 640 };

/** The addresses of all pages, from the table of contents. */
async function addresses(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/docs`)).text();
  const found = [...text.matchAll(/href="(\/docs\/[a-z0-9-]+)"/g)].map(([, path]) => path ?? "");
  return ["/docs", ...new Set(found)];
}

test("every link leads to a page and a heading that exist", async ({ service }) => {
  const pages = await addresses(service.url);
  expect(pages.length).toBeGreaterThan(12);
  const texts = new Map<string, string>();
  for (const path of [...pages, "/llms.txt", "/docs/all.md"]) {
    const answer = await fetch(service.url + path);
    expect(answer.status, path).toBe(200);
    texts.set(path, await answer.text());
  }
  for (const path of pages) {
    const links = [...(texts.get(path) ?? "").matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? "");
    for (const link of links.filter((link) => !/^(https?|data):/.test(link))) {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : file;
      if (!texts.has(target)) {
        texts.set(target, await (await fetch(service.url + target)).text());
        expect((await fetch(service.url + target)).status, `${link} on ${path}`).toBe(200);
      }
      if (anchor !== undefined) {
        expect(texts.get(target), `${link} on ${path}`).toContain(`id="${anchor}"`);
      }
    }
  }
  const listed = [...(texts.get("/llms.txt") ?? "").matchAll(/\]\((\/docs\/[^)]+)\)/g)];
  for (const [, path = ""] of listed) {
    const answer = await fetch(service.url + path);
    expect([answer.status, answer.headers.get("content-type")], path).toEqual([
      200,
      "text/markdown; charset=utf-8",
    ]);
  }
});

test("a browser gets a page for a wrong address, a program gets JSON", async ({ service, browser }) => {
  const { page, pageErrors } = await openPage(browser);
  const answer = await page.goto(`${service.url}/docs/nothing-here`);
  expect(answer?.status()).toBe(404);
  expect(await page.textContent("h1")).toBe("There is no such page");
  await page.getByRole("link", { name: "the front page" }).click();
  await page.waitForURL(`${service.url}/docs`);
  // A browser asks for a stored page with its tag.
  const headers = { accept: "text/html", "if-none-match": answer?.headers().etag ?? "" };
  const again = await fetch(`${service.url}/docs/nothing-here`, { headers });
  expect(again.status).toBe(404);
  expect(await again.text()).toContain("There is no such page");
  const json = await fetch(`${service.url}/docs/nothing-here`);
  expect([json.status, (await json.json()).error.code]).toEqual([404, "not_found"]);
  expect(pageErrors.filter((error) => !error.includes("404"))).toEqual([]);
});

/** The width of an A4 sheet between margins of a centimeter, in CSS pixels. */
const SHEET = { width: 718, height: 1046 };

/** What is wrong with a page on paper, where the text is dark on white and fits, also for a reader who likes the dark. */
async function problemsOnPaper(page: Page): Promise<string[]> {
  await page.setViewportSize(SHEET);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const found = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    const outside = [...document.querySelectorAll("main *")].filter(
      (element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1,
    );
    const colors = `${color} on ${backgroundColor}`;
    return [
      ...(colors === "rgb(31, 36, 48) on rgb(255, 255, 255)" ? [] : [colors]),
      ...outside.map((element) => `outside: ${element.outerHTML.slice(0, 120)}`),
    ];
  });
  await page.emulateMedia({ media: null, colorScheme: "light" });
  return found;
}

/** Pages that have everything that has a color. */
const HAVE_EVERY_COLOR = ["/docs", "/docs/quick-start", "/docs/merchant-api"];

/** What a reader of a page meets: rules of axe that are broken, and how far the page scrolls sideways. */
async function problems(
  browser: Browser,
  url: string,
  paths: readonly string[],
  colorScheme: "light" | "dark",
) {
  const { page } = await openPage(browser, { colorScheme });
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(url + path);
    await page.waitForSelector("search:not([hidden])");
    for (const viewport of [DESKTOP, PHONE, NARROW]) {
      await page.setViewportSize(viewport);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) {
        found.push(`${path} at ${viewport.width}: ${over} px too wide`);
      }
    }
    const broken = await axeViolations(page, { contrast: HAVE_EVERY_COLOR.includes(path) });
    found.push(...broken.map((violation) => `${path} ${colorScheme}: ${violation}`));
    await page.setViewportSize(DESKTOP);
    await saveScreenshot(page, `docs${path.replaceAll("/", "-")}-${colorScheme}`);
    if (colorScheme === "light") {
      found.push(...(await problemsOnPaper(page)).map((problem) => `${path} on paper: ${problem}`));
    }
  }
  return found;
}

test("every page is accessible in the light and fits a phone and paper", async ({ browser, service }) => {
  expect(await problems(browser, service.url, await addresses(service.url), "light")).toEqual([]);
}, 300_000);

test("the colors of the dark are accessible, too", async ({ browser, service }) => {
  expect(await problems(browser, service.url, HAVE_EVERY_COLOR, "dark")).toEqual([]);
}, 300_000);

test("the search leads to the section by keyboard", async ({ browser, service }) => {
  const { page } = await openPage(browser);
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector("search:not([hidden])");
  await page.keyboard.press("/");
  await page.keyboard.type("expect event twice");
  const result = page.locator("#found a", { hasText: "Webhooks" }).first();
  await result.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await result.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/webhooks*");
  await page.getByRole("searchbox").fill("zzyzx");
  await page.getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator("#found").isHidden()).toBe(true);
});

/** What a reader types, and the first result. */
const SEARCHES = [
  ["refund", "Refunds"],
  ["3ds", "3-D Secure"],
  ["csp", "What your page's policy must allow"],
  ["apple pay", "Apple Pay and Google Pay"],
  ["vue", "Vue"],
  ["svelte", "Svelte"],
  ["next.js", "Next.js"],
  ["nextjs", "Next.js"],
  ["express", "Express"],
  ["raw body", "Express"],
  ["translations", "Texts"],
  ["i18n", "Languages"],
  ["error codes", "Errors"],
  ["decline codes", "Declines"],
  ["insufficient_funds", "Declines"],
  ["client-secret-expired", "Errors"],
  ["charge_not_payable", "Errors"],
  ["shopper_email", "The shopper"],
  ["save_card", "Keys"],
  ["currencies", "Currencies"],
  ["browsers", "Browsers"],
  ["limits", "Limits and browsers"],
  ["stripe", "Go live with Stripe"],
  ["multiple merchants", "Several merchants"],
  ["delete card", "A saved card's life"],
] as const;

test("each search finds the page with a fitting heading first", async ({ browser, service }) => {
  const { page } = await openPage(browser);
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector("search:not([hidden])");
  for (const [words, heading] of SEARCHES) {
    await page.getByRole("searchbox").fill(words);
    await expect
      .poll(() => page.locator("#found a").first().textContent().catch(String), { message: words })
      .toMatch(new RegExp(`(^|: )${heading.replaceAll(".", "\\.")}$`));
  }
});

test("arrow keys move among the results", async ({ browser, service }) => {
  const { page } = await openPage(browser);
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector("search:not([hidden])");
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
  await page.getByRole("searchbox").fill("saved card");
  const results = page.locator("#found a");
  await results.nth(1).waitFor();
  const names = await results.allTextContents();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe(names[1]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("search");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe(names.at(-1));
  await page.keyboard.press("Escape");
  expect(await focused()).toBe("search");
  await page.getByRole("searchbox").fill("csp");
  await page.locator("#found a", { hasText: "policy" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/embedding#what-your-pages-policy-must-allow");
});

test("each link of the Markdown leads to what is served", async ({ service }) => {
  const overview = await (await fetch(`${service.url}/llms.txt`)).text();
  const pages = [...overview.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path = ""]) => path);
  const texts = new Map<string, string>();
  for (const path of pages) {
    texts.set(path, await (await fetch(service.url + path)).text());
  }
  const links = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link.split("#")[0] ?? ""),
  );
  for (const link of new Set(links.filter((link) => !link.includes("://")))) {
    expect(link).toMatch(/^\/docs\//);
    expect((await fetch(service.url + link)).status, link).toBe(200);
  }
});

test("a code block is copied unchanged", async ({ browser, service }) => {
  const { page } = await openPage(browser);
  await page.goto(`${service.url}/docs/quick-start`);
  await page.evaluate(() => {
    // The headless shell has no clipboard; what would be written is kept.
    const clipboard = { writeText: (text: string) => Promise.resolve(Object.assign(window, { text })) };
    Object.defineProperty(navigator, "clipboard", { value: clipboard });
  });
  await page.getByRole("button", { name: "Copy shop.mjs" }).click();
  const code = page.locator("figure[data-file='shop.mjs'] code");
  const copied = await page.evaluate(() => (window as unknown as { text: string }).text);
  expect(copied).toBe(await code.textContent());
  await page.getByText("Copied").waitFor();
});

test("without a script everything but the search is there", async ({ browser, service }) => {
  const { page } = await openPage(browser, { javaScriptEnabled: false, viewport: PHONE });
  await page.goto(`${service.url}/docs/webhooks`);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Webhooks");
  expect(await page.locator("#search").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Contents" }).click();
  await page.getByRole("link", { name: "Theming" }).click();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Theming");
});

test("the setting docs switches the documentation off", async ({ serviceWithoutDocs }) => {
  for (const path of ["/docs", "/docs/webhooks", "/docs/all.md", "/llms.txt"]) {
    expect((await fetch(serviceWithoutDocs.url + path)).status, path).toBe(404);
  }
});
