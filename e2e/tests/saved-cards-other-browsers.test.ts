// Saved cards and the card page in Firefox and in WebKit. The browser's driver presses the keys.

import { expect } from "vitest";

import type { CreateCharge } from "../../form/generated/wire.ts";
import { inOtherBrowsers, test } from "../src/other-browsers.ts";
import { saveCard, savedCardsCharge } from "../src/save-card.ts";
import type { Service } from "../src/service.ts";
import { CARDS } from "../src/shopper.ts";
import { Key } from "../src/webdriver.ts";

inOtherBrowsers((window) => {
  /** Opens the payment page of a new charge and waits until it shows saved cards or the new-card form. */
  async function open(service: Service, charge: Partial<CreateCharge>) {
    const created = await service.merchant.createCharge(charge);
    await window().open(created.url);
    await waitFor(".saved-card-radio, #card-number");
    return created;
  }

  const waitFor = (selector: string) =>
    window().until("return document.querySelector(arguments[0]) !== null", selector);
  const waitUntilGone = (selector: string) =>
    window().until("return document.querySelector(arguments[0]) === null", selector);
  const count = (selector: string) =>
    window().run<number>("return document.querySelectorAll(arguments[0]).length", selector);
  const text = (selector: string) =>
    window().run<string>("return document.querySelector(arguments[0]).textContent", selector);
  const focused = () => window().run<string>("return document.activeElement.id");
  const paid = () => waitFor("#outcome[data-status=succeeded]");

  async function approvals(service: Service, chargeId: string) {
    const entries = (await service.ledger()).filter((entry) => entry.charge_id === chargeId);
    return entries.filter((entry) => entry.outcome === "approved");
  }

  test("a saved card is offered the next time, and pays with its code", async ({ service }) => {
    const charge = savedCardsCharge();
    await open(service, charge);
    await window().click("#save-card");
    await window().click("#card-number");
    await window().type(`${CARDS.approved}1234123${Key.ENTER}`);
    await paid();
    const created = await open(service, charge);
    expect(await text(".saved-card[data-selected=true] .saved-card-name")).toBe("Visa •••• 4242");
    expect(await count("#card-number")).toBe(0);

    await window().click("#pay");
    await waitFor("[id$=-security-code][data-state=Empty]");
    expect(await focused()).toMatch(/-security-code$/);
    await window().type(`123${Key.ENTER}`);
    await paid();
    expect(await approvals(service, created.id)).toHaveLength(1);
  });

  test("choosing another card, or a new one, forgets the security code", async ({ service }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.mastercard);
    await open(service, charge);
    expect(await count(".saved-card-radio")).toBe(2);
    const code = () => window().run<string>("return document.querySelector('[id$=-security-code]').value");
    await window().click("[id$=-security-code]");
    await window().type("123");
    expect(await code()).toBe("123");
    await window().click(".saved-card:not([data-selected=true]) .saved-card-choice");
    expect(await code()).toBe("");
    await window().click("[id$=-security-code]");
    await window().type("123");
    await window().click("#pay-with-new-card");
    expect(await focused()).toBe("card-number");
    await window().click("#pay-with-saved-card");
    expect(await code()).toBe("");
  });

  test("a removed card is gone the next time; removing asks first", async ({ service }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    await saveCard(service, charge, CARDS.mastercard);
    await open(service, charge);
    await window().click("[id$=-remove]");
    await waitFor("#remove-card-dialog[open]");
    expect(await text("#remove-card-message")).toContain("4444");
    await window().click("#remove-card-cancel");
    await waitUntilGone("#remove-card-dialog");
    expect(await count(".saved-card-radio")).toBe(2);
    expect(await focused()).toMatch(/-remove$/);

    await window().click("[id$=-remove]");
    await waitFor("#remove-card-dialog[open]");
    await window().click("#remove-card-confirm");
    await waitFor("#card-removed");
    expect(await text("#card-removed")).toBe("Card deleted successfully.");
    expect(await count(".saved-card-radio")).toBe(1);
    expect(await focused()).toMatch(/^saved-card-/);
    await waitUntilGone("#card-removed");

    await window().click("[id$=-remove]");
    await waitFor("#remove-card-dialog[open]");
    await window().type(Key.ESCAPE);
    await waitUntilGone("#remove-card-dialog");
    expect(await count(".saved-card-radio")).toBe(1);

    await open(service, charge);
    expect(await count(".saved-card-radio")).toBe(1);
    expect(await text(".saved-card-name")).toBe("Visa •••• 4242");
  });

  test("a link with another charge's client secret lists no card", async ({ service }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const created = await service.merchant.createCharge(charge);
    const other = await service.merchant.createCharge(savedCardsCharge());
    const url = new URL(created.url);
    url.hash = new URLSearchParams({ client_secret: other.client_secret }).toString();
    await window().open(url.href);
    await waitFor("#outcome[data-status=unusable_link]");
    expect(await text("#outcome")).toContain("This form belongs to another payment.");
    expect(await count(".saved-card-radio")).toBe(0);
    expect(await count("#card-number")).toBe(0);
  });

  test("on the card page a card is named, renewed, added and removed", async ({ service }) => {
    const charge = savedCardsCharge();
    const today = new Date();
    const thisMonth = String(today.getMonth() + 1).padStart(2, "0") + String(today.getFullYear()).slice(2);
    await saveCard(service, charge, CARDS.approved, "123", thisMonth);
    const session = await fetch(`${service.url}/v1/shoppers/${charge.shopper_id}/card-sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.secretKey}` },
    });
    await window().open(((await session.json()) as { url: string }).url);
    await waitFor("li.saved-card");
    // The page's calendar, and nothing else, is two months ahead.
    await window().run(
      "const Today = Date; window.Date = class extends Today {" +
        "constructor(...parts) { parts.length ? super(...parts) : super(Today.now() + 62 * 86_400_000) } }",
    );
    await window().click("[id$=-rename]");
    await window().until("return document.activeElement.id.endsWith('-name')");
    await window().type(`Travel${Key.ENTER}`);
    await waitFor(".own-card-nickname");
    expect(await text(".own-card-nickname")).toBe("Travel ");

    await window().click("[id$=-renew]");
    await window().until("return document.activeElement.id.endsWith('-expiry')");
    await window().type(`1235123${Key.ENTER}`);
    await waitFor("li.saved-card:not([data-expired=true])");
    expect(await text(".own-card-facts")).toContain("12/35");

    await window().click("#add-card");
    await waitFor("#card-number");
    await window().type(`${CARDS.mastercard}1234123${Key.ENTER}`);
    await waitFor("li.saved-card + li.saved-card");
    await window().click("li.saved-card:first-child .own-card-remove");
    await waitFor("#remove-card-dialog[open]");
    await window().click("#remove-card-confirm");
    await waitUntilGone("li.saved-card + li.saved-card");
    expect(await text(".own-card-name")).toBe("Visa •••• 4242");

    // The next payment shows the name.
    await open(service, charge);
    expect(await text(".saved-card-nickname")).toBe("Travel ");
  });

  test("the keyboard alone pays with a saved card and with a new one", async ({ service }) => {
    const charge = savedCardsCharge();
    await saveCard(service, charge, CARDS.approved);
    const saved = await open(service, charge);
    for (let tabs = 0; !(await focused()).endsWith("-security-code"); tabs += 1) {
      expect(tabs).toBeLessThan(10);
      await window().type(Key.TAB);
    }
    await window().type(`123${Key.ENTER}`);
    await paid();
    expect(await approvals(service, saved.id)).toHaveLength(1);

    const fresh = await open(service, charge);
    for (let tabs = 0; (await focused()) !== "pay-with-new-card"; tabs += 1) {
      expect(tabs).toBeLessThan(10);
      await window().type(Key.TAB);
    }
    await window().type(Key.ENTER);
    await waitFor("#card-number");
    expect(await focused()).toBe("card-number");
    await window().type(`${CARDS.mastercard}1234123${Key.ENTER}`);
    await paid();
    expect(await approvals(service, fresh.id)).toHaveLength(1);
  });
});
