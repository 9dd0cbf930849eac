// Checks the pages' security policies: with csp_evaluator, which knows how attackers bypass policies, and during payments.

import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { type Finding, Severity, Type } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import { type MerchantPage, openEmbedded, openStandalone, paymentPage } from "../src/form-page.ts";
import { takePageErrors } from "../src/page-errors.ts";
import type { Service } from "../src/service.ts";
import { CARDS, type FormPlace, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The service is not shared, because these tests read its count of policy violations. */
const test = base.extend("service", { scope: "file" }, serviceWith());

/**
 * The tool warns of every origin with scripts, because the origin could also serve other people's scripts. Ours serves only
 * the build's own scripts, has no JSONP, and sends `nosniff` with every answer.
 */
const isOwnOrigin = ({ type, value }: Finding) => type === Type.SCRIPT_ALLOWLIST_BYPASS && value === "'self'";

/** The demo's simulator is on the same machine, where plain http is safe. */
const isOwnSimulator = (service: Service, { type, value }: Finding) =>
  type === Type.SRC_HTTP && value === service.url;

async function headersOf(address: string, isFrame: boolean): Promise<Headers> {
  const response = await fetch(address, { headers: { "sec-fetch-dest": isFrame ? "iframe" : "document" } });
  return response.headers;
}

test.for([
  ["the payment page", (service: Service) => paymentPage(service), false],
  ["the form in a frame", (service: Service) => paymentPage(service), true],
  [
    "the form with a theme",
    async (service: Service) => `${await paymentPage(service)}&customStyle=%7B%22padding%22%3A%221rem%22%7D`,
    true,
  ],
  ["a page that does not exist", async ({ url }: Service) => `${url}/nowhere`, false],
  ["a page without a payload", async ({ url }: Service) => `${url}/`, false],
] as const)("%s has a strict policy", async ([_, address, isFrame], { service }) => {
  const headers = await headersOf((await address(service)).split("#")[0] ?? "", isFrame);
  const policy = headers.get("content-security-policy") ?? "";
  const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
  const serious = findings.filter(
    (finding) =>
      finding.severity < Severity.INFO && !isOwnOrigin(finding) && !isOwnSimulator(service, finding),
  );
  expect(serious.map(({ directive, description }) => `${directive}: ${description}`)).toEqual([]);
  expect(policy).not.toContain("unsafe-");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("permissions-policy")).toContain("camera=()");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin-allow-popups");
});

test("other sites can load only the form and the SDK", async ({ service }) => {
  const form = new URL(await paymentPage(service));
  const html = await (await fetch(form)).text();
  const script = /<script type="module" src="([^"]+)"/.exec(html)?.[1] ?? "";
  const resourcePolicy = async (path: string) =>
    (await fetch(new URL(path, service.url))).headers.get("cross-origin-resource-policy");
  expect(await resourcePolicy(form.href)).toBe("cross-origin");
  expect(await resourcePolicy("/sdk/cardform.js")).toBe("cross-origin");
  expect(await resourcePolicy(script)).toBe("same-origin");
  expect(await resourcePolicy("/v1/pub/ip")).toBe("same-origin");
});

test("a whole payment violates no policy", async ({ service, browser }) => {
  const { page, pageErrors } = await openStandalone(service, browser);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  expect(pageErrors).toEqual([]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain("cardform_pages_total");
  expect(metrics).not.toContain("cardform_csp_violations_total{");
});

test("a violation of a page's policy is reported and counted", async ({ service, browser }) => {
  const { page, pageErrors } = await openStandalone(service, browser);
  await page.evaluate(() => {
    const image = new Image();
    image.src = "https://elsewhere.example/pixel.gif";
  });
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  await expect
    .poll(metrics, { timeout: 20_000 })
    .toContain('cardform_csp_violations_total{directive="img-src"} 1');
  const reported = () => pageErrors.join("\n");
  await expect.poll(reported).toContain("policy: img-src forbids https://elsewhere.example");
  // The test caused this violation, so the check at the end of a test must not find it.
  pageErrors.length = 0;
});

describe("the check at the end of a test reports", () => {
  /** The payment page, or the form in a merchant's page. */
  async function opened(
    service: Service,
    browser: Browser,
    merchant: MerchantPage,
    isEmbedded: boolean,
  ): Promise<FormPlace> {
    return isEmbedded
      ? (await openEmbedded(service, browser, merchant)).form
      : (await openStandalone(service, browser)).page;
  }

  test.for([
    ["the payment page", false],
    ["the form in a frame", true],
  ] as const)("violations and errors of %s", async ([_, isEmbedded], { service, browser, merchant }) => {
    const body = (await opened(service, browser, merchant, isEmbedded)).locator("body");
    const pageErrors = async () => (await takePageErrors()).join("\n");
    await body.evaluate(() => {
      new Image().src = "https://elsewhere.example/pixel.gif";
    });
    await expect.poll(pageErrors).toContain("policy: img-src forbids https://elsewhere.example");
    await body.evaluate(() => fetch("https://elsewhere.example/").catch(() => undefined));
    await expect.poll(pageErrors).toContain("policy: connect-src forbids https://elsewhere.example");
    await body.evaluate((element) => {
      try {
        element.innerHTML = "<p>text</p>";
      } catch {
        // The policy refuses this with an exception; the test expects its report.
      }
    });
    await expect.poll(pageErrors).toContain("policy: require-trusted-types-for");
    await body.evaluate(() => console.error("an error of the page's"));
    await expect.poll(pageErrors).toContain("console: an error of the page's");
    await body.evaluate(() => {
      setTimeout(() => JSON.parse("{"));
    });
    await expect.poll(pageErrors).toContain("thrown: ");
    expect(await pageErrors()).toBe("");
  });
});
