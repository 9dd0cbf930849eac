// The choice between two networks in Firefox and in WebKit. The browser's driver presses the keys.

import { expect } from "vitest";

import { inOtherBrowsers, test } from "../src/other-browsers.ts";
import { CARDS } from "../src/shopper.ts";
import { Key } from "../src/webdriver.ts";

inOtherBrowsers((window) => {
  const focused = () => window().run<string>("return document.activeElement.id");
  const waitFor = (selector: string) =>
    window().until("return document.querySelector(arguments[0]) !== null", selector);

  test.for(["en-US", "ar-SA"])("the keyboard alone chooses a network in %s", async (locale, { service }) => {
    const created = await service.merchant.createCharge();
    const url = new URL(created.url);
    url.searchParams.set("options", JSON.stringify({ locale }));
    await window().open(url.href);
    await window().until("return window.cardformVersion !== undefined");
    await window().click("#card-number");
    await window().type(CARDS.cartesBancairesAndVisa);
    await waitFor("#card-number-network-cb:checked");
    expect(await focused()).toBe("card-expiry");
    // Back to the number, and then from there to the choice.
    await window().click("#card-number");
    await window().type(Key.TAB);
    expect(await focused()).toBe("card-number-network-cb");
    await window().type(Key.ARROW_DOWN);
    await waitFor("#card-number-network-visa:checked");
    expect(await focused()).toBe("card-number-network-visa");
    await window().type(Key.ARROW_UP);
    await waitFor("#card-number-network-cb:checked");
    const ring = "return getComputedStyle(document.activeElement).outlineStyle";
    expect(await window().run<string>(ring)).toBe("solid");
    await window().type(`${Key.TAB}1234123${Key.ENTER}`);
    await waitFor("#outcome[data-status=succeeded]");
    expect((await service.merchant.charge(created.id)).paid_with?.network).toBe("cb");
  });
});
