// The theme playground of demo mode: a theme is changed, seen in real forms, checked, copied and shared.

import type { Browser, Page } from "playwright-core";
import { describe, expect, vi } from "vitest";

import { PRESETS } from "../../demo/src/theme/presets.ts";
import { pairOfLink, type Theme } from "../../demo/src/theme/theme.ts";
import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { overflowProblems } from "../src/overflow-problems.ts";
import type { Service } from "../src/service.ts";
import { test } from "../src/test.ts";
import { EVERY_KEY, keysOf, withEveryValue } from "../src/theme-keys.ts";

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
  const dressed = page.locator("iframe[data-loaded=true]");
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

/** Changes the theme of the present mode, as a person does in the JSON. */
async function edit(page: Page, change: (theme: Theme) => Theme): Promise<void> {
  const json = page.locator("#code-json");
  await json.fill(JSON.stringify(change(JSON.parse(await json.inputValue())), null, 2));
}

/** The theme with other colors in every field. */
function withFieldColors(theme: Theme, colors: Readonly<Record<string, string>>): Theme {
  const form = theme.children?.cardForm;
  const fields = Object.entries(form?.children ?? {}).map(([name, field]) => [name, { ...field, ...colors }]);
  return {
    ...theme,
    children: { ...theme.children, cardForm: { ...form, children: Object.fromEntries(fields) } },
  };
}

/** The theme with other values for the form itself. */
function withForm(theme: Theme, values: Readonly<Record<string, string>>): Theme {
  return { ...theme, children: { ...theme.children, cardForm: { ...theme.children?.cardForm, ...values } } };
}

const preset = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("the server reads every key, and names each that has no usable value", async ({ service }) => {
  const wrong = JSON.stringify(withEveryValue(EVERY_KEY, "?"));
  const asked = new URLSearchParams({ customStyle: wrong, mode: "light" });
  const report = await (await fetch(`${service.url}/demo/theme-report?${asked}`)).json();
  expect(report.dropped.sort()).toEqual(keysOf(EVERY_KEY).sort());
});

test("a changed color is seen in every state, and what was typed stays", async ({ service, browser }) => {
  const { page, pageErrors } = await open(service, browser);
  const number = realForm(page).locator("#card-number");
  await number.pressSequentially("4242");
  await edit(page, (theme) => withFieldColors(theme, { textColor: "#0a5c36" }));
  for (const state of ["empty", "american-express", "wrong-entries", "filled", "save-card", "page-open"]) {
    await expect.poll(() => styleOf(page, state, "#card-number", "color")).toBe("rgb(10, 92, 54)");
  }
  await expect.poll(() => number.evaluate((input) => getComputedStyle(input).color)).toBe("rgb(10, 92, 54)");
  expect(await number.inputValue()).toBe("4242");
  await edit(page, (theme) => ({
    ...theme,
    children: { ...theme.children, payButton: { backgroundColor: "#7a1f3d" } },
  }));
  await expect.poll(() => styleOf(page, "page-open", "#pay", "background-color")).toBe("rgb(122, 31, 61)");
  expect(pageErrors).toEqual([]);
});

test("the dark mode has colors of its own", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await page.getByText("Dark", { exact: true }).click();
  expect(PRESETS[0]?.themes.dark?.children?.cardForm?.titleColor).toBe("#f1f5f9");
  await expect.poll(() => styleOf(page, "empty", "#card-number", "color")).toBe("rgb(241, 245, 249)");
  await edit(page, (theme) => withForm(theme, { titleColor: "#ffffff" }));
  await expect.poll(() => page.inputValue("#code-json")).toContain('"titleColor": "#ffffff"');
  await page.getByText("Light", { exact: true }).click();
  expect(await page.inputValue("#code-json")).toContain('"titleColor": "#0f172a"');
});

test("labels inside the inputs are shown in the real form", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Harbor").click();
  await page.frameLocator(".state-real iframe").locator('[data-labels="floating"]').waitFor();
});

test("a weak color is named, with the one that is shown instead", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  const report = page.locator("#style-report");
  await expect.poll(() => report.textContent()).toBe("Every color passes WCAG AA.");
  await edit(page, (theme) => withFieldColors(theme, { labelColor: "#c8ccd2" }));
  await expect
    .poll(() => report.textContent())
    .toMatch(/cardNumber\.labelColor: #c8ccd2 contrasts too little and is shown as #/);
});

test("a link shows the same theme in another browser", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Clay").click();
  await edit(page, (theme) => withForm(theme, { borderRadius: "1.5rem" }));
  const code = await page.inputValue("#code-json");
  expect(code).toContain('"borderRadius": "1.5rem"');
  // The address changes when the editor rests.
  const shared = () => pairOfLink(new URL(page.url()).hash)?.pair.light.children?.cardForm?.borderRadius;
  await expect.poll(shared).toBe("1.5rem");
  const { page: other } = await open(service, browser, {}, new URL(page.url()).hash);
  await expect.poll(() => other.inputValue("#code-json")).toBe(code);
});

test("an invalid value is named and ignored", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await edit(page, (theme) => withForm(theme, { errorColor: "reddish" }));
  await expect
    .poll(() => page.textContent("#style-report"))
    .toContain("children.cardForm.errorColor has no usable value and is ignored.");
  await page.fill("#code-json", "{");
  await expect.poll(() => page.getAttribute("#code-json", "aria-invalid")).toBe("true");
  expect(await page.textContent("#style-report")).toBe("This is not the JSON of an object.");
});

test("everything is reached and changed with the keyboard", async ({ service, browser }) => {
  const { page } = await open(service, browser);
  await preset(page, "Fern").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => preset(page, "Fern").getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("radio", { name: "Light" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  const json = page.locator("#code-json");
  await json.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText('{"padding": "1rem"}');
  await expect.poll(() => page.textContent("#code-react")).toContain('"padding": "1rem"');
});

describe.each([
  ["320 px wide", { viewport: { width: 320, height: 720 } }],
  ["on a desktop", { viewport: { width: 1280, height: 900 } }],
] as const)("%s", (_, options) => {
  test.for(["light", "dark"] as const)(
    "everything fits, and axe finds nothing, in %s mode",
    async (colorScheme, { service, browser }) => {
      const { page } = await open(service, browser, { ...options, colorScheme });
      await edit(page, (theme) => withFieldColors(theme, { labelColor: "#808080" }));
      expect(
        (await overflowProblems(page)).filter((problem) =>
          /scrolls sideways|outside of the page/.test(problem),
        ),
      ).toEqual([]);
      expect(await axeViolations(page.mainFrame())).toEqual([]);
    },
  );
});
