// The merchant changes the open form with the SDK: look, options, amount, focus, content. Nothing typed is lost. The
// merchant's page is on another origin and has a policy that allows nothing but Cardform.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import type { CreatedCharge } from "../../form/generated/wire.ts";
import type { Cardform, FormContent, MountOptions } from "../../sdk/js/src/index.ts";
import { DESKTOP, openPage, PHONE } from "../src/browser.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, startAndStop } from "../src/test.ts";

/** How long a charge may take on a busy machine. */
const ANSWER_MS_MAX = 20_000;

interface ShopWindow {
  readonly cardform: Cardform;
  readonly changes: FormContent[];
  readonly loads: number;
}

/** A shop whose page may do nothing but show Cardform, and whose server hands out client secrets of its charge. */
interface StrictShop {
  readonly url: string;
  readonly stop: () => void;
  /** Serves this charge of this service, with these options of `mount`. */
  readonly show: (service: Service, charge: CreatedCharge, options?: Partial<MountOptions>) => void;
}

async function startStrictShop(): Promise<StrictShop> {
  let shown: { service: Service; charge: CreatedCharge; options: Partial<MountOptions> } | undefined;
  const server = createServer(async (request, response) => {
    const { service, charge, options } = shown ?? fail("no charge is shown");
    if (request.url === "/client-secret") {
      response.end(await service.merchant.freshClientSecret(charge.id));
    } else if (request.url === "/shop.js") {
      const given = JSON.stringify({ payload: charge.payload, ...options });
      response.setHeader("content-type", "text/javascript").end(`
        import { mount } from "${service.url}/sdk/cardform.js";
        const clientSecret = async () => (await fetch("/client-secret")).text();
        const cardform = mount("main", { ...${given}, clientSecret });
        Object.assign(window, { cardform, changes: [], loads: 0 });
        cardform.on("change", (content) => window.changes.push(content));
        cardform.on("load", () => { window.loads += 1; });
      `);
    } else {
      const policy =
        `default-src 'none'; script-src 'self' ${service.url}; frame-src ${service.url}; ` +
        `connect-src 'self' ${service.url}; img-src data:`;
      response
        .setHeader("content-security-policy", policy)
        .setHeader("content-type", "text/html")
        .end(
          '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">' +
            '<main></main><script type="module" src="/shop.js"></script></html>',
        );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => server.close(),
    show: (service, charge, options = {}) => {
      shown = { service, charge, options };
    },
  };
}

function fail(why: string): never {
  throw new Error(why);
}

const test = base.extend("shop", { scope: "file" }, startAndStop(startStrictShop));

interface OpenShop {
  readonly page: Page;
  readonly form: FrameLocator;
  readonly pageErrors: string[];
  readonly charge: CreatedCharge;
}

async function openShop(
  { service, browser, shop }: { service: Service; browser: Browser; shop: StrictShop },
  options: Partial<MountOptions> = {},
  viewport = DESKTOP,
): Promise<OpenShop> {
  const charge = await service.merchant.createCharge();
  shop.show(service, charge, options);
  const { page, pageErrors } = await openPage(browser, { viewport });
  await page.goto(shop.url);
  await page.waitForFunction(() => (window as unknown as ShopWindow).loads > 0);
  return { page, form: formIn(page), pageErrors, charge };
}

/** What the form holds, as the shop heard it last. */
const content = (page: Page) => page.evaluate(() => (window as unknown as ShopWindow).changes.at(-1));

describe("a form that changes in place", () => {
  test("is paid with the amount after the change, and what was typed stays", async ({
    service,
    browser,
    shop,
  }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors, charge } = await openShop(fixtures);
    await typeCard(form, page, CARDS.approved);
    await field(form, "card-number").focus();
    await page.keyboard.press("Home");
    await service.merchant.changeCharge(charge.id, { amount_value: "15.00", item_name: "120 gems" });
    expect(await page.evaluate(() => (window as unknown as ShopWindow).cardform.refresh())).toBe(true);
    expect(await field(form, "card-number").inputValue()).toBe("4242 4242 4242 4242");
    expect(await form.locator(":focus").getAttribute("id")).toBe("card-number");
    const result = await page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(result).toEqual({ status: "succeeded" });
    const paid = (await service.ledger()).find(({ charge_id }) => charge_id === charge.id);
    expect(paid).toMatchObject({ amount_value: "15.00", outcome: "approved" });
    expect(await page.evaluate(() => (window as unknown as ShopWindow).loads)).toBe(1);
    // A paid form does not change any more.
    expect(await page.evaluate(() => (window as unknown as ShopWindow).cardform.refresh())).toBe(false);
    expect(pageErrors).toEqual([]);
  });

  test("pays nothing if it still shows the amount before the change", async ({ service, browser, shop }) => {
    const fixtures = { service, browser, shop };
    const { page, form, charge } = await openShop(fixtures);
    await typeCard(form, page, CARDS.approved);
    await service.merchant.changeCharge(charge.id, { amount_value: "15.00" });
    const submit = () => page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(await submit()).toMatchObject({ status: "failed", errorCode: "client-secret-foreign" });
    expect((await service.merchant.charge(charge.id)).status).toBe("created");
    await page.evaluate(() => (window as unknown as ShopWindow).cardform.refresh());
    expect(await submit()).toEqual({ status: "succeeded" });
    expect((await service.merchant.charge(charge.id)).amount_value).toBe("15.00");
  });

  test("shows another charge's payload as a new form", async ({ service, browser, shop }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors } = await openShop(fixtures);
    await field(form, "card-number").click();
    await page.keyboard.type("4242");
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    shop.show(service, other);
    await page.evaluate(
      (payload) => (window as unknown as ShopWindow).cardform.refresh({ payload }),
      other.payload,
    );
    expect(await page.evaluate(() => (window as unknown as ShopWindow).loads)).toBe(2);
    await expect.poll(() => field(form, "card-number").inputValue()).toBe("");
    await typeCard(form, page, CARDS.approved);
    const result = await page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(result).toEqual({ status: "succeeded" });
    expect((await service.merchant.charge(other.id)).status).toBe("succeeded");
    expect(pageErrors).toEqual([]);
  });

  test("shows another charge's payload after its charge was canceled", async ({ service, browser, shop }) => {
    const fixtures = { service, browser, shop };
    const { page, form, charge, pageErrors } = await openShop(fixtures);
    const refresh = (payload: string) =>
      page.evaluate((payload) => (window as unknown as ShopWindow).cardform.refresh({ payload }), payload);
    await service.merchant.cancel(charge.id);
    await page.reload();
    await form.locator("#outcome[data-status=canceled]").waitFor();
    expect(await refresh(charge.payload)).toBe(false);
    const other = await service.merchant.createCharge({ amount_value: "99.00" });
    shop.show(service, other);
    expect(await refresh(other.payload)).toBe(true);
    expect(await page.evaluate(() => (window as unknown as ShopWindow).loads)).toBe(2);
    await typeCard(form, page, CARDS.approved);
    const result = await page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(result).toEqual({ status: "succeeded" });
    expect((await service.merchant.charge(other.id)).status).toBe("succeeded");
    expect(pageErrors).toEqual([]);
  });

  test("takes on another look, and asks for more, with what was typed", async ({
    service,
    browser,
    shop,
  }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors } = await openShop(fixtures);
    await typeCard(form, page, CARDS.mastercard);
    const changed = await page.evaluate(() =>
      (window as unknown as ShopWindow).cardform.update({
        customStyle: { children: { cardForm: { titleColor: "#b00020", inputHeight: "56px" } } },
        options: {
          showCardholderName: true,
          showCardholderEmail: true,
          cardholderName: "Ana Sol",
          cardholderEmail: "ana@example.com",
          cardholderEmailReadOnly: true,
        },
      }),
    );
    expect(changed).toBe(true);
    const title = form.locator("#card-form-title");
    const color = () => title.evaluate((element) => getComputedStyle(element).color);
    await expect.poll(color).toBe("rgb(176, 0, 32)");
    const box = form.locator(".field-card-number .field-box");
    expect((await box.boundingBox())?.height).toBe(56);
    expect(await field(form, "card-number").inputValue()).toBe("5555 5555 5555 4444");
    expect(await field(form, "card-holder-name").inputValue()).toBe("Ana Sol");
    const email = field(form, "card-holder-email");
    expect(await email.inputValue()).toBe("ana@example.com");
    expect(await email.getAttribute("readonly")).not.toBeNull();
    await saveScreenshot(page, "in-place-changed");
    await page.setViewportSize(PHONE);
    await saveScreenshot(page, "in-place-changed-phone");
    const result = await page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(result).toEqual({ status: "succeeded" });
    expect(pageErrors).toEqual([]);
  });

  test("does not fill a field again that the shopper has emptied", async ({ service, browser, shop }) => {
    const options = { showCardholderName: true, cardholderName: "Ana Sol" };
    const { page, form } = await openShop({ service, browser, shop }, { options });
    const name = field(form, "card-holder-name");
    await name.fill("");
    const changed = (options: MountOptions["options"]) =>
      page.evaluate(
        (options) => (window as unknown as ShopWindow).cardform.update({ options: options ?? {} }),
        options,
      );
    expect(await changed({ ...options, hideTitle: true })).toBe(true);
    expect(await name.inputValue()).toBe("");
    expect(await changed({ ...options, cardholderName: "Bo Lund" })).toBe(true);
    expect(await name.inputValue()).toBe("Bo Lund");
  });

  test.for([
    ["12.50", "12,50 $US"],
    ["15.00", "15,00 $US"],
  ] as const)(
    "says in its new language that %s is paid",
    async ([amount, text], { service, browser, shop }) => {
      const { page, form, charge } = await openShop({ service, browser, shop });
      await page.evaluate(() => (window as unknown as ShopWindow).cardform.setLocale("fr-FR"));
      await expect.poll(() => form.locator("html").getAttribute("lang")).toBe("fr-FR");
      if (amount !== "12.50") {
        await service.merchant.changeCharge(charge.id, { amount_value: amount });
        expect(await page.evaluate(() => (window as unknown as ShopWindow).cardform.refresh())).toBe(true);
      }
      await typeCard(form, page, CARDS.approved);
      await page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
      const outcome = form.locator("#outcome .outcome-text");
      // Browsers use different narrow spaces in French amounts.
      await expect.poll(async () => (await outcome.textContent())?.replaceAll(/\s/g, " ")).toContain(text);
    },
  );

  test("has the merchant's words, in the language that it changes to, too", async ({
    service,
    browser,
    shop,
  }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors } = await openShop(fixtures, {
      locale: "en-US",
      options: { texts: { card_number: "Your card", "fr-FR": { card_number: "Votre carte" } } },
    });
    const label = () => form.locator("label[for=card-number]").textContent();
    expect(await label()).toBe("Your card");
    await page.evaluate(() =>
      (window as unknown as ShopWindow).cardform.update({ locale: "fr-FR", options: { hideTitle: true } }),
    );
    await expect.poll(label).toBe("Votre carte");
    expect(await form.locator("html").getAttribute("dir")).toBe("ltr");
    const title = form.locator("#card-form-title");
    await expect.poll(async () => (await title.boundingBox())?.height).toBeLessThan(2);
    await saveScreenshot(page, "in-place-no-title");
    expect(pageErrors).toEqual([]);
  });

  test("is dark, from right to left and disabled as the merchant says", async ({
    service,
    browser,
    shop,
  }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors } = await openShop(fixtures, {}, PHONE);
    await typeCard(form, page, CARDS.approved);
    await page.evaluate(() =>
      (window as unknown as ShopWindow).cardform.update({
        locale: "ar-SA",
        disabled: true,
        options: { colorMode: "dark" },
      }),
    );
    await expect.poll(() => form.locator("html").getAttribute("dir")).toBe("rtl");
    await expect.poll(() => form.locator("html").getAttribute("data-color-mode")).toBe("dark");
    await page.evaluate(() =>
      (window as unknown as ShopWindow).cardform.update({ options: { colorMode: "system" } }),
    );
    expect(await form.locator("html").getAttribute("data-color-mode")).toBe("dark");
    await expect.poll(() => field(form, "card-number").isDisabled()).toBe(true);
    await saveScreenshot(page, "in-place-dark-rtl-phone");
    const submit = () => page.evaluate(() => (window as unknown as ShopWindow).cardform.submit());
    expect(await submit()).toEqual({ status: "not-ready" });
    await page.evaluate(() => (window as unknown as ShopWindow).cardform.update({ disabled: false }));
    await expect.poll(() => field(form, "card-number").isEnabled()).toBe(true);
    expect(await submit()).toEqual({ status: "succeeded" });
    expect(pageErrors).toEqual([]);
  });
});

describe("the content of a form", () => {
  test("is told without a digit; the shop moves the focus and empties it", async ({
    service,
    browser,
    shop,
  }) => {
    const fixtures = { service, browser, shop };
    const { page, form, pageErrors } = await openShop(fixtures);
    await expect
      .poll(() => content(page), { timeout: ANSWER_MS_MAX })
      .toMatchObject({
        brand: "",
        complete: false,
        empty: true,
        errors: {},
      });
    await page.evaluate(() => (window as unknown as ShopWindow).cardform.focus("card-expiry"));
    await expect.poll(() => form.locator(":focus").getAttribute("id")).toBe("card-expiry");
    await page.keyboard.type("1320");
    await expect
      .poll(() => content(page))
      .toMatchObject({ empty: false, errors: { "card-expiry": "CardExpiry_MonthOutOfRange" } });
    await typeCard(form, page, CARDS.approved);
    await expect
      .poll(() => content(page))
      .toEqual({
        brand: "visa",
        complete: true,
        empty: false,
        errors: {},
        fields: {
          "card-number": { complete: true, empty: false },
          "card-expiry": { complete: true, empty: false },
          "card-security-code": { complete: true, empty: false },
        },
      });
    const all = await page.evaluate(() => (window as unknown as ShopWindow).changes);
    expect(JSON.stringify(all)).not.toMatch(/\d/);
    await page.evaluate(() => (window as unknown as ShopWindow).cardform.clear());
    await expect.poll(() => content(page)).toMatchObject({ empty: true, brand: "" });
    expect(await field(form, "card-number").inputValue()).toBe("");
    expect(pageErrors).toEqual([]);
  });
});
