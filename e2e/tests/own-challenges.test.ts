// A merchant's page that shows the bank's 3-D Secure challenge itself, with `onChallenge`.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { describe, expect } from "vitest";

import type { CreatedCharge } from "../../form/generated/wire.ts";
import type { Challenge, ChallengeEnd, SubmitResult } from "../../sdk/js/src/index.ts";
import { openPage } from "../src/browser.ts";
import type { Service } from "../src/service.ts";
import { CARDS, field, formIn, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith, startAndStop } from "../src/test.ts";

/** How long a charge may take on a busy machine. */
const ANSWER_MS_MAX = 20_000;

interface OwnChallengeWindow {
  readonly challenges: Challenge[];
  readonly ends: ChallengeEnd[];
  readonly results: SubmitResult[];
}

/** Ways in which a page can take the challenge. */
const HANDLERS = {
  shows: "async (challenge) => { challenges.push(challenge); ends.push(await challenge.mount(bank)); }",
  keeps: "(challenge) => { challenges.push(challenge); }",
  declines: "async () => false",
  fails: "async () => { throw new Error('the shop has a fault'); }",
} as const;

/** A page that gives React's component this handler, and later another one. */
const IN_REACT = `
  import { CardForm } from "@cardform/react";
  import { createElement, useState } from "react";
  import { createRoot } from "react-dom/client";
  const [challenges, ends, results] = [[], [], []];
  Object.assign(window, { challenges, ends, results });
  const bank = document.querySelector("#bank");
  function Shop() {
    const [later, setLater] = useState(false);
    window.useLater = () => setLater(true);
    const onChallenge = later
      ? async (challenge) => { challenges.push(challenge); ends.push(await challenge.mount(bank)); }
      : () => { throw new Error("an old function was called"); };
    const ref = (form) => { document.querySelector("#pay").onclick = async () => results.push(await form.submit()); };
    return createElement(CardForm, { ...window.given, ref, onChallenge });
  }
  createRoot(document.querySelector("main")).render(createElement(Shop));
`;

/** The script of that page, bundled as a merchant does. */
async function bundledShop(): Promise<string> {
  const entry = "virtual:shop.js";
  const bundle = await build({
    configFile: false,
    logLevel: "silent",
    root: import.meta.dirname,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [
      {
        name: "shop",
        resolveId: (id) => (id === entry ? join(import.meta.dirname, "shop.js") : undefined),
        load: (id) => (id.endsWith("/tests/shop.js") ? IN_REACT : undefined),
      },
    ],
    build: {
      write: false,
      rolldownOptions: { input: entry, output: { codeSplitting: false } },
    },
  });
  const [output] = [bundle].flat();
  return output && "output" in output ? output.output[0].code : "";
}

/** A shop with an element for the bank's page, and a button that pays. */
async function startShopWithChallenge() {
  let script = "";
  const server = createServer((request, response) => {
    if (request.url === "/shop.js") {
      response.setHeader("content-type", "text/javascript").end(script);
      return;
    }
    response
      .setHeader("content-type", "text/html")
      .end(
        '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main></main>' +
          '<button id="pay">Pay</button><section id="bank"></section><script type="module" src="/shop.js"></script></html>',
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const react = bundledShop();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => server.close(),
    show: async (service: Service, charge: CreatedCharge, handler: keyof typeof HANDLERS | "react") => {
      const { payload, client_secret: clientSecret } = charge;
      if (handler === "react") {
        const given = JSON.stringify({ url: service.url, payload, clientSecret, locale: "fr-FR" });
        script = `window.given = ${given};\n${await react}`;
        return;
      }
      script = `
        import { mount } from "${service.url}/sdk/cardform.js";
        const [challenges, ends, results] = [[], [], []];
        Object.assign(window, { challenges, ends, results });
        const bank = document.querySelector("#bank");
        const given = ${JSON.stringify({ payload, clientSecret, locale: "fr-FR" })};
        const form = mount("main", { ...given, onChallenge: ${HANDLERS[handler]} });
        document.querySelector("#pay").onclick = async () => results.push(await form.submit());
      `;
    },
  };
}

const SHORT_TIMEOUT = ["--challenge-timeout-ms", "1500", "--reconcile-interval-ms", "100"];
const test = base
  .extend("shop", { scope: "file" }, startAndStop(startShopWithChallenge))
  .extend("shortTimeoutService", { scope: "file" }, serviceWith(...SHORT_TIMEOUT));

/** Presses pay with a card for which the bank asks. */
async function pressPay(
  service: Service,
  browser: Browser,
  shop: Awaited<ReturnType<typeof startShopWithChallenge>>,
  handler: keyof typeof HANDLERS | "react",
) {
  const charge = await service.merchant.createCharge();
  await shop.show(service, charge, handler);
  const { page, pageErrors } = await openPage(browser);
  await page.goto(shop.url);
  await field(formIn(page), "card-number").waitFor();
  await page.evaluate(() => (window as unknown as { useLater?: () => void }).useLater?.());
  await typeCard(formIn(page), page, CARDS.challenge);
  await page.click("#pay");
  return { page, pageErrors, id: charge.id };
}

const told = (page: Page) =>
  page.evaluate(() => {
    const { challenges, ends, results } = window as unknown as OwnChallengeWindow;
    return {
      challenges: challenges.map(({ width, height, labels }) => ({ width, height, labels })),
      ends,
      results,
    };
  });

const result = async (page: Page): Promise<SubmitResult | undefined> => {
  await expect.poll(async () => (await told(page)).results.length, { timeout: ANSWER_MS_MAX }).toBe(1);
  return (await told(page)).results[0];
};

describe("a page with onChallenge", () => {
  test("shows the bank's page in its own element, and pays", async ({ service, browser, shop }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, shop, "shows");
    const bank = page.frameLocator("#bank iframe");
    await bank.locator("#approve").waitFor({ timeout: ANSWER_MS_MAX });
    expect(await page.locator("dialog").count()).toBe(0);
    const [challenge] = (await told(page)).challenges;
    expect(challenge).toMatchObject({ width: 390, height: 400 });
    expect(challenge?.labels.title).toBe("Confirmez votre identité");
    const frame = await page.locator("#bank iframe").boundingBox();
    expect(frame).toMatchObject({ width: 390, height: 400 });
    expect(await page.getAttribute("#bank iframe", "allow")).toBe("publickey-credentials-get; payment");
    await bank.locator("#approve").click();
    expect(await result(page)).toEqual({ status: "succeeded" });
    // Whichever comes first: the bank page's word, or that the charge is paid.
    expect(["returned", "over"]).toContain((await told(page)).ends[0]);
    expect(await page.locator("#bank iframe").count()).toBe(0);
    expect((await service.merchant.charge(id)).status).toBe("succeeded");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("in React is called with its latest function", async ({ service, browser, shop }) => {
    const { page, pageErrors } = await pressPay(service, browser, shop, "react");
    const bank = page.frameLocator("#bank iframe");
    await bank.locator("#approve").click({ timeout: ANSWER_MS_MAX });
    expect(await result(page)).toEqual({ status: "succeeded" });
    // Whichever comes first: the bank page's word, or that the charge is paid.
    expect(["returned", "over"]).toContain((await told(page)).ends[0]);
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("cancels it, and another card pays", async ({ service, browser, shop }) => {
    const { page, pageErrors, id } = await pressPay(service, browser, shop, "shows");
    await page.frameLocator("#bank iframe").locator("#approve").waitFor({ timeout: ANSWER_MS_MAX });
    await page.evaluate(() => (window as unknown as OwnChallengeWindow).challenges[0]?.cancel());
    expect(await result(page)).toMatchObject({ status: "failed", declineCode: "authentication_canceled" });
    expect((await told(page)).ends).toEqual(["canceled"]);
    expect(await page.locator("#bank iframe").count()).toBe(0);
    await typeCard(formIn(page), page, CARDS.mastercard);
    await page.click("#pay");
    await expect
      .poll(async () => (await service.merchant.charge(id)).status, { timeout: ANSWER_MS_MAX })
      .toBe("succeeded");
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("opens the bank's page in a window, and pays", async ({ service, browser, shop }) => {
    const { page, pageErrors } = await pressPay(service, browser, shop, "keeps");
    await expect.poll(async () => (await told(page)).challenges.length, { timeout: ANSWER_MS_MAX }).toBe(1);
    expect(await page.locator("dialog, #bank iframe").count()).toBe(0);
    const opened = page.context().waitForEvent("page");
    await page.evaluate(() => (window as unknown as OwnChallengeWindow).challenges[0]?.openWindow());
    await (await opened).click("#approve");
    expect(await result(page)).toEqual({ status: "succeeded" });
    expect(pageErrors).toEqual([]);
    await page.context().close();
  });

  test("is told when the bank's time is over", async ({ shortTimeoutService, browser, shop }) => {
    const { page } = await pressPay(shortTimeoutService, browser, shop, "shows");
    expect(await result(page)).toMatchObject({ status: "failed", declineCode: "authentication_timed_out" });
    expect((await told(page)).ends).toEqual(["over"]);
    expect(await page.locator("#bank iframe").count()).toBe(0);
    await page.context().close();
  });

  test.for(["declines", "fails"] as const)(
    "that %s leaves it to the SDK's dialog",
    async (handler, { service, browser, shop }) => {
      const { page, pageErrors } = await pressPay(service, browser, shop, handler);
      const approve = page.frameLocator("dialog iframe").locator("#approve");
      await approve.waitFor({ timeout: ANSWER_MS_MAX });
      expect(await page.getAttribute("dialog", "lang")).toBe("fr-FR");
      await approve.click();
      expect(await result(page)).toEqual({ status: "succeeded" });
      expect(await page.locator("dialog").count()).toBe(0);
      expect(pageErrors.splice(0).filter((error) => !error.includes("onChallenge failed"))).toEqual([]);
      await page.context().close();
    },
  );
});
