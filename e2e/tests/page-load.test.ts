// How the page loads: typed into before its script, rendered by the browser when the server cannot, and an error page
// for a wrong address.

import { describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { CARDS, field, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

const test = base.extend("unable", { scope: "file" }, serviceWith("--render-time-ms", "0"));

describe("before the script has loaded", () => {
  test("typed text stays, with caret and focus, and the script formats it", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page, pageErrors } = await openPage(browser);
    let letScriptCome = () => {};
    const scriptMayCome = new Promise<void>((resolve) => {
      letScriptCome = resolve;
    });
    await page.route("**/assets/*.js", async (route) => {
      await scriptMayCome;
      await route.continue();
    });
    await page.goto(url, { waitUntil: "commit" });
    const number = field(page, "card-number");
    // Not a click: that waits for the document to come to rest, which it does not before its script is there.
    await number.focus();
    await page.keyboard.type("424242424");
    await page.keyboard.press("ArrowLeft");
    expect(await number.inputValue()).toBe("424242424");

    letScriptCome();
    await expect.poll(() => number.inputValue()).toBe("4242 4242 4");
    expect(await number.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(9);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("card-number");
    await page.keyboard.press("End");
    await page.keyboard.type("2424242");
    expect(await number.inputValue()).toBe("4242 4242 4242 4242");
    expect(await number.getAttribute("data-state")).toBe("CompletedAndValid");
    expect(pageErrors).toEqual([]);
  });

  test("Enter does not send the card", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    // The script never comes.
    await page.route("**/assets/*.js", () => {});
    await page.goto(url, { waitUntil: "commit" });
    await field(page, "card-number").focus();
    await page.keyboard.type(CARDS.approved);
    await page.keyboard.press("Enter");
    expect(await field(page, "card-number").inputValue()).toBe(CARDS.approved);
    expect(page.url()).toBe(url);
  });

  test("one document, one style and one script make the form ready", async ({ service, browser }) => {
    const { url } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    const requests: string[] = [];
    const later = /\/assets\/(?!browser-)[^/]+\.js$/;
    page.on("request", (request) => {
      if (!later.test(request.url())) {
        requests.push(request.resourceType());
      }
    });
    // What is asked for once the form works never comes, and is not missed.
    await page.route(later, () => {});
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForFunction(() => window.cardformVersion !== undefined);
    const needed = requests.filter((type) => type !== "image" && type !== "fetch");
    expect(needed.sort()).toEqual(["document", "script", "stylesheet"]);
    await field(page, "card-number").click();
    await page.keyboard.type("42424");
    expect(await field(page, "card-number").inputValue()).toBe("4242 4");
  });
});

test("a browser that does not report the frame gets the embedded form", async ({
  service,
  browser,
  merchant,
}) => {
  const { payload } = await service.merchant.createCharge();
  const { page, pageErrors } = await openPage(browser);
  await page.route(`${service.url}/?*`, async (route) => {
    // The request is made anew, without the headers that say so.
    const { status, headers, body } = await fetchedPlainly(route.request().url());
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

async function fetchedPlainly(url: string) {
  const answer = await fetch(url);
  return {
    status: answer.status,
    headers: { "content-type": answer.headers.get("content-type") ?? "" },
    body: await answer.text(),
  };
}

test("a page that the server cannot render is rendered in the browser", async ({ browser, unable }) => {
  const created = await unable.merchant.createCharge();
  const html = await (await fetch(created.url)).text();
  expect(html).toContain('<div id="root"></div>');
  await expect.poll(() => unable.log()).toContain("rendering took too long");

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
