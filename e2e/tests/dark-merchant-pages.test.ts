// In a merchant's dark page the form is dark without an option, transparent and readable. The SDK's dialog for the bank's
// challenge has the same colors.

import type { Browser, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { startMerchantPage } from "../src/form-page.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { test as base } from "../src/test.ts";

/** A merchant's page whose HTML a test can set. */
interface Shop {
  readonly url: string;
  readonly setHtml: (html: string) => void;
}

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
const test = base.extend("shop", { scope: "file" }, async ({}, { onCleanup }): Promise<Shop> => {
  let current = "";
  const { url, stop } = await startMerchantPage(() => current);
  onCleanup(stop);
  return {
    url,
    setHtml: (html) => {
      current = html;
    },
  };
});

/** Opens a merchant's page with this CSS, which mounts the form with the SDK. */
async function openShop(
  { service, browser, shop }: { service: Service; browser: Browser; shop: Shop },
  css: string,
  options: object = {},
  colorScheme: "light" | "dark" = "light",
) {
  const { payload, client_secret } = await service.merchant.createCharge();
  const mountOptions = JSON.stringify({ payload, clientSecret: client_secret, ...options });
  shop.setHtml(`<!doctype html><html lang="en"><title>Shop</title><style>${css}</style><body><main><h1>Shop</h1><div id="card"></div></main>
    <script type="module">
      import { mount } from "${service.url}/sdk/cardform.js";
      window.form = mount("#card", ${mountOptions.replaceAll("<", "\\u003c")});
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

/** The color of the frame's lower right corner, which the form leaves transparent. */
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
    ["the system's scheme", ":root{color-scheme:light dark}", "dark", "dark", null],
    ["a light background, on a dark system", "body{background:#fff}", "dark", "light", "255,255,255"],
    ["a light page without colors, on a dark system", "", "dark", "light", "255,255,255"],
  ] as const)(
    "on %s takes its color scheme and is transparent",
    async ([_, css, system, mode, corner], { service, browser, shop }) => {
      const { page, frame, pageErrors } = await openShop({ service, browser, shop }, css, {}, system);
      expect(await frame.locator(":root").getAttribute("data-color-mode")).toBe(mode);
      expect(await cornerOf(page)).toBe(corner ?? (await pageColor(page)));
      await frame.locator("#card-number").press("Enter");
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  test.for([
    ["a dark gradient", "body{background:linear-gradient(#111,#333) #fff;color:#fff}", "dark"],
    ["a dark picture", "body{background:url(data:,);color:#fff}", "dark"],
    ["a half-transparent dark box", "#card{background:#000b;color:#fff}", "dark"],
    [
      "a light gradient on a dark page",
      `${DARK}#card{background:linear-gradient(#fff,#eee);color:#111}`,
      "light",
    ],
  ] as const)("on %s is as the text there", async ([_, css, mode], { service, browser, shop }) => {
    const { page, frame } = await openShop({ service, browser, shop }, css);
    expect(await frame.locator(":root").getAttribute("data-color-mode")).toBe(mode);
    await page.context().close();
  });

  test("follows a page that becomes dark, and keeps what is typed", async ({ service, browser, shop }) => {
    const css = "body{background:#fff;transition:background-color .2s} .dark{background:#181a20}";
    const { page, frame, pageErrors } = await openShop({ service, browser, shop }, css);
    const mode = () => frame.locator(":root").getAttribute("data-color-mode");
    expect(await mode()).toBe("light");
    await frame.locator("#card-number").fill("4242 42");
    await page.evaluate(() => document.body.classList.add("dark"));
    await expect.poll(mode).toBe("dark");
    await expect.poll(() => cornerOf(page)).toBe("24,26,32");
    expect(await frame.locator("#card-number").inputValue()).toBe("4242 42");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("on a dark page has readable texts, labels and errors", async ({ service, browser, shop }) => {
    const { page, frame } = await openShop({ service, browser, shop }, DARK);
    await frame.locator("#card-number").press("Enter");
    // axe does not know the color of the page behind the frame, so the form gets the same background here.
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

/** The color of the merchant's page, outside the frame. */
async function pageColor(page: Page): Promise<string> {
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
    const style = await dialog.evaluate((one) => {
      const { backgroundColor, color, fontFamily, borderRadius, colorScheme } = getComputedStyle(one);
      return { backgroundColor, color, fontFamily, borderRadius, colorScheme };
    });
    expect(style).toEqual({
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
