// The form tells its parent once about each action in a field, and never the field's value (docs/messages.md#field-actions).

import { describe, expect } from "vitest";

import { type EmbeddedForm, openEmbedded } from "../src/form-page.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The service is not shared, because the last test reads the whole ledger. */
const test = base.extend("service", { scope: "file" }, serviceWith());

async function actions({ received }: EmbeddedForm) {
  const messages = await received();
  return messages.flatMap(({ type, action, field: id }) =>
    type === "field-action" ? [`${action} ${id}`] : [],
  );
}

const VISIBLE_ACTIONS = ["card-number", "card-expiry", "card-security-code"].map(
  (id) => `cardFormInputVisible ${id}`,
);

describe("the parent is told", () => {
  test("that a field was focused, changed, left or wrong, never its value", async ({
    service,
    browser,
    merchant,
  }) => {
    const embedded = await openEmbedded(service, browser, merchant);
    const { page, form, received } = embedded;
    await expect.poll(async () => (await actions(embedded)).sort()).toEqual([...VISIBLE_ACTIONS].sort());
    await field(form, "card-number").focus();
    await page.keyboard.type("42");
    await page.keyboard.press("Tab");
    await expect
      .poll(async () => (await actions(embedded)).filter((action) => action.endsWith("card-number")))
      .toEqual([
        "cardFormInputVisible card-number",
        "cardFormInputFocused card-number",
        "cardFormInputChanged card-number",
        "cardFormInputChanged card-number",
        "cardFormInputBlurred card-number",
        "cardFormInputError card-number",
      ]);
    for (const message of await received()) {
      expect(message.type === "field-action" ? Object.keys(message).sort() : []).toEqual(
        message.type === "field-action" ? ["action", "field", "frame", "source", "type", "version"] : [],
      );
    }
  });

  test("once that a field is visible when the page is scrolled to it", async ({
    service,
    browser,
    merchant,
  }) => {
    const embedded = await openEmbedded(service, browser, merchant, {}, { top: 3000 });
    const { page } = embedded;
    expect(await actions(embedded)).toEqual([]);
    for (let time = 0; time < 2; time++) {
      await page.locator("iframe").scrollIntoViewIfNeeded();
      await expect.poll(async () => (await actions(embedded)).sort()).toEqual([...VISIBLE_ACTIONS].sort());
      await page.evaluate(() => window.scrollTo(0, 0));
    }
  });
});

describe("Enter in the frame", () => {
  test("shows what is missing, and asks to submit once the form is ready", async ({
    service,
    browser,
    merchant,
  }) => {
    const embedded = await openEmbedded(service, browser, merchant);
    const { page, form, received } = embedded;
    const requests = async () => (await received()).filter(({ type }) => type === "submit-requested").length;
    await field(form, "card-number").press("Enter");
    await expect.poll(() => field(form, "card-expiry").getAttribute("data-state")).toBe("Empty");
    await typeCard(form, page, CARDS.approved);
    expect(await requests()).toBe(0);
    await page.keyboard.press("Enter");
    await expect.poll(requests).toBe(1);
    expect(await service.ledger()).toEqual([]);
  });
});
