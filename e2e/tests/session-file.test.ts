// Chromium writes what is typed into its session file, and fills it in again after Back. A card stays out
// (docs/form.md#element-ids).

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { expect } from "vitest";

import { ARGUMENTS, chromiumOnPath } from "../src/browser.ts";
import { startMerchantPage } from "../src/form-page.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import { CARDS, type FormPlace, formIn, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

// Codes of four digits: a shorter one is in a profile by chance now and then.
const SECRETS = ["3782 8224 6310 005", "378282246310005", "11 / 33", "7391", "8624"];
/** A text in an input that is not ours. Once it is in the profile, what was typed before it would be, too. */
const MARKER = "written after the card";

/** The bytes of a file, none for a folder. Chromium deletes files of its cache while they are searched: they hold nothing. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (["ENOENT", "EISDIR", "ENXIO"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      return Buffer.alloc(0);
    }
    throw error;
  }
}

/** Finds a text of two bytes per character. A short one must not be a part of a longer number, which can be a random one. */
function wide(text: string): RegExp {
  const bytes = Buffer.from(text, "utf16le").toString("latin1");
  return new RegExp(`(?<!\\d\\0)${bytes}(?!\\d\\0)`);
}

/** Opens a browser that keeps its profile in a folder, and searches the folder's files for what was typed. */
async function expectKeptOut(type: (page: Page) => Promise<FormPlace>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cardform-profile-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: chromiumOnPath(),
    args: [...ARGUMENTS],
  });
  const has = (text: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => bytesOf(join(folder, name)))
      .some(
        (bytes) => wide(text).test(bytes.toString("latin1")) || (text.length > 4 && bytes.includes(text)),
      );
  try {
    const place = await type(context.pages()[0] ?? (await context.newPage()));
    const body = place.locator("body");
    await body.evaluate((body) => {
      const input = body.appendChild(document.createElement("input"));
      input.id = "marker";
    });
    await place.locator("#marker").pressSequentially(MARKER);
    await expect.poll(() => has(MARKER), { timeout: 30_000 }).toBe(true);
    expect(SECRETS.filter(has)).toEqual([]);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a new card on the payment page is not in the profile", async ({ service }) => {
  const { url } = await service.merchant.createCharge();
  await expectKeptOut(async (page) => {
    await page.goto(url);
    const autofill = () => page.locator("#card-expiry").getAttribute("autocomplete");
    expect(await autofill()).toBe("cc-exp");
    await typeCard(page, page, CARDS.americanExpress, "1133", "7391");
    expect(await autofill()).toBe("off");
    await page.locator("#card-expiry").clear();
    expect(await autofill()).toBe("cc-exp");
    await page.locator("#card-expiry").fill("1133");
    return page;
  });
});

test("a new card in a merchant's page is not in the profile", async ({ service }) => {
  const merchant = await startMerchantPage();
  const { payload } = await service.merchant.createCharge();
  try {
    await expectKeptOut(async (page) => {
      await page.goto(merchant.url);
      await page.evaluate(
        (src) => {
          const frame = document.createElement("iframe");
          frame.src = src;
          document.body.append(frame);
        },
        `${service.url}/?${new URLSearchParams({ payload })}`,
      );
      await typeCard(formIn(page), page, CARDS.americanExpress, "1133", "7391");
      return formIn(page);
    });
  } finally {
    merchant.stop();
  }
});

test("a saved card's code is not in the profile", async ({ service }) => {
  const charge = savedCardsCharge();
  await saveCard(service, charge, CARDS.americanExpress, "1234");
  const { url } = await service.merchant.createCharge(charge);
  await expectKeptOut(async (page) => {
    await page.goto(url);
    await page.locator("[id$=-security-code]").first().pressSequentially("8624");
    return page;
  });
});
