// Text that is not typed key by key: pasted, dragged, composed with an input method, dictated, autofilled, or set by a
// program.

import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { select, textWithCaret } from "../src/caret.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field } from "../src/shopper.ts";
import { test as base, browserWith } from "../src/test.ts";

/** Only the whole Chromium has autofill. */
const test = base.extend("wholeBrowser", { scope: "file" }, browserWith());

async function open(service: Service, browser: Browser, id = "card-number", options = ALL_FIELDS) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, pageErrors } = await openStandalone(service, browser, options, { permissions });
  const input = field(page, id);
  await input.focus();
  return { page, pageErrors, input };
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const state = (page: Page, id: string) => field(page, id).getAttribute("data-state");

async function paste(page: Page, text: string) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press("Control+v");
}

describe("paste and cut", () => {
  test.for([
    ["4242-4242-4242-4242", "4242 4242 4242 4242"],
    ["4242.4242.4242.4242\n", "4242 4242 4242 4242"],
    ["4242\u00a04242\u20094242\t4242", "4242 4242 4242 4242"],
    ["Card no. 1: 4242 4242 4242 4242", "4242 4242 4242 4242"],
    ["٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242 4242 4242 4242"],
    ["４２４２ ４２４２ ４２４２ ４２４２", "4242 4242 4242 4242"],
    ["378282246310005", "3782 8224 6310 005"],
  ] as const)("%j is pasted as a card number", async ([copied, expected], { service, browser }) => {
    const { page, input } = await open(service, browser);
    await paste(page, copied);
    expect(await input.inputValue()).toBe(expected);
    expect(await state(page, "card-number")).toBe("CompletedAndValid");
    expect(await focused(page)).toBe("card-expiry");
  });

  test("the end of a number can be cut and pasted at its start", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await page.keyboard.type("42425555");
    await select(input, 5, 9);
    await page.keyboard.press("Control+x");
    expect(await textWithCaret(input)).toMatch(/^4242 ?\|$/);
    await page.keyboard.press("Home");
    await page.keyboard.press("Control+v");
    expect((await textWithCaret(input)).replace(" |", "| ")).toBe("5555| 4242");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    expect(await textWithCaret(input)).toBe("4242 [5555]");
  });

  test.for([
    ["12/2034", "12 / 34"],
    ["12 / 34", "12 / 34"],
    ["2034-12", "12 / 34"],
    ["valid thru 5/34", "05 / 34"],
    ["１２／３４", "12 / 34"],
  ] as const)("%j is pasted as an expiry", async ([copied, expected], { service, browser }) => {
    const { page, input } = await open(service, browser, "card-expiry");
    await paste(page, copied);
    expect(await input.inputValue()).toBe(expected);
  });

  test("invisible characters are removed from a pasted name and email", async ({ service, browser }) => {
    const { page } = await open(service, browser, "card-holder-name");
    await paste(page, "\u200eAna\u00a0O’Hara‑Nuñez\u200f");
    expect(await field(page, "card-holder-name").inputValue()).toBe("Ana O'Hara-Nuñez");
    await field(page, "card-holder-email").focus();
    await paste(page, " ana@example.com\u200b\n");
    expect(await field(page, "card-holder-email").inputValue()).toBe("ana@example.com");
  });
});

test("a group of digits can be dragged to another place", async ({ service, browser }) => {
  const { page, input } = await open(service, browser);
  await page.keyboard.type("4242555566667777");
  await select(input, 10, 14);
  const box = await boxOf(input);
  const place = await input.evaluate((element: HTMLInputElement) => {
    const style = getComputedStyle(element);
    const context = document.createElement("canvas").getContext("2d");
    if (context === null) {
      throw new Error("no canvas");
    }
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const left = Number.parseFloat(style.paddingLeft);
    return { left, middle: left + context.measureText("4242 5555 66").width };
  });
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + place.middle, y);
  await page.mouse.down();
  await page.mouse.move(box.x + place.left + 20, y, { steps: 5 });
  await page.mouse.move(box.x + place.left, y, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => input.inputValue()).toBe("6666 4242 5555 7777");
  await page.keyboard.press("Control+z");
  expect(await input.inputValue()).toBe("4242 5555 6666 7777");
});

async function boxOf(input: Locator) {
  const box = await input.boundingBox();
  if (box === null) {
    throw new Error("the input is not on the page");
  }
  return box;
}

/** Imitates an input method: `compose` shows texts that are not final yet, `commit` enters the final text. */
function inputMethod(cdp: CDPSession) {
  return {
    compose: async (...texts: string[]) => {
      for (const text of texts) {
        const end = text.length;
        await cdp.send("Input.imeSetComposition", { text, selectionStart: end, selectionEnd: end });
      }
    },
    commit: (text: string) => cdp.send("Input.insertText", { text }),
  };
}

describe("composition", () => {
  test("full-width digits become plain digits when the composition ends", async ({ service, browser }) => {
    const { page, pageErrors, input } = await open(service, browser);
    const ime = inputMethod(await page.context().newCDPSession(page));
    await page.keyboard.type("4242");
    await ime.compose("４", "４２", "４２４２");
    expect(await input.inputValue()).toBe("4242４２４２");
    await ime.commit("４２４２");
    expect(await textWithCaret(input)).toBe("4242 4242|");
    await page.keyboard.type("42424242");
    expect(await focused(page)).toBe("card-expiry");
    expect(await input.inputValue()).toBe("4242 4242 4242 4242");
    expect(pageErrors).toEqual([]);
  });

  test("of the last digits moves the focus only when it ends", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    const ime = inputMethod(await page.context().newCDPSession(page));
    await page.keyboard.type("424242424242");
    await ime.compose("４２４２");
    expect(await state(page, "card-number")).toBe("CompletedAndValid");
    expect(await focused(page)).toBe("card-number");
    await ime.commit("４２４２");
    expect(await input.inputValue()).toBe("4242 4242 4242 4242");
    expect(await focused(page)).toBe("card-expiry");
  });

  test("in the middle of a name, as in Japanese, loses nothing", async ({ service, browser }) => {
    const { page, input } = await open(service, browser, "card-holder-name");
    const ime = inputMethod(await page.context().newCDPSession(page));
    await page.keyboard.type("AnaBell");
    await select(input, 3);
    await ime.compose("t", "た", "たn", "たなk", "たなか");
    await ime.commit("田中");
    expect(await textWithCaret(input)).toBe("Ana田中|Bell");
    await page.keyboard.press("Control+z");
    expect(await textWithCaret(input)).toBe("Ana|Bell");
  });

  test("a dead key gives its letter, and a canceled one nothing", async ({ service, browser }) => {
    const { page, input } = await open(service, browser, "card-holder-name");
    const ime = inputMethod(await page.context().newCDPSession(page));
    await page.keyboard.type("Jos");
    await ime.compose("´");
    await ime.commit("é");
    await ime.compose("´");
    await ime.compose("");
    expect(await textWithCaret(input)).toBe("José|");
  });

  test("ends when the field is left", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    const ime = inputMethod(await page.context().newCDPSession(page));
    await ime.compose("４２４２４２４２４２４２４２４２");
    await field(page, "card-expiry").click();
    expect(await input.inputValue()).toBe("4242 4242 4242 4242");
    expect(await state(page, "card-number")).toBe("CompletedAndValid");
  });

  test("dictation puts a whole number in at once", async ({ service, browser }) => {
    const { page, input } = await open(service, browser);
    await page.keyboard.insertText("4242 4242 4242 4242");
    expect(await input.inputValue()).toBe("4242 4242 4242 4242");
    expect(await focused(page)).toBe("card-expiry");
  });
});

/** A way in which a program fills in a field. */
type FillField = (input: HTMLInputElement, value: string) => void;
const WAYS_TO_FILL: [string, FillField][] = [
  [
    "a browser's autofill",
    (input, value) => {
      input.value = value;
      input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
  ],
  [
    "a password manager that sends an input event",
    (input, value) => {
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
  ],
  [
    "a password manager that sends only a change event",
    (input, value) => {
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
  ],
  [
    "a password manager that replaces the text",
    (input, value) => {
      input.focus();
      input.select();
      document.execCommand("insertText", false, value);
    },
  ],
  [
    "a program that sends no event and leaves the field",
    (input, value) => {
      input.focus();
      input.value = value;
      input.blur();
    },
  ],
];

describe("filled in by", () => {
  test.for(WAYS_TO_FILL)("%s, fields are formatted and complete", async ([_, fill], { service, browser }) => {
    const { page, pageErrors } = await open(service, browser, "card-holder-email");
    for (const [id, value, expected] of [
      ["card-number", CARDS.approved, "4242 4242 4242 4242"],
      ["card-expiry", "12/2034", "12 / 34"],
      ["card-security-code", "123", "123"],
      ["card-holder-name", "Ana Bell", "Ana Bell"],
      ["card-holder-email", "ana@example.com", "ana@example.com"],
    ] as const) {
      // The new value must replace the old one and not be mixed with it.
      await field(page, id).evaluate(fill, id === "card-number" ? "5555" : "");
      await field(page, id).evaluate(fill, value);
      expect(await field(page, id).inputValue()).toBe(expected);
      expect(await state(page, id)).toBe("CompletedAndValid");
    }
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(pageErrors).toEqual([]);
  });

  test("a program without any events, it stays while others are typed", async ({ service, browser }) => {
    const { page, input } = await open(service, browser, "card-holder-name");
    await field(page, "card-number").evaluate((input: HTMLInputElement, number) => {
      input.value = number;
    }, CARDS.approved);
    await input.pressSequentially("Ana");
    await field(page, "card-expiry").pressSequentially("1234");
    expect(await field(page, "card-number").inputValue()).toBe(CARDS.approved);
  });

  test("a program without any events, the form can pay", async ({ service, browser }) => {
    const { page } = await open(service, browser);
    for (const [id, value] of [
      ["card-number", CARDS.approved],
      ["card-expiry", "12/34"],
      ["card-security-code", "123"],
      ["card-holder-name", "Ana Bell"],
      ["card-holder-email", "ana@example.com"],
    ] as const) {
      await field(page, id).evaluate((input: HTMLInputElement, text) => {
        input.value = text;
      }, value);
    }
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");
  });
});

test("the browser's own autofill fills the card and does not move the focus", async ({
  service,
  wholeBrowser,
}) => {
  const { page, pageErrors } = await open(service, wholeBrowser, "card-number");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("DOM.getDocument");
  const { result } = await cdp.send("Runtime.evaluate", {
    expression: "document.getElementById('card-number')",
  });
  const { node } = await cdp.send("DOM.describeNode", { objectId: result.objectId ?? "" });
  await cdp.send("Autofill.trigger", {
    fieldId: node.backendNodeId,
    card: { number: CARDS.approved, name: "Ana Bell", expiryMonth: "12", expiryYear: "2034", cvc: "123" },
  });
  await expect.poll(() => state(page, "card-number")).toBe("CompletedAndValid");
  expect(await field(page, "card-number").inputValue()).toBe("4242 4242 4242 4242");
  expect(await field(page, "card-expiry").inputValue()).toBe("12 / 34");
  expect(await field(page, "card-security-code").inputValue()).toBe("123");
  expect(await field(page, "card-holder-name").inputValue()).toBe("Ana Bell");
  expect(await focused(page)).toBe("card-number");
  expect(pageErrors).toEqual([]);
});
