// The parent changes the form's language, and nothing that was typed is lost.

import { describe, expect } from "vitest";
import arabic from "../../locales/ar-SA.json" with { type: "json" };
import french from "../../locales/fr-FR.json" with { type: "json" };
import indonesian from "../../locales/in-ID.json" with { type: "json" };
import japanese from "../../locales/ja-JP.json" with { type: "json" };
import { type EmbeddedForm, openEmbedded } from "../src/form-page.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** How long a charge may take on a busy machine, device data included. */
const ANSWER_MS_MAX = 20_000;

const change = (locale: string) => ({ type: "language-change", locale });

async function label({ form }: EmbeddedForm) {
  return form.locator("label[for=card-number]").textContent();
}

describe("a change of the language", () => {
  test("keeps what was typed, the caret, the focus and the states", async ({
    service,
    browser,
    merchant,
  }) => {
    const open = await openEmbedded(service, browser, merchant);
    const { form, page, post, pageErrors } = open;
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await field(form, "card-expiry").click();
    await page.keyboard.type("1320");
    await field(form, "card-number").click();
    await page.keyboard.type("42424242");
    await page.keyboard.press("ArrowLeft");
    const before = await formState(open);
    expect(fetched.filter((path) => path.startsWith("/locales/") && !path.endsWith("/en-US.json"))).toEqual(
      [],
    );

    await post(change("ar-SA"));
    await expect.poll(() => label(open)).toBe(arabic.card_number);
    expect(await formState(open)).toEqual(before);
    const root = form.locator("html");
    expect(await root.getAttribute("lang")).toBe("ar-SA");
    expect(await root.getAttribute("dir")).toBe("rtl");
    expect(await form.locator("title").textContent()).toBe(arabic.pay_with_card);
    expect(await field(form, "card-expiry-error").textContent()).toBe(arabic.CardExpiry_MonthOutOfRange);
    await page.keyboard.type("7");
    expect(await field(form, "card-number").inputValue()).toBe("4242 4247 2");

    // After two changes at once the form has the later language, here the first one again.
    await post(change("ja-JP"), change("en-US"));
    await expect.poll(() => label(open)).toBe("Card number");
    expect(await root.getAttribute("dir")).toBe("ltr");
    expect(pageErrors).toEqual([]);
  });

  test("falls back to the language part; an unknown language is ignored", async ({
    service,
    browser,
    merchant,
  }) => {
    const open = await openEmbedded(service, browser, merchant);
    const { form, page, post, pageErrors } = open;
    const warnings: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    await post(change("fr-CA"));
    await expect.poll(() => label(open)).toBe(french.card_number);
    expect(await form.locator("html").getAttribute("lang")).toBe("fr-FR");

    await post(change("in_ID"));
    await expect.poll(() => label(open)).toBe(indonesian.card_number);
    await post(change("fr_CA"));
    await expect.poll(() => label(open)).toBe(french.card_number);

    await post(change("xx-XX"));
    await expect.poll(() => warnings.length).toBe(1);
    await post(change("../../v1/pub/ip?"));
    await expect.poll(() => warnings.length).toBe(2);
    expect(await label(open)).toBe(french.card_number);
    expect(pageErrors).toEqual([]);
  });

  test("a locale option without texts is reported on the console", async ({ service, browser, merchant }) => {
    const open = await openEmbedded(service, browser, merchant, { locale: "ku-TR" });
    const warnings: string[] = [];
    open.page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    await expect.poll(() => warnings.join()).toContain("no texts for the locale of the options");
    expect(warnings.join()).toContain("en-US");
    expect(await label(open)).toBe("Card number");
  });

  test("whose file fails is reported on the console, and a retry works", async ({
    service,
    browser,
    merchant,
  }) => {
    const open = await openEmbedded(service, browser, merchant);
    const { page, post, pageErrors } = open;
    await page.route("**/locales/*/fr-FR.json", (route) => route.fulfill({ status: 503 }));
    await post(change("fr-FR"));
    await expect.poll(() => pageErrors.join()).toContain("Failed locale loading");
    expect(await label(open)).toBe("Card number");

    await page.unroute("**/locales/*/fr-FR.json");
    await post(change("fr-FR"));
    await expect.poll(() => label(open)).toBe(french.card_number);
    expect(pageErrors.splice(0)).toHaveLength(1);
  });

  test("is kept in the address, the cookie and a reloaded page", async ({ service, browser, merchant }) => {
    const open = await openEmbedded(service, browser, merchant);
    const before = await addressOf(open);
    await open.post(change("ja-JP"));
    await expect.poll(() => label(open)).toBe(japanese.card_number);
    expect(await addressOf(open)).toEqual({ ...before, pathname: "/ja-JP" });
    const cookies = await open.page.context().cookies(service.url);
    expect(cookies.find(({ name }) => name === "i18n_redirected")?.value).toBe("ja-JP");
    await open.form.locator("html").evaluate(() => window.location.reload());
    await expect.poll(() => label(open)).toBe(japanese.card_number);
  });

  test("changes the language of the messages to the parent, too", async ({ service, browser, merchant }) => {
    const open = await openEmbedded(service, browser, merchant);
    const { form, page, post, received, created } = open;
    await post(change("fr-FR"));
    await expect.poll(() => label(open)).toBe(french.card_number);
    await typeCard(form, page, CARDS.declined);
    await post({ type: "submit-ready", client_secret: created.client_secret });
    const results = async () => (await received()).filter(({ type }) => type === "processing-result");
    await expect.poll(async () => (await results()).length, { timeout: ANSWER_MS_MAX }).toBe(1);
    expect((await results())[0]).toMatchObject({ success: false, message: french.use_another_card });
  });
});

/** The parts of the form's state that a change of the language must not change. */
async function formState({ form }: EmbeddedForm) {
  return form.locator("html").evaluate((root) => ({
    focus: root.ownerDocument.activeElement?.id,
    fields: [...root.querySelectorAll("input")].map((input) => ({
      id: input.id,
      value: input.value,
      caret: [input.selectionStart, input.selectionEnd],
      state: input.dataset.state,
    })),
  }));
}

/** The path and query of the form's page. */
async function addressOf({ form }: EmbeddedForm) {
  return form.locator("html").evaluate(() => {
    const { pathname, search } = window.location;
    return { pathname, search };
  });
}
