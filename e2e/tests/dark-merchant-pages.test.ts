// The form in a merchant's dark page is dark without an option, transparent and readable; the SDK's dialog for the
// bank's challenge has the same colors.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { startMerchantPage } from "../src/form-page.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { test as base } from "../src/test.ts";

/** A merchant's page that is what a test last made it. */
interface Shop {
  readonly url: string;
  readonly change: (html: string) => void;
}

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
const test = base.extend("shop", { scope: "file" }, async ({}, { onCleanup }): Promise<Shop> => {
  let page = "";
  const { url, stop } = await startMerchantPage(() => page);
  onCleanup(stop);
  return {
    url,
    change: (html) => {
      page = html;
    },
  };
});

/** A merchant's page in these styles that mounts the form with the SDK. */
async function openShop(
  { service, browser, shop }: { service: Service; browser: Browser; shop: Shop },
  css: string,
  options: object = {},
  colorScheme: "light" | "dark" = "light",
) {
  const { payload, client_secret } = await service.merchant.createCharge();
  const mounting = JSON.stringify({ payload, clientSecret: client_secret, ...options });
  shop.change(`<!doctype html><html lang="en"><title>Shop</title><style>${css}</style><body><main><h1>Shop</h1><div id="card"></div></main>
    <script type="module">
      import { mount } from "${service.url}/sdk/cardform.js";
      window.form = mount("#card", ${mounting.replaceAll("<", "\\u003c")});
    </script>`);
  const opened = await openPage(browser, { colorScheme });
  await opened.page.goto(shop.url);
  await opened.page.frameLocator("iframe").locator("#card-number").waitFor();
  const frame = opened.page.frames().find((one) => one.url().startsWith(service.url));
  if (frame === undefined) {
    throw new Error("the form has no frame");
  }
  await frame.waitForFunction(() => window.cardformVersion !== undefined);
  return { ...opened, frame };
}

/** The color that is seen at the frame's lower right corner, where the form has nothing. */
async function cornerOf(page: Page): Promise<string> {
  const png = await page.locator("iframe").screenshot();
  return page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context?.drawImage(bitmap, 0, 0);
      return [...(context?.getImageData(bitmap.width - 1, bitmap.height - 1, 1, 1).data ?? [])]
        .slice(0, 3)
        .join();
    },
    [...png],
  );
}

const DARK = "body{background:#181a20;color:#eee}";

describe("the form", () => {
  test.for([
    ["a dark background", DARK, "light", "dark", "24,26,32"],
    ["a dark background in another notation", "body{background:oklch(0.2 0 0)}", "light", "dark", "22,22,22"],
    ["a dark card on a light page", "#card{background:#181a20;padding:8px}", "light", "dark", "24,26,32"],
    ["a dark scheme", ":root{color-scheme:dark}", "light", "dark", null],
    ["the system's scheme", ":root{color-scheme:light dark}", "dark", "system", null],
    ["a light background, on a dark system", "body{background:#fff}", "dark", "light", "255,255,255"],
    ["a light page that says nothing, on a dark system", "", "dark", "light", "255,255,255"],
  ] as const)(
    "on %s takes its color scheme and is transparent",
    async ([_, css, system, mode, corner], { service, browser, shop }) => {
      const { page, frame, pageErrors } = await openShop({ service, browser, shop }, css, {}, system);
      expect(await frame.locator(":root").getAttribute("data-color-mode")).toBe(mode);
      expect(await cornerOf(page)).toBe(corner ?? (await canvasOf(page)));
      await frame.locator("#card-number").press("Enter");
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  test("on a dark page can be read, its labels and errors too", async ({ service, browser, shop }) => {
    const { page, frame } = await openShop({ service, browser, shop }, DARK);
    await frame.locator("#card-number").press("Enter");
    // axe sees no colors through the frame; the page's own is put behind the form for it.
    await frame.evaluate(() => {
      document.body.style.background = "#181a20";
    });
    expect(await axeViolations(frame)).toEqual([]);
    await page.context().close();
  });

  test("stays light on a dark page whose merchant wants it light", async ({ service, browser, shop }) => {
    const { page, frame } = await openShop({ service, browser, shop }, DARK, {
      options: { colorMode: "light" },
    });
    expect(await frame.locator(":root").getAttribute("data-color-mode")).toBe("light");
    await page.context().close();
  });
});

/** The page's own canvas, beside the frame. */
async function canvasOf(page: Page): Promise<string> {
  const png = await page.screenshot({ clip: { x: 1, y: 1, width: 2, height: 2 } });
  return page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const context = new OffscreenCanvas(2, 2).getContext("2d");
      context?.drawImage(bitmap, 0, 0);
      return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3).join();
    },
    [...png],
  );
}

describe("the dialog of the bank's challenge", () => {
  test("has a title, the theme and dark colors", async ({ service, browser, shop }) => {
    const customStyle = { children: { cardForm: { fontFamily: "Georgia, serif", borderRadius: "3px" } } };
    const { page, frame } = await openShop({ service, browser, shop }, DARK, { customStyle });
    await frame.evaluate((bank) => {
      const message = {
        source: "cardform",
        version: 1,
        frame: window.name,
        type: "charge-changed",
        status: "waiting_for_shopper_action",
        shopper_action: { type: "challenge", url: bank, width: 390, height: 400 },
        labels: { title: "Confirm it is you", close: "Cancel" },
      };
      parent.postMessage(message, "*");
    }, `${shop.url}bank`);
    const dialog = page.locator("dialog[open]");
    await dialog.waitFor();
    expect(await dialog.getByRole("heading").textContent()).toBe("Confirm it is you");
    const look = await dialog.evaluate((one) => {
      const { backgroundColor, color, fontFamily, borderRadius, colorScheme } = getComputedStyle(one);
      return { backgroundColor, color, fontFamily, borderRadius, colorScheme };
    });
    expect(look).toEqual({
      backgroundColor: "rgb(17, 24, 39)",
      color: "rgb(249, 250, 251)",
      fontFamily: "Georgia, serif",
      borderRadius: "3px",
      colorScheme: "dark",
    });
    await saveScreenshot(page, "sdk-challenge-dark");
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });
});
