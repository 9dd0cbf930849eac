// The form in a merchant's dark page: it is dark without being told so, lets the page through, and can be read; the SDK's
// dialog for the bank's challenge looks like it.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { violations } from "../src/accessibility.ts";
import { openPage, startBrowser } from "../src/browser.ts";
import { type Service, startService } from "../src/service.ts";

let service: Service;
let browser: Browser;
let shop: Server;
let origin: string;
let page = "";

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), startBrowser()]);
  shop = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(page);
  });
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
});

afterAll(async () => {
  shop?.close();
  await browser?.close();
  await service?.stop();
});

/** A merchant's page in these styles that mounts the form with the SDK. */
async function openShop(css: string, options: object = {}, colorScheme: "light" | "dark" = "light") {
  const { payload, client_secret } = await service.merchant.createCharge();
  const mounting = JSON.stringify({ payload, clientSecret: client_secret, ...options });
  page = `<!doctype html><html lang="en"><title>Shop</title><style>${css}</style><body><main><h1>Shop</h1><div id="card"></div></main>
    <script type="module">
      import { mount } from "${service.url}/sdk/cardform.js";
      window.form = mount("#card", ${mounting.replaceAll("<", "\\u003c")});
    </script>`;
  const opened = await openPage(browser, { colorScheme });
  await opened.page.goto(origin);
  await opened.page.frameLocator("iframe").locator("#card-number").waitFor();
  const frame = opened.page.frames().find((one) => one.url().startsWith(service.url));
  if (frame === undefined) {
    throw new Error("the form has no frame");
  }
  await frame.waitForFunction(() => window.cardformVersion !== undefined);
  return { ...opened, frame };
}

/** The colour that is seen at the frame's lower right corner, where the form has nothing. */
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
  test.each([
    ["a dark background", DARK, "light", "dark", "24,26,32"],
    ["a dark background in another notation", "body{background:oklch(0.2 0 0)}", "light", "dark", "22,22,22"],
    ["a dark card on a light page", "#card{background:#181a20;padding:8px}", "light", "dark", "24,26,32"],
    ["a dark scheme", ":root{color-scheme:dark}", "light", "dark", null],
    ["the system's scheme", ":root{color-scheme:light dark}", "dark", "system", null],
    ["a light background, on a dark system", "body{background:#fff}", "dark", "light", "255,255,255"],
    ["a light page that says nothing, on a dark system", "", "dark", "light", "255,255,255"],
  ] as const)("on %s takes its scheme and lets it through", async (_, css, system, mode, corner) => {
    const { page, frame, troubles } = await openShop(css, {}, system);
    expect(await frame.locator(":root").getAttribute("data-color-mode")).toBe(mode);
    expect(await cornerOf(page)).toBe(corner ?? (await canvasOf(page)));
    await frame.locator("#card-number").press("Enter");
    expect(troubles).toEqual([]);
    await page.context().close();
  });

  test("on a dark page can be read, its labels and errors too", async () => {
    const { page, frame } = await openShop(DARK);
    await frame.locator("#card-number").press("Enter");
    // axe sees no colours through the frame; the page's own is put behind the form for it.
    await frame.evaluate(() => {
      document.body.style.background = "#181a20";
    });
    expect(await violations(frame)).toEqual([]);
    await page.context().close();
  });

  test("stays light on a dark page whose merchant wants it light", async () => {
    const { page, frame } = await openShop(DARK, { options: { colorMode: "light" } });
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
  test("has a title, the theme and dark colours", async () => {
    const customStyle = { children: { cardForm: { fontFamily: "Georgia, serif", borderRadius: "3px" } } };
    const { page, frame } = await openShop(DARK, { customStyle });
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
    }, `${origin}/bank`);
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
    await page.screenshot({ path: new URL("../screens/sdk-challenge-dark.png", import.meta.url).pathname });
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });
});
