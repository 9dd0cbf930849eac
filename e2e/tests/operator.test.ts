// The report of the operator's page with simulated shoppers: the figures are right, the page works with keyboard and screen
// reader, and it does nothing that its policy forbids.

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
/** Enough time for the last simulated shopper to leave. */
const VISITS_MS = 60_000;
/** How often Tab is pressed. */
const STOPS_MAX = 28;

const TRAFFIC = ["--with-traffic", "--traffic-per-minute", "6000", "--traffic-shoppers", String(SHOPPERS)];
const test = base
  .extend("busyService", { scope: "file" }, serviceWith(...TRAFFIC))
  .extend("quietService", { scope: "file" }, serviceWith());

async function report({ url, operatorKey }: Service): Promise<Report> {
  const response = await fetch(`${url}/v1/operator/report`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Report;
}

async function unlock(page: Page, service: Service): Promise<void> {
  await page.goto(`${service.operator}#report`);
  await page.getByLabel("Operator’s key").fill(service.operatorKey);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-figure]");
}

const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"] .figure`);

/** The number of visits that reached each step, as the page shows them. */
async function funnelOn(page: Page): Promise<Record<string, number>> {
  const rows = await page.locator(".funnel [data-row]").all();
  const steps = rows.map(async (row) => [
    await row.getAttribute("data-row"),
    Number(await row.locator("td").first().textContent()),
  ]);
  return Object.fromEntries(await Promise.all(steps));
}

// The service with simulated shoppers starts now, because their visits take a while. The tests that do not need them run
// first.
test.beforeAll(({ busyService }) => void busyService);

/** Puts numbers of many digits into the report, as a large merchant has in a month. */
async function enlargeReport(page: Page): Promise<void> {
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

/** The texts of axes that are partly outside of their chart. */
function cutAxisTexts(): string[] {
  // The chart's svg has another svg inside it for each text.
  const chart = (document.querySelector(".chart > svg") as Element).getBoundingClientRect();
  return [...document.querySelectorAll(".chart .axis text")].flatMap((text) => {
    const box = text.getBoundingClientRect();
    const isInside =
      box.left >= chart.left &&
      box.right <= chart.right + 0.5 &&
      box.top >= chart.top &&
      box.bottom <= chart.bottom;
    return isInside ? [] : [text.textContent ?? ""];
  });
}

test.for([
  [1_280, "100%"],
  [390, "100%"],
  [320, "100%"],
  [390, "200%"],
] as const)(
  "at %i pixels and text of %s large numbers are fully visible",
  async ([width, size], { browser, quietService }) => {
    const { page, pageErrors } = await openPage(browser, { viewport: { width, height: 900 } });
    await enlargeReport(page);
    await page.addInitScript((size) => {
      addEventListener("DOMContentLoaded", () =>
        document.documentElement.style.setProperty("font-size", size),
      );
    }, size);
    await unlock(page, quietService);
    await page.waitForSelector(".chart .axis text");
    expect(await page.evaluate(cutAxisTexts)).toEqual([]);
    expect(await page.evaluate(layoutProblems)).toEqual([]);
    const row = page.locator('[data-row="USD"] td');
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

test("a variation is better only if its interval is above all others", async ({ browser, quietService }) => {
  const { page } = await openPage(browser);
  const variation = (id: number, rate: number, low: number, high: number) => ({
    variation_id: id,
    funnel: { viewed: 1_000, started: 900, ready: 800, submitted: 700, paid: 600 },
    conversion: { rate, low, high },
  });
  // The third one had few visits.
  const variations = [
    variation(0, 0.4, 0.38, 0.42),
    variation(1, 0.5, 0.48, 0.52),
    variation(2, 0.3, 0, 0.6),
  ];
  await page.route("**/v1/operator/report*", async (route) => {
    const report = (await (await route.fetch()).json()) as Report;
    const experiments = [
      { experiment_id: "with-an-overlap", variations },
      { experiment_id: "without", variations: variations.slice(0, 2) },
    ];
    report.visits.funnel.viewed = 3_000;
    await route.fulfill({ json: { ...report, experiments } });
  });
  await unlock(page, quietService);
  await expect
    .poll(() => page.locator(".experiment > p").allTextContents())
    .toEqual([
      "The intervals overlap: there is no proven difference yet.",
      "Variation 1 converts better: its interval is above the others.",
    ]);
  await page.context().close();
});

test("the keyboard chooses range and locale; Lock removes the key", async ({ browser, quietService }) => {
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, quietService);
  const requested = page.waitForRequest((request) => request.url().includes("/v1/operator/report"));
  await page.getByLabel("Hour").focus();
  await page.keyboard.press("ArrowRight");
  const query = new URL((await requested).url()).searchParams;
  expect(Number(query.get("to")) - Number(query.get("from"))).toBe(86_400_000);
  const localeRequested = page.waitForRequest((request) => request.url().includes("locale=th-TH"));
  await page.getByLabel("Locale").selectOption("th-TH");
  await localeRequested;
  await page.reload();
  await page.waitForSelector("[data-figure]");
  await page.getByRole("button", { name: "Lock" }).click();
  await page.getByLabel("Operator’s key").waitFor();
  await page.reload();
  await page.getByLabel("Operator’s key").waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test("a wrong key and a service that does not answer are reported", async ({ browser, quietService }) => {
  const { page } = await openPage(browser);
  await page.goto(`${quietService.operator}#report`);
  await page.getByLabel("Operator’s key").fill("not the key");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("alert").textContent()).toBe("This is not an operator's key.");
  await page.getByLabel("Operator’s key").fill(quietService.operatorKey);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-figure]");
  await page.route("**/v1/operator/report*", (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("The service does not answer.");
  // The page still shows the last report.
  expect(await figure(page, "Visits").textContent()).toBe("0");
  await page.unroute("**/v1/operator/report*");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("the page forbids frames and caching, and does not contain the key", async ({ quietService }) => {
  const response = await fetch(quietService.operator);
  const text = await response.text();
  expect(text).not.toContain(quietService.operatorKey);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["frame-ancestors 'none'", "script-src 'self'", "require-trusted-types-for 'script'"]) {
    expect(policy).toContain(part);
  }
  expect(text).not.toMatch(/<script>|<style|style=/);
});

test("a stored key opens the report without a question", async ({ browser, quietService }) => {
  const { page } = await openPage(browser);
  let reports = 0;
  page.on("request", (request) => {
    reports += Number(request.url().includes("/v1/operator/report"));
  });
  await unlock(page, quietService);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cardform");
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => reports).toBe(2);
  // The key is stored, so there is no form, and the page fetches its report itself.
  await page.reload();
  await page.waitForSelector("[data-figure]");
  expect(reports).toBe(3);
});

test("page and report count every simulated shopper", {
  timeout: VISITS_MS + 60_000,
}, async ({ browser, busyService }) => {
  const left = /simulated shoppers have left visits=(\d+) submitted=(\d+) paid=(\d+) failed=0/;
  await expect.poll(() => busyService.log(), { timeout: VISITS_MS }).toMatch(left);
  const [came, submitted, paid] = left.exec(busyService.log())?.slice(1).map(Number) ?? [];
  expect(came).toBe(SHOPPERS);
  // The service writes visits every second, so the last ones may be missing for a moment.
  await expect
    .poll(async () => {
      const { visits, charges } = await report(busyService);
      return [visits.funnel.viewed, visits.funnel.submitted, visits.funnel.paid, charges.total.succeeded];
    })
    .toEqual([SHOPPERS, submitted, paid, paid]);
  const { page, pageErrors } = await openPage(browser);
  await unlock(page, busyService);
  // The report that the page shows now: the steps of who left without paying may have arrived since it was opened.
  const asked = page.waitForResponse(/\/v1\/operator\/report/);
  await page.getByRole("button", { name: "Refresh" }).click();
  const { visits, charges, experiments } = (await (await asked).json()) as Report;
  await expect.poll(() => funnelOn(page)).toEqual(visits.funnel);
  expect(await figure(page, "Visits").textContent()).toBe(String(SHOPPERS));
  expect(await figure(page, "Charges paid").textContent()).toBe(String(charges.total.succeeded));
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
  "on the %s axe finds no violation, and the keyboard reaches all",
  async ([name, viewport], { browser, busyService, quietService }) => {
    const found: string[] = [];
    for (const service of [busyService, quietService]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, pageErrors } = await openPage(browser, {
          viewport,
          colorScheme,
          reducedMotion: "reduce",
        });
        const look = `${service === busyService ? "busy" : "quiet"}-${colorScheme}-${name}`;
        await page.goto(service.operator);
        found.push(...(await axeViolations(page.mainFrame())));
        await unlock(page, service);
        if (service === busyService) {
          await page.locator("details summary").first().click();
        }
        found.push(...(await axeViolations(page.mainFrame())).map((rule) => `${look}: ${rule}`));
        found.push(...(await page.evaluate(layoutProblems)).map((part) => `${look}: ${part}`));
        await saveScreenshot(page, `operator-${look}`, true);
        const reached = new Set<string>();
        for (let stop = 0; stop < STOPS_MAX; stop += 1) {
          await page.keyboard.press("Tab");
          const problem = await page.evaluate(focusRingProblem);
          if (problem) {
            found.push(`${look}: ${problem}`);
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
  async ([width, size], { browser, busyService }) => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
      await page.addInitScript((size) => {
        addEventListener("DOMContentLoaded", () =>
          document.documentElement.style.setProperty("font-size", size),
        );
      }, size);
      await unlock(page, busyService);
      await page.waitForSelector(".interval-chart svg");
      await page.evaluate(() => {
        for (const part of document.querySelectorAll("details")) {
          part.open = true;
        }
      });
      found.push(...(await page.evaluate(layoutProblems)).map((part) => `${colorScheme}: ${part}`));
      found.push(
        ...(await page.evaluate(cutAxisTexts)).map((tick) => `${colorScheme}: the tick ${tick} is cut`),
      );
      await saveScreenshot(page, `operator-${colorScheme}-${width}-${size.slice(0, 3)}`, true);
      await page.context().close();
    }
    expect(found).toEqual([]);
  },
);
