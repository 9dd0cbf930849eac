// The operator's page with simulated shoppers: figures add up, work with keyboard and screen reader, and the page does
// nothing that its policy forbids.

import type { Page } from "playwright-core";
import { expect } from "vitest";

import type { Report } from "../../form/generated/wire.ts";
import { axeViolations } from "../src/accessibility.ts";
import { DESKTOP, openPage, PHONE } from "../src/browser.ts";
import { focusRingProblem, layoutProblems } from "../src/layout-problems.ts";
import { saveScreenshot } from "../src/screenshots.ts";
import type { Service } from "../src/service.ts";
import { test as base, serviceWith } from "../src/test.ts";

const SHOPPERS = 40;
/** Shoppers take their time: until the last one has left. */
const VISITS_MS = 60_000;
const STOPS_MAX = 24;

const TRAFFIC = ["--with-traffic", "--traffic-per-minute", "6000", "--traffic-shoppers", String(SHOPPERS)];
const test = base
  .extend("busy", { scope: "file" }, serviceWith(...TRAFFIC))
  .extend("quiet", { scope: "file" }, serviceWith());

async function report({ url, operatorKey }: Service): Promise<Report> {
  const response = await fetch(`${url}/v1/operator/report`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Report;
}

async function unlock(page: Page, service: Service): Promise<void> {
  await page.goto(service.operator);
  await page.getByLabel("Operator’s key").fill(service.operatorKey);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-figure]");
}

const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"] .figure`);

// Simulated shoppers take their time. They come from the beginning, and the tests that do without them go first.
test.beforeAll(({ busy }) => void busy);

/** A month of a large merchant: the same report with numbers of many digits. */
async function growReport(page: Page): Promise<void> {
  await page.route("**/v1/operator/report*", async (route) => {
    const answer = await route.fetch();
    const report = (await answer.json()) as Report;
    const [first] = report.charges.buckets;
    if (first === undefined) {
      throw new Error("a report has buckets");
    }
    first.outcomes.succeeded = 23_456_789;
    report.charges.total.succeeded = 23_456_789;
    report.charges.money = [
      { currency: "USD", amount: "123456789012.34", charges: 23_456_789 },
      { currency: "JPY", amount: "98765432100", charges: 4 },
    ];
    report.before.money = [{ currency: "USD", amount: "100000000000.00", charges: 2 }];
    report.before.funnel = { viewed: 1_000_000, started: 900_000, ready: 800_000, submitted: 2, paid: 1 };
    report.visits.funnel = { viewed: 2_000_000, started: 900_000, ready: 800_000, submitted: 3, paid: 2 };
    await route.fulfill({ json: report });
  });
}

/** Texts of the axes that are not whole inside their chart. */
function cutTicks(): string[] {
  // Each text has an svg of its own inside the chart's.
  const chart = (document.querySelector(".chart > svg") as Element).getBoundingClientRect();
  return [...document.querySelectorAll(".chart .axis text")].flatMap((text) => {
    const own = text.getBoundingClientRect();
    const isWhole =
      own.left >= chart.left &&
      own.right <= chart.right + 0.5 &&
      own.top >= chart.top &&
      own.bottom <= chart.bottom;
    return isWhole ? [] : [text.textContent ?? ""];
  });
}

test.for([
  [1_280, "100%"],
  [390, "100%"],
  [320, "100%"],
  [390, "200%"],
] as const)(
  "at %i pixels and text of %s large numbers are fully visible",
  async ([width, size], { browser, quiet }) => {
    const { page, pageErrors } = await openPage(browser, { viewport: { width, height: 900 } });
    await growReport(page);
    await page.addInitScript((size) => {
      addEventListener("DOMContentLoaded", () =>
        document.documentElement.style.setProperty("font-size", size),
      );
    }, size);
    await unlock(page, quiet);
    await page.waitForSelector(".chart .axis text");
    expect(await page.evaluate(cutTicks)).toEqual([]);
    expect(await page.evaluate(layoutProblems)).toEqual([]);
    const row = page.locator('[data-currency="USD"] td');
    expect(await row.allTextContents()).toEqual([
      "23,456,789",
      "$123,456,789,012.34",
      "$100,000,000,000.00",
      "+23%",
    ]);
    expect(await figure(page, "Visits").textContent()).toBe("2,000,000");
    expect(await page.locator('[data-figure="Visits"] .before').textContent()).toBe(
      "Before: 1,000,000 (+100%)",
    );
    expect(pageErrors).toEqual([]);
    await page.context().close();
  },
);

test("range and locale are chosen by keyboard; a key is kept until locking", async ({ browser, quiet }) => {
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, quiet);
  const asked = page.waitForRequest((request) => request.url().includes("/v1/operator/report"));
  await page.getByLabel("Hour").focus();
  await page.keyboard.press("ArrowRight");
  const query = new URL((await asked).url()).searchParams;
  expect(Number(query.get("to")) - Number(query.get("from"))).toBe(86_400_000);
  const ofLocale = page.waitForRequest((request) => request.url().includes("locale=th-TH"));
  await page.getByLabel("Locale").selectOption("th-TH");
  await ofLocale;
  await page.reload();
  await page.waitForSelector("[data-figure]");
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByLabel("Operator’s key").waitFor();
  await page.reload();
  await page.getByLabel("Operator’s key").waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test("a wrong key and a service that does not answer are reported", async ({ browser, quiet }) => {
  const { page } = await openPage(browser);
  await page.goto(quiet.operator);
  await page.getByLabel("Operator’s key").fill("not the key");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("alert").textContent()).toBe("This is not the operator's key.");
  await page.getByLabel("Operator’s key").fill(quiet.operatorKey);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-figure]");
  await page.route("**/v1/operator/report*", (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("The service does not answer.");
  // What was known stays there.
  expect(await figure(page, "Visits").textContent()).toBe("0");
  await page.unroute("**/v1/operator/report*");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("the page is in no frame, is not kept, and holds no key", async ({ quiet }) => {
  const response = await fetch(quiet.operator);
  const text = await response.text();
  expect(text).not.toContain(quiet.operatorKey);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["frame-ancestors 'none'", "script-src 'self'", "require-trusted-types-for 'script'"]) {
    expect(policy).toContain(part);
  }
  expect(text).not.toMatch(/<script>|<style|style=/);
});

test("every simulated shopper is counted, on the page as in the report", {
  timeout: VISITS_MS + 60_000,
}, async ({ browser, busy }) => {
  const left = /simulated shoppers have left visits=(\d+) submitted=(\d+) paid=(\d+) disturbed=0/;
  await expect.poll(() => busy.log(), { timeout: VISITS_MS }).toMatch(left);
  const [came, submitted, paid] = left.exec(busy.log())?.slice(1).map(Number) ?? [];
  expect(came).toBe(SHOPPERS);
  // What they did last is written within a second or two.
  await expect
    .poll(async () => {
      const { visits, charges } = await report(busy);
      return [visits.funnel.viewed, visits.funnel.submitted, visits.funnel.paid, charges.total.succeeded];
    })
    .toEqual([SHOPPERS, submitted, paid, paid]);
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, busy);
  await expect.poll(() => figure(page, "Visits").textContent()).toBe(String(SHOPPERS));
  const { visits, charges, experiments } = await report(busy);
  expect(await figure(page, "Charges paid").textContent()).toBe(String(charges.total.succeeded));
  for (const [step, number] of Object.entries(visits.funnel)) {
    expect(await page.locator(`.funnel [data-step="${step}"] td`).first().textContent()).toBe(String(number));
  }
  expect(charges.buckets.reduce((sum, bucket) => sum + bucket.outcomes.succeeded, 0)).toBe(
    charges.total.succeeded,
  );
  expect(await page.locator("svg .outcome-succeeded").count()).toBeGreaterThan(0);
  expect(experiments.flatMap(({ variations }) => variations).length).toBe(2);
  expect(await page.locator(".interval-chart svg .reach").count()).toBe(2);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test.for([
  ["desktop", DESKTOP],
  ["phone", PHONE],
] as const)(
  "on the %s axe finds nothing, all is visible and reached by keyboard",
  async ([name, viewport], { browser, busy, quiet }) => {
    const found: string[] = [];
    for (const service of [busy, quiet]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, pageErrors } = await openPage(browser, {
          viewport,
          colorScheme,
          reducedMotion: "reduce",
        });
        const look = `${service === busy ? "busy" : "quiet"}-${colorScheme}-${name}`;
        await page.goto(service.operator);
        found.push(...(await axeViolations(page.mainFrame())));
        await unlock(page, service);
        if (service === busy) {
          await page.locator("details summary").first().click();
        }
        found.push(...(await axeViolations(page.mainFrame())).map((rule) => `${look}: ${rule}`));
        found.push(...(await page.evaluate(layoutProblems)).map((part) => `${look}: ${part}`));
        await saveScreenshot(page, `operator-${look}`, true);
        const reached = new Set<string>();
        for (let stop = 0; stop < STOPS_MAX; stop += 1) {
          await page.keyboard.press("Tab");
          const ring = await page.evaluate(focusRingProblem);
          if (ring) {
            found.push(`${look}: ${ring}`);
          }
          reached.add(await page.evaluate(() => document.activeElement?.textContent?.slice(0, 20) ?? ""));
        }
        expect([...reached]).toEqual(expect.arrayContaining(["Refresh", "Lock"]));
        found.push(...pageErrors);
        await page.context().close();
      }
    }
    expect(found).toEqual([]);
  },
);

test.for([
  [1_280, "100%"],
  [1_280, "200%"],
  [390, "100%"],
  [390, "200%"],
  [320, "100%"],
  [320, "200%"],
] as const)(
  "at %i pixels and text of %s a busy hour's tables are fully visible",
  async ([width, size], { browser, busy }) => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
      await page.addInitScript((size) => {
        addEventListener("DOMContentLoaded", () =>
          document.documentElement.style.setProperty("font-size", size),
        );
      }, size);
      await unlock(page, busy);
      await page.waitForSelector(".interval-chart svg");
      await page.evaluate(() => {
        for (const part of document.querySelectorAll("details")) {
          part.open = true;
        }
      });
      found.push(...(await page.evaluate(layoutProblems)).map((part) => `${colorScheme}: ${part}`));
      found.push(...(await page.evaluate(cutTicks)).map((tick) => `${colorScheme}: the tick ${tick} is cut`));
      await saveScreenshot(page, `operator-${colorScheme}-${width}-${size.slice(0, 3)}`, true);
      await page.context().close();
    }
    expect(found).toEqual([]);
  },
);
