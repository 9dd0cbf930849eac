// A merchant's theme in the browser: every key changes its part of the form, and no theme makes the form unusable.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { axeViolations } from "../src/accessibility.ts";
import { openPage } from "../src/browser.ts";
import { ALL_FIELDS } from "../src/form-page.ts";
import { savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { field } from "../src/shopper.ts";
import { test } from "../src/test.ts";

const TOUCH_SCREEN: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

async function addressOf(service: Service, customStyle: object, options: object = {}): Promise<string> {
  const url = new URL((await service.merchant.createCharge(savedCardsCharge())).url);
  url.searchParams.set("customStyle", JSON.stringify(customStyle));
  url.searchParams.set("options", JSON.stringify({ ...ALL_FIELDS, ...options }));
  return url.href;
}

async function open(
  service: Service,
  browser: Browser,
  customStyle: object,
  options: object = {},
  context: BrowserContextOptions = {},
) {
  const opened = await openPage(browser, context);
  await opened.page.goto(await addressOf(service, customStyle, options));
  await opened.page.waitForFunction(() => window.cardformVersion !== undefined);
  return opened;
}

const inForm = (cardForm: object) => ({ children: { cardForm } });
const style = (page: Page, selector: string, property: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((part, name) => getComputedStyle(part).getPropertyValue(name), property);

describe("a theme's text", () => {
  test.for(["9px", "0.5rem", "10%"])(
    "of %s leaves inputs at 16 px on touch screens",
    async (fontSize, { service, browser }) => {
      const { page } = await open(service, browser, inForm({ fontSize }), {}, TOUCH_SCREEN);
      for (const id of ["card-number", "card-expiry", "card-security-code", "card-holder-name"]) {
        expect(Number.parseFloat(await style(page, `#${id}`, "font-size")), id).toBeGreaterThanOrEqual(16);
      }
      await page.context().close();
    },
  );

  test("of any small size leaves errors at 12 px", async ({ service, browser }) => {
    const { page } = await open(service, browser, inForm({ fontSize: "8px" }));
    await field(page, "card-number").press("Enter");
    expect(Number.parseFloat(await style(page, "#card-number-error", "font-size"))).toBe(12);
    await page.context().close();
  });
});

describe("a theme's keys", () => {
  test("for the checkbox set background and text, and add no border", async ({ service, browser }) => {
    const { page } = await open(
      service,
      browser,
      inForm({ children: { cardCheckbox: { backgroundColor: "#102030", textColor: "#fefefe" } } }),
    );
    expect(await style(page, ".save-card", "background-color")).toBe("rgb(16, 32, 48)");
    expect(await style(page, ".save-card", "color")).toBe("rgb(254, 254, 254)");
    expect(await style(page, "#save-card", "border-top-width")).toBe("0px");
    expect(await style(page, "#save-card", "box-shadow")).toBe("none");
    await page.context().close();
  });

  test("for errors, pay button, sizes and backgrounds are applied", async ({ service, browser }) => {
    const { page } = await open(service, browser, {
      padding: "7px 9px",
      backgroundColor: "#eef2ff",
      children: {
        payButton: { backgroundColor: "#6d28d9", textColor: "#fefefe" },
        cardForm: { errorColor: "#9d174d", inputHeight: "60px" },
      },
    });
    await field(page, "card-number").press("Enter");
    expect(await style(page, "#card-number-error", "color")).toBe("rgb(157, 23, 77)");
    expect(await style(page, "#pay", "background-color")).toBe("rgb(109, 40, 217)");
    expect(await style(page, "#pay", "color")).toBe("rgb(254, 254, 254)");
    expect((await page.locator(".field-box").first().boundingBox())?.height).toBe(60);
    expect(await style(page, "body", "padding-left")).toBe("9px");
    expect(await style(page, "body", "background-color")).toBe("rgb(238, 242, 255)");
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  test("never make an input too small to tap", async ({ service, browser }) => {
    const { page } = await open(service, browser, inForm({ inputHeight: "10px" }), {}, TOUCH_SCREEN);
    expect((await page.locator(".field-box").first().boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.context().close();
  });

  test("for the pay button have a green default", async ({ service, browser }) => {
    const { page } = await open(service, browser, {});
    expect(await style(page, "#pay", "background-color")).toBe("rgb(21, 128, 61)");
    await page.context().close();
  });
});

describe("floating labels", () => {
  const FLOATING = inForm({ labelStyle: "floating" });
  const labelOf = (page: Page) => page.locator('label[for="card-holder-name"]');

  test.for([320, 1280])(
    "stand in their empty inputs at %i px and above what is typed",
    async (width, { service, browser }) => {
      const { page, pageErrors } = await open(
        service,
        browser,
        FLOATING,
        {},
        { viewport: { width, height: 900 } },
      );
      const input = await field(page, "card-holder-name").boundingBox();
      const empty = await labelOf(page).evaluate((label) => label.getBoundingClientRect().height);
      expect(empty).toBeGreaterThan((input?.height ?? 0) - 4);
      await field(page, "card-holder-name").click();
      await page.keyboard.type("Ana");
      await field(page, "card-number").click();
      await expect
        .poll(() => labelOf(page).evaluate((label) => label.getBoundingClientRect().height))
        .toBe(26);
      expect(await axeViolations(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  test("stand above what was typed before the page's script arrives", async ({ service, browser }) => {
    const { page } = await openPage(browser);
    // The script never arrives.
    await page.route("**/assets/*.js", () => {});
    await page.goto(await addressOf(service, FLOATING), { waitUntil: "commit" });
    await field(page, "card-holder-name").focus();
    await page.keyboard.type("Ana");
    await field(page, "card-number").focus();
    // The label moves there with an animation, so the test waits.
    await expect.poll(async () => (await labelOf(page).boundingBox())?.height).toBe(26);
    await page.context().close();
  });
});

describe("a web font", () => {
  test("is loaded from the embedding page's origin and no other", async ({ service, browser }) => {
    const fontRequests: string[] = [];
    const shop = createServer((request, response) => {
      if (request.url?.endsWith(".woff2")) {
        fontRequests.push(request.url);
        response.setHeader("access-control-allow-origin", "*").end("no font");
      } else {
        response.setHeader("content-type", "text/html").end("<!doctype html><title>Shop</title><body>");
      }
    });
    await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    try {
      const theme = (src: string) => ({
        fonts: [{ family: "Larkspur", src }],
        ...inForm({ fontFamily: "Larkspur, serif" }),
      });
      const { page, pageErrors } = await openPage(browser);
      const documentHeaders: Record<string, string>[] = [];
      page.on("response", async (response) => {
        if (response.request().resourceType() === "document" && response.url().startsWith(service.url)) {
          documentHeaders.push(await response.allHeaders());
        }
      });
      const embed = async (src: string) => {
        await page.goto(origin);
        const address = await addressOf(service, theme(src));
        await page.evaluate((url) => {
          const frame = document.createElement("iframe");
          frame.referrerPolicy = "origin";
          frame.src = url;
          document.body.append(frame);
        }, address);
        await page.frameLocator("iframe").locator("#card-number").waitFor();
      };
      await embed(`${origin}/larkspur.woff2`);
      await expect.poll(() => fontRequests).toEqual(["/larkspur.woff2"]);
      expect(documentHeaders.at(-1)?.["content-security-policy"]).toContain(`font-src ${origin}`);
      await embed(`${service.url}/larkspur.woff2`);
      expect(documentHeaders.at(-1)?.["content-security-policy"]).not.toContain("font-src");
      expect(pageErrors).toEqual([]);
      await page.context().close();
    } finally {
      shop.close();
    }
  });
});

describe("the color mode", () => {
  test("follows the system if the merchant chose that, and is stored", async ({ service, browser }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage(browser, { colorScheme });
      await page.goto(`${service.url}/healthz`);
      const address = await addressOf(service, {}, { color_mode: "system" });
      await page.setContent(`<iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`);
      const form = page.frameLocator("iframe");
      await form.locator("#card-number").waitFor();
      const root = form.locator(":root");
      expect(await root.getAttribute("data-color-mode")).toBe("system");
      const background = await form
        .locator(".field-box")
        .first()
        .evaluate((box) => getComputedStyle(box).backgroundColor);
      expect(background).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(31, 41, 55)");
      await expect
        .poll(() => root.evaluate(() => localStorage.getItem("cardform-color-mode")))
        .toBe("system");
      await page.context().close();
    }
  });
});
