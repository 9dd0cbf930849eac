// The operator's desk: a person finds a charge, reads its story, and gives money back with the keyboard alone; a reader has no
// button; and the desk fits every screen.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { expect } from "vitest";

import type { CreateCharge, CreatedCharge, OperatorStory } from "../../form/generated/wire.ts";
import { readAmount, withPoint } from "../../operator/src/desk/amounts.ts";
import { formatMoney } from "../../operator/src/number-format.ts";
import { axeViolations } from "../src/accessibility.ts";
import { DESKTOP, openPage, PHONE } from "../src/browser.ts";
import { focusRingProblem, layoutProblems } from "../src/layout-problems.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

const READER = "reader_0123456789abcdefghijklmnopqrst";
const SUPPORT = "support_0123456789abcdefghijklmnopqrs";

/** Enough time to look at every screen in both color schemes on a busy machine. */
const SCREENS_MS = 180_000;

/** A folder with the key of a reader and the key of the support. */
function keyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cardform-operators-"));
  for (const [key, name, role] of [
    [READER, "Rita Reader", "reader"],
    [SUPPORT, "Sam Support", "support"],
  ]) {
    writeFileSync(join(folder, String(name)), `key = "${key}"\nname = "${name}"\nrole = "${role}"\n`, {
      mode: 0o600,
    });
  }
  return folder;
}

const test = base.extend("service", { scope: "file" }, serviceWith("--operator-keys", keyFolder()));

async function unlock(page: Page, service: Service, key: string, hash = ""): Promise<void> {
  await page.goto(`${service.operator}${hash}`);
  await page.getByLabel("Operator’s key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Parts of the desk" }).waitFor();
}

/** A charge that a shopper has paid on the payment page. */
async function paid(
  service: Service,
  browser: Browser,
  charge: Partial<CreateCharge>,
  number: string = CARDS.approved,
): Promise<CreatedCharge> {
  const created = await service.merchant.createCharge(charge);
  const { page } = await openPage(browser);
  await page.goto(created.url);
  await typeCard(page, page, number);
  await page.click("#pay");
  await page.waitForSelector("#outcome");
  await page.context().close();
  return created;
}

async function story(service: Service, id: string): Promise<OperatorStory> {
  const response = await fetch(`${service.url}/v1/operator/charges/${id}`, {
    headers: { authorization: `Bearer ${SUPPORT}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as OperatorStory;
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("an amount that can be read in two ways is refused", () => {
  for (const [typed, left, read] of [
    ["1,000", "2000.00", null],
    ["1,000", "2000", null],
    ["1,000", "2.000", null],
    ["1.000", "2000.00", null],
    ["1.500", "2.000", "1.500"],
    ["12,5", "20.00", "12.50"],
    ["12,50", "20.00", "12.50"],
    ["12.", "20.00", "12.00"],
  ] as const) {
    expect([typed, left, readAmount(typed, left).amount]).toEqual([typed, left, read]);
  }
  expect(["1,000", "12,5 "].map(withPoint)).toEqual(["1,000", "12.5"]);
});

test("the report writes amounts with all digits that were charged", () => {
  expect(formatMoney("1234.50", "USD")).toBe("$1,234.50");
  expect(formatMoney("1234.50", "HUF").replaceAll(/\s/g, " ")).toBe("HUF 1,234.50");
  expect(formatMoney("1234", "JPY")).toBe("¥1,234");
});

test("support finds a charge and refunds a part of it with the keyboard", async ({ browser, service }) => {
  const charge = await paid(service, browser, { partner_reference: "order-17" });
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, service, SUPPORT);
  await page.getByRole("searchbox", { name: "Search" }).focus();
  await page.keyboard.type("order-17");
  await page.keyboard.press("Enter");
  const row = page.getByRole("link", { name: "order-17" });
  await expect.poll(() => page.locator(".charges tbody tr").count()).toBe(1);
  await row.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "order-17" }).waitFor();
  expect(await focused(page)).toBe("order-17");
  expect(page.url()).toContain(`#charges/${charge.id}`);

  const open = page.getByRole("button", { name: "Refund…" });
  await open.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Refund" });
  const amount = dialog.getByLabel("Amount");
  expect(await amount.inputValue()).toBe("12.50");
  // The amount has the focus, and its text is selected.
  await page.keyboard.type("12.501");
  await page.keyboard.press("Enter");
  expect(await dialog.textContent()).toContain("At most 2 digits after the point.");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("2.5");
  await page.keyboard.press("Tab");
  await page.keyboard.type("one gem was missing");
  expect(await dialog.textContent()).toContain("Refund 2.50 USD of order-17 to Visa 4242?");
  await page.keyboard.press("Enter");
  await dialog.getByRole("status").waitFor();
  expect(await dialog.getByRole("status").textContent()).toBe("2.50 USD went back to the card.");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Refund…");

  await expect.poll(() => page.locator('[data-sum="Left"] dd').textContent()).toBe("10.00 USD");
  expect(await page.locator(".timeline").textContent()).toContain(
    "Sam Support asked for a refund of 2.50 USD“one gem was missing”",
  );
  const told = await story(service, charge.id);
  expect(told.charge.amount_refunded).toBe("2.50");
  expect(told.charge.refunds.length).toBe(1);
  await page.goBack();
  await page.getByRole("searchbox", { name: "Search" }).waitFor();
  expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("order-17");
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test("the search keeps the focus, and the address has its values", async ({ browser, service }) => {
  await service.merchant.createCharge({ partner_reference: "order-18" });
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, service, SUPPORT);
  const text = page.getByRole("searchbox", { name: "Search" });
  const status = page.getByLabel("Status");
  const focusedName = () => page.evaluate(() => document.activeElement?.getAttribute("name"));
  await text.fill(" order-18 ");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".charges tbody tr").count()).toBe(1);
  expect(await focusedName()).toBe("text");
  expect(await text.inputValue()).toBe("order-18");

  // The arrow keys go through the statuses.
  await status.focus();
  const seen = [];
  for (const _ of ["first", "second"]) {
    const found = page.waitForResponse("**/operator/charges?*status=*");
    await page.keyboard.press("ArrowDown");
    seen.push(await status.inputValue());
    await page.waitForURL(`**/*&status=${seen.at(-1)}`);
    await found;
    expect(await focusedName()).toBe("status");
  }
  expect(new Set(seen).size).toBe(2);
  await page.goBack();
  await expect.poll(() => status.inputValue()).toBe(seen[0]);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => Promise.all([text.inputValue(), status.inputValue()])).toEqual(["", ""]);
  expect(await focusedName()).toBe("text");
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** The charge's page with the question of a refund. Its first requests are answered by `answers`, the others arrive. */
async function asksForRefund(
  service: Service,
  browser: Browser,
  ...answers: readonly ((route: Route) => Promise<unknown>)[]
) {
  const charge = await paid(service, browser, {});
  const { page } = await openPage(browser);
  await unlock(page, service, SUPPORT, `#charges/${charge.id}`);
  await page.getByRole("button", { name: "Refund…" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund" });
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByLabel("Reason").fill("asked by the shoper");
  const beginAgain = async () => {
    await dialog.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Refund…" }).click();
  };
  let requests = 0;
  await page.route("**/refunds", async (route) => {
    const answer = answers[requests] ?? ((route) => route.continue());
    requests += 1;
    await answer(route);
  });
  const press = () => dialog.getByRole("button", { name: "Refund" }).click();
  const says = (text: string) => expect.poll(() => dialog.getByRole("alert").textContent()).toContain(text);
  const refunds = async () => (await story(service, charge.id)).charge.refunds.length;
  return { page, dialog, beginAgain, press, says, refunds };
}

/** The request arrives, and its answer is lost. */
const loses = (route: Route) => route.fetch().then(() => route.abort());
/** The request arrives, and a proxy answers. */
const answers502 = (route: Route) => route.fetch().then(() => route.fulfill({ status: 502, body: "Bad" }));

test.for([
  ["its answer is lost", loses, "No answer came. The request may have arrived"],
  ["a proxy answers", answers502, "The service failed (status 502). The request may have arrived"],
  [
    "another server answers",
    (route: Route) => route.fetch().then(() => route.fulfill({ json: { ok: true } })),
    "No answer came. The request may have arrived",
  ],
] as const)("a refund is made once if %s", async ([_, answer, text], { browser, service }) => {
  const asked = await asksForRefund(service, browser, answer);
  await asked.press();
  await asked.says(text);
  await asked.press();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(1);
  await asked.page.context().close();
});

test("a refund that arrived without an answer can be made once more", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, answers502, (route) =>
    route.fulfill({ status: 403, body: "No" }),
  );
  await asked.press();
  await asked.says("(status 502)");
  await asked.press();
  await asked.says("(status 403)");
  expect(await asked.refunds()).toBe(1);
  await asked.beginAgain();
  await asked.says("Your last request arrived.");
  // Another refund of the same amount for the same reason.
  await asked.dialog.getByLabel("Amount").fill("5");
  await asked.dialog.getByLabel("Reason").fill("asked by the shoper");
  await asked.press();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(2);
  await asked.page.context().close();
});

test("an error leaves the focus where it was", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, answers502, answers502);
  await asked.press();
  await asked.says("(status 502)");
  expect(await focused(asked.page)).toBe("Refund");
  await asked.dialog.getByLabel("Reason").press("Enter");
  await asked.dialog.getByRole("button", { name: "Refunding…" }).waitFor({ state: "detached" });
  await asked.says("(status 502)");
  expect(await focused(asked.page)).toBe("asked by the shoper");
  await asked.page.context().close();
});

test("a refund whose answer is lost is made once with a new reason", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, loses);
  await asked.press();
  await asked.says("No answer came.");
  for (const reason of ["asked by the shopper", "asked by her"]) {
    await asked.dialog.getByLabel("Reason").fill(reason);
    await asked.press();
    await asked.says("This request was sent before with other values. Close the dialog");
  }
  expect(await asked.refunds()).toBe(1);
  // What is left can be refunded by another question.
  await asked.beginAgain();
  expect(await asked.dialog.getByLabel("Amount").inputValue()).toBe("7.50");
  await asked.dialog.getByLabel("Reason").fill("the rest");
  await asked.press();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(2);
  await asked.page.context().close();
});

test("Escape does not close the question while money is moved", async ({ browser, service }) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = await asksForRefund(service, browser, (route) => released.then(() => route.continue()));
  await asked.press();
  await asked.dialog.getByRole("button", { name: "Refunding…" }).waitFor();
  for (const _ of ["prevented", "not preventable", "once more"]) {
    await asked.page.keyboard.press("Escape");
  }
  await expect.poll(() => asked.dialog.getByRole("button", { name: "Refunding…" }).isVisible()).toBe(true);
  release();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(1);
  await asked.page.context().close();
});

test("a capture whose result is not known yet is not called done", async ({ browser, service }) => {
  const charge = await paid(service, browser, { capture_method: "manual" });
  const { page } = await openPage(browser);
  await unlock(page, service, SUPPORT, `#charges/${charge.id}`);
  await page.getByRole("button", { name: "Capture…" }).click();
  const dialog = page.getByRole("dialog", { name: "Capture" });
  await dialog.getByLabel("Reason").fill("sent");
  await page.route("**/capture", (route) =>
    route.fulfill({ status: 202, json: { id: charge.id, status: "authorized" } }),
  );
  await dialog.getByRole("button", { name: "Capture" }).click();
  await dialog.getByRole("status").waitFor();
  expect(await dialog.getByRole("status").textContent()).toBe(
    "Capture: under way. The page shows the result.",
  );
  await page.context().close();
});

test("a reader sees charges and no button", async ({ browser, service }) => {
  const charge = await paid(service, browser, { partner_reference: "order-19" });
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, service, READER, `#charges/${charge.id}`);
  await page.getByRole("heading", { name: "order-19" }).waitFor();
  expect(await page.locator("main").getByRole("button").count()).toBe(0);
  const links = page.getByRole("navigation").getByRole("link");
  expect(await links.allTextContents()).toEqual(["Charges", "Report"]);
  await page.goto(`${service.operator}#audit`);
  await page.getByRole("heading", { name: "Not for this key" }).waitFor();
  // As a mail program cuts a link.
  await page.goto(`${service.operator}#charges/${charge.id}%E`);
  await page.getByRole("heading", { name: "There is no such charge" }).waitFor();
  await page.goto(`${service.operator}#charges?day=2026-07-15)`);
  await page.getByRole("heading", { name: "Charges" }).waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test("the table is saved as it was searched", async ({ browser, service }) => {
  await service.merchant.createCharge({ partner_reference: "order-20" });
  const { page } = await openPage(browser);
  await unlock(page, service, READER, "#charges?text=order-20");
  await expect.poll(() => page.locator(".charges tbody tr").count()).toBe(1);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe("charges.csv");
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk as Buffer);
  }
  const lines = Buffer.concat(chunks).toString().trim().split("\r\n");
  expect(lines.length).toBe(2);
  expect(lines[1]).toContain("order-20");
  await expect.poll(() => focused(page)).toBe("Save as CSV");
  await page.context().close();
});

/** The charge is disputed, which takes days at the provider. */
async function disputes(route: Route): Promise<void> {
  const response = await route.fetch();
  const told = (await response.json()) as OperatorStory;
  const dispute = {
    status: "open",
    amount_value: "12.50",
    reason: "product_not_received",
    respond_before: "2026-12-08T12:00:00Z",
  } as const;
  await route.fulfill({ response, json: { ...told, charge: { ...told.charge, dispute } } });
}

test.for([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)(
  "on the %s every screen of the desk fits, and axe finds no violation",
  { timeout: SCREENS_MS },
  async ([name, viewport], { browser, service }) => {
    const charge = await paid(service, browser, {
      partner_reference: "order-2026-11-29-with-a-long-reference-of-the-merchant",
      item_name: "A thousand gems and a chest of pearls",
      shopper_id: "customer-with-a-long-id-7",
      metadata: { floor: "3", "campaign-of-the-merchant": "winter-sale-with-a-long-name" },
    });
    await paid(service, browser, { partner_reference: "order-22" }, CARDS.declined);
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, pageErrors } = await openPage(browser, {
        viewport,
        colorScheme,
        reducedMotion: "reduce",
      });
      const check = async (screen: string, isWhole = true) => {
        const look = `desk-${screen}-${colorScheme}-${name}`;
        found.push(...(await axeViolations(page.mainFrame())).map((rule) => `${look}: ${rule}`));
        found.push(...(await page.evaluate(layoutProblems)).map((part) => `${look}: ${part}`));
        await saveScreenshot(page, look, isWhole);
      };
      await unlock(page, service, SUPPORT);
      await page.locator(".charges tbody tr").first().waitFor();
      await check("charges");
      for (let stop = 0; stop < 12; stop += 1) {
        await page.keyboard.press("Tab");
        const problem = await page.evaluate(focusRingProblem);
        if (problem) {
          found.push(`${colorScheme} ${name}: ${problem}`);
        }
      }
      await page.goto(`${service.operator}#charges?text=nothing-has-this-reference`);
      await page.getByRole("heading", { name: "No charge fits" }).waitFor();
      await check("nothing");
      await page.route(`**/operator/charges/${charge.id}`, disputes);
      await page.goto(`${service.operator}#charges/${charge.id}`);
      await page.getByRole("heading", { name: "Dispute" }).waitFor();
      await check("charge");
      await page.getByRole("button", { name: "Refund…" }).click();
      await page.getByRole("dialog").waitFor();
      await check("refund", false);
      await page.keyboard.press("Escape");
      await page.goto(`${service.operator}#charges/ch_none`);
      await page.getByRole("heading", { name: "There is no such charge" }).waitFor();
      await check("missing");
      // The browser writes a line about each answer that is a 404.
      found.push(...pageErrors.filter((error) => !error.includes("404")));
      await page.context().close();
    }
    expect(found).toEqual([]);
  },
);
