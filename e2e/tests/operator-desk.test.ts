// The operator's desk: a person finds a charge, reads its story, and gives money back with the keyboard alone; a reader has no
// button; and the desk fits every screen.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { expect } from "vitest";

import type { CreateCharge, CreatedCharge, OperatorStory } from "../../form/generated/wire.ts";
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

/** The charge's page with the question of a refund, whose requests all arrive; the first answer is `first`. */
async function asksForRefund(service: Service, browser: Browser, first: (route: Route) => Promise<void>) {
  const charge = await paid(service, browser, {});
  const { page } = await openPage(browser);
  await unlock(page, service, SUPPORT, `#charges/${charge.id}`);
  await page.getByRole("button", { name: "Refund…" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund" });
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByLabel("Reason").fill("asked by the shoper");
  let isFirst = true;
  await page.route("**/refunds", async (route) => {
    const response = await route.fetch();
    await (isFirst ? first(route) : route.fulfill({ response }));
    isFirst = false;
  });
  const press = () => dialog.getByRole("button", { name: "Refund" }).click();
  const says = (text: string) => expect.poll(() => dialog.getByRole("alert").textContent()).toContain(text);
  const refunds = async () => (await story(service, charge.id)).charge.refunds.length;
  return { page, dialog, press, says, refunds };
}

test("a refund whose answer is lost is made once", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, (route) => route.abort());
  await asked.press();
  await asked.says("No answer came. The request may have arrived");
  await asked.press();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(1);
  await asked.page.context().close();
});

test("a refund is made once if a proxy answers instead", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, (route) => route.fulfill({ status: 502, body: "Bad" }));
  await asked.press();
  await asked.says("The service failed (status 502). The request may have arrived");
  await asked.press();
  await asked.dialog.getByRole("status").waitFor();
  expect(await asked.refunds()).toBe(1);
  await asked.page.context().close();
});

test("a refund whose answer is lost is made once with a new reason", async ({ browser, service }) => {
  const asked = await asksForRefund(service, browser, (route) => route.abort());
  await asked.press();
  await asked.says("No answer came.");
  await asked.dialog.getByLabel("Reason").fill("asked by the shopper");
  for (const _ of ["the corrected question", "once more"]) {
    await asked.press();
    await asked.says("This request was sent before with other values. Close the dialog");
  }
  expect(await asked.refunds()).toBe(1);
  await asked.page.context().close();
});

test("after an act no older answer about the charge is shown", async ({ browser, service }) => {
  const charge = await service.merchant.createCharge({ partner_reference: "order-21" });
  const { page } = await openPage(browser);
  let requests = 0;
  await page.route(`**/v1/operator/charges/${charge.id}`, async (route) => {
    requests += 1;
    // The first answer has a status with which the page asks again. The second answer never comes.
    if (requests === 1) {
      const told = await story(service, charge.id);
      await route.fulfill({ json: { ...told, charge: { ...told.charge, status: "processing" } } });
    } else if (requests > 2) {
      await route.continue();
    }
  });
  await unlock(page, service, SUPPORT, `#charges/${charge.id}`);
  await expect.poll(() => requests, { timeout: 10_000 }).toBe(2);
  await page.getByRole("button", { name: "Cancel charge…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("asked by the shopper");
  const aborted = page.waitForEvent("requestfailed", (request) => request.url().endsWith(charge.id));
  await page.keyboard.press("Enter");
  expect((await aborted).failure()?.errorText).toBe("net::ERR_ABORTED");
  await expect.poll(() => page.locator(".story-title").textContent()).toContain("Canceled");
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
  await page.context().close();
});

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
      await page.goto(`${service.operator}#charges/${charge.id}`);
      await page.locator(".timeline li").first().waitFor();
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
