// How the page loads: the shopper types before the script has loaded, the browser renders the page when the server cannot,
// and a wrong address gets an error page.

import { describe, expect } from "vitest";

import { holdRequests, openPage } from "../src/browser.ts";
import { savedCardsCharge } from "../src/save-card.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** With no time to render, the server sends every page without its content. */
const test = base.extend("notRendering", { scope: "file" }, serviceWith("--render-time-ms", "0"));

describe("before the script has loaded", () => {
  test("typed text stays, with caret and focus, and the script formats it", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    const releaseScripts = await holdRequests(page, "**/assets/*.js");
    await page.goto(url, { waitUntil: "commit" });
    const number = field(page, "card-number");
    // `click` would wait until the document has loaded, which needs the script.
    await number.focus();
    await page.keyboard.type("424242424");
    await page.keyboard.press("ArrowLeft");
    expect(await number.inputValue()).toBe("424242424");

    releaseScripts();
    await expect.poll(() => number.inputValue()).toBe("4242 4242 4");
    expect(await number.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(9);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("card-number");
    await page.keyboard.press("End");
    await page.keyboard.type("2424242");
    expect(await number.inputValue()).toBe("4242 4242 4242 4242");
    expect(await number.getAttribute("data-state")).toBe("CompletedAndValid");
    expect(pageErrors).toEqual([]);
  });

  test("the tick that saves the card stays, and the card is saved", async ({ service, browser }) => {
    const charge = savedCardsCharge();
    const { url } = await service.merchant.createCharge(charge);
    const { page, pageErrors } = await openPage(browser);
    const releaseScripts = await holdRequests(page, "**/assets/*.js");
    await page.goto(url, { waitUntil: "commit" });
    await page.locator("#save-card").focus();
    await page.keyboard.press("Space");
    expect(await page.isChecked("#save-card")).toBe(true);

    releaseScripts();
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    await typeCard(page, page, CARDS.approved);
    expect(await page.isChecked("#save-card")).toBe(true);
    await page.click("#pay");
    await page.waitForSelector("#outcome[data-status=succeeded]");

    await page.goto((await service.merchant.createCharge(charge)).url);
    await page.waitForSelector(".saved-card-radio");
    expect(pageErrors).toEqual([]);
  });

  test("Enter does not send the card", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    // The script never arrives.
    await page.route("**/assets/*.js", () => {});
    await page.goto(url, { waitUntil: "commit" });
    await field(page, "card-number").focus();
    await page.keyboard.type(CARDS.approved);
    await page.keyboard.press("Enter");
    expect(await field(page, "card-number").inputValue()).toBe(CARDS.approved);
    expect(page.url()).toBe(url);
  });

  test("Chromium is asked to compile the script while it loads", async ({ service }) => {
    const { url } = await service.merchant.createCharge();
    const [script] = (await (await fetch(url)).text()).match(/\/assets\/browser-[^"]+\.js/) ?? [];
    const code = await (await fetch(new URL(script ?? "", url))).text();
    expect(code).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
  });

  test("one document, one style and one script make the form ready", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    const requests: string[] = [];
    const laterScripts = /\/assets\/(?!browser-)[^/]+\.js$/;
    page.on("request", (request) => {
      if (!laterScripts.test(request.url())) {
        requests.push(request.resourceType());
      }
    });
    // The scripts that the page fetches later never arrive, and the form works without them.
    await page.route(laterScripts, () => {});
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    const needed = requests.filter((type) => type !== "image" && type !== "fetch");
    expect(needed.sort()).toEqual(["document", "script", "stylesheet"]);
    await field(page, "card-number").click();
    await page.keyboard.type("42424");
    expect(await field(page, "card-number").inputValue()).toBe("4242 4");
  });
});

test("a browser without Sec-Fetch-Dest gets the embedded form", async ({ service, browser, merchant }) => {
  const { payload } = await service.merchant.createCharge();
  const { page, pageErrors } = await openPage(browser);
  await page.route(`${service.url}/?*`, async (route) => {
    // The request is repeated without its headers, so the server is not told of the frame.
    const { status, headers, body } = await fetchWithoutHeaders(route.request().url());
    await route.fulfill({ status, headers, body });
  });
  await page.goto(merchant.url);
  await page.evaluate(
    (src) => {
      const frame = document.createElement("iframe");
      frame.src = src;
      document.body.append(frame);
    },
    `${service.url}/?${new URLSearchParams({ payload })}`,
  );
  const form = page.frameLocator("iframe");
  await form.locator("main.embedded #card-number[data-state]").waitFor();
  expect(await form.locator("#pay").count()).toBe(0);
  await typeCard(form, page, CARDS.approved);
  expect(await field(form, "card-number").getAttribute("data-state")).toBe("CompletedAndValid");
  expect(pageErrors).toEqual([]);
});

async function fetchWithoutHeaders(url: string) {
  const answer = await fetch(url);
  return {
    status: answer.status,
    headers: { "content-type": answer.headers.get("content-type") ?? "" },
    body: await answer.text(),
  };
}

test("the browser renders a page that the server cannot render", async ({ browser, notRendering }) => {
  const created = await notRendering.merchant.createCharge();
  const html = await (await fetch(created.url)).text();
  expect(html).toContain('<div id="root"></div>');
  await expect.poll(() => notRendering.log()).toContain("rendering took too long");

  const { page, pageErrors } = await openPage(browser);
  await page.goto(created.url);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(pageErrors).toEqual([]);
});

describe("a wrong address", () => {
  test.for([
    ["", 400, "missing"],
    ["?payload=", 400, "missing"],
    ["?payload=%25%25%25", 400, "not base64"],
    ["?payload=aGVsbG8gd29ybGQ", 422, "not a charge intent"],
    ["nothere", 404, "Page not found: /nothere"],
  ] as const)("/%s is answered with %i and says: %s", async ([path, status, words], { service, browser }) => {
    const { page, pageErrors } = await openPage(browser);
    const response = await page.goto(`${service.url}/${path}`);
    expect(response?.status()).toBe(status);
    expect(await page.textContent("main")).toContain(words);
    expect(pageErrors).toEqual([]);
  });
});
