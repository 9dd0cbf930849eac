// The theme playground of demo mode: a theme is changed, seen in real forms, checked, copied and shared.

import type { Browser, Page } from "playwright-core";
import { describe, expect, vi } from "vitest";

import { PRESETS } from "../../demo/src/theme/presets.ts";
import { customStyleOf, pairOfLink, type Theme } from "../../demo/src/theme/theme.ts";
import { TOKENS } from "../../demo/src/theme/tokens.ts";
import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { overflowProblems } from "../src/overflow-problems.ts";
import type { Service } from "../src/service.ts";
import { test } from "../src/test.ts";

/** Eight frames take long to load on a busy machine. */
const TIMEOUT_MS = 180_000;
const LOAD_TIMEOUT_MS = 60_000;

/** The frames of the states, beside the real form. */
const STATES = 7;

vi.setConfig({ testTimeout: TIMEOUT_MS });

async function open(service: Service, browser: Browser, options = {}, fragment = "") {
  const watched = await openPage(browser, { colorScheme: "light", reducedMotion: "reduce", ...options });
  await watched.page.goto(`${service.url}/demo/theme${fragment}`);
  await ready(watched.page);
  return watched;
}

/** Waits until every frame has its theme and the real form can be used. */
async function ready(page: Page): Promise<void> {
  const dressed = page.locator("iframe[data-dressed=true]");
  await expect.poll(() => dressed.count(), { timeout: LOAD_TIMEOUT_MS }).toBe(STATES);
  await realForm(page).locator("#card-number").waitFor({ timeout: LOAD_TIMEOUT_MS });
}

const realForm = (page: Page) => page.frameLocator(".state-real iframe");
const stateFrame = (page: Page, state: string) => page.frameLocator(`[data-state="${state}"] iframe`);

function styleOf(page: Page, state: string, selector: string, property: string): Promise<string> {
  return stateFrame(page, state)
    .locator(selector)
    .first()
    .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), property);
}

const preset = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("every key of a theme has an input", async ({ service, browser }) => {
  const { page, pageErrors } = await open(service, browser);
  const paths = await page
    .locator(".row[data-path]")
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-path")));
  expect(paths.sort()).toEqual(TOKENS.map(({ path }) => path).sort());
  expect(pageErrors).toEqual([]);
});

test("the server reads every key, and names each that has no usable value", async ({ service }) => {
  const wrong: Theme = Object.fromEntries(
    TOKENS.map(({ path, kind }) => [path, kind === "fonts" ? "[1]" : "?"]),
  );
  const url = new URL((await service.merchant.createCharge()).url);
  url.searchParams.set("customStyle", JSON.stringify(customStyleOf(wrong)));
  url.hash = "";
  const html = await (await fetch(url)).text();
  const dropped = JSON.parse(/"dropped":(\[[^\]]*\])/.exec(html)?.[1] ?? "[]") as string[];
  const named = TOKENS.filter(({ path }) => dropped.some((key) => key.startsWith(path)));
  expect(named).toEqual([...TOKENS]);
  expect(dropped).toHaveLength(TOKENS.length);
});

test("a changed color is seen in every state, and what was typed stays", async ({ service, browser }) => {
  const { page, pageErrors } = await open(service, browser);
  const number = realForm(page).locator("#card-number");
  await number.pressSequentially("4242");
  await page.getByRole("textbox", { name: "All fields: textColor", exact: true }).fill("#0a5c36");
  for (const state of ["empty", "american-express", "wrong-entries", "filled", "save-card", "page-open"]) {
    await expect.poll(() => styleOf(page, state, "#card-number", "color")).toBe("rgb(10, 92, 54)");
  }
  await expect.poll(() => number.evaluate((input) => getComputedStyle(input).color)).toBe("rgb(10, 92, 54)");
  expect(await number.inputValue()).toBe("4242");
  await page.locator("summary", { hasText: "Pay button" }).click();
  await page
    .getByRole("textbox", { name: "Pay button of the payment page: backgroundColor", exact: true })
    .fill("#7a1f3d");
  await expect.poll(() => styleOf(page, "page-open", "#pay", "background-color")).toBe("rgb(122, 31, 61)");
  expect(pageErrors).toEqual([]);
});

test("the dark mode has colors of its own", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await page.getByText("Dark", { exact: true }).click();
  expect(PRESETS[0]?.themes.dark?.["children.cardForm.children.cardNumber.textColor"]).toBe("#f1f5f9");
  await expect.poll(() => styleOf(page, "empty", "#card-number", "color")).toBe("rgb(241, 245, 249)");
  await page.getByRole("textbox", { name: "Form: titleColor", exact: true }).fill("#ffffff");
  await expect.poll(() => page.textContent("#code-json")).toContain('"titleColor": "#ffffff"');
  await page.getByText("Light", { exact: true }).click();
  expect(await page.textContent("#code-json")).toContain('"titleColor": "#0f172a"');
});

test("labels inside the inputs are shown in the real form", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Harbor").click();
  await page.frameLocator(".state-real iframe").locator('[data-labels="floating"]').waitFor();
});

test("a weak color is named, and repaired by a button", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  expect(await page.getAttribute("#contrast-summary", "data-failed")).toBe("0");
  await page.getByRole("textbox", { name: "All fields: labelColor", exact: true }).fill("#c8ccd2");
  await expect.poll(() => page.getAttribute("#contrast-summary", "data-failed")).not.toBe("0");
  expect(await page.locator(".pair[data-passes=false]").first().textContent()).toContain("label");
  await page.click("#contrast-repair");
  await expect.poll(() => page.getAttribute("#contrast-summary", "data-failed")).toBe("0");
});

test("a page's CSS becomes a theme", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await page.fill("#import-text", ":root { --background: #fffaf0; --primary: #0a7a5a; --text: #222222 }");
  await page.click("#import-use");
  await expect.poll(() => page.textContent("#code-json")).toContain('"focusBorderColor": "#0a7a5a"');
  expect(await page.getAttribute("#contrast-summary", "data-failed")).toBe("0");
});

test("a link shows the same theme in another browser", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Clay").click();
  await page.getByRole("textbox", { name: "Form: borderRadius", exact: true }).fill("1.5rem");
  const code = await page.textContent("#code-json");
  expect(code).toContain('"borderRadius": "1.5rem"');
  // The address changes when the editor rests.
  const shared = () => pairOfLink(new URL(page.url()).hash)?.pair.light["children.cardForm.borderRadius"];
  await expect.poll(shared).toBe("1.5rem");
  const { page: other } = await open(service, browser, {}, new URL(page.url()).hash);
  await expect.poll(() => other.textContent("#code-json")).toBe(code);
});

test("a value that is none is said to be ignored", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  const input = page.getByRole("textbox", { name: "Form: errorColor", exact: true });
  await input.fill("reddish");
  await input.blur();
  await expect.poll(() => input.getAttribute("aria-invalid")).toBe("true");
  expect(await page.textContent(".wrong")).toContain("ignored");
});

test("everything is reached and changed with the keyboard", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Fern").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => preset(page, "Fern").getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("radio", { name: "Light" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  await page.locator("summary", { hasText: "Saved cards" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  expect(focused).toBe("Saved cards: backgroundColor, picker");
});

describe.each([
  ["320 px wide", { viewport: { width: 320, height: 720 } }],
  ["on a desktop", { viewport: { width: 1280, height: 900 } }],
] as const)("%s", (_, options) => {
  test.for(["light", "dark"] as const)(
    "everything fits, and axe finds nothing, in %s mode",
    async (colorScheme, { service, browser }) => {
      const { page } = await open(service, browser, { ...options, colorScheme });
      await page.locator("details").evaluateAll((all) => {
        for (const details of all) {
          details.setAttribute("open", "");
        }
      });
      await page.getByRole("textbox", { name: "All fields: labelColor", exact: true }).fill("#808080");
      await page.fill("#import-text", "#ff0000 #ffffff");
      expect(
        (await overflowProblems(page)).filter((problem) =>
          /scrolls sideways|outside of the page/.test(problem),
        ),
      ).toEqual([]);
      expect(await axeViolations(page.mainFrame())).toEqual([]);
    },
  );
});
