// The pages' security policies, checked by a tool that knows how policies are bypassed, and during real payments.

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

/** It counts what policies forbade. */
const test = base.extend("service", { scope: "file" }, serviceWith());

/**
 * The tool cannot know whether an origin that scripts come from also serves what somebody else wrote. Ours serves the
 * build's own files under their hashes, answers JSON as JSON and nothing as a callback, and says `nosniff` everywhere.
 */
const isOwnOrigin = ({ type, value }: Finding) => type === Type.SCRIPT_ALLOWLIST_BYPASS && value === "'self'";

/** The demo's simulator is on this machine, where browsers take plain http for safe. */
const isOwnSimulator = (service: Service, { type, value }: Finding) =>
  type === Type.SRC_HTTP && value === service.url;

async function policyOf(address: string, frame: boolean): Promise<Headers> {
  const answer = await fetch(address, { headers: { "sec-fetch-dest": frame ? "iframe" : "document" } });
  return answer.headers;
}

test.for([
  ["the payment page", (service: Service) => paymentPage(service), false],
  ["the form in a frame", (service: Service) => paymentPage(service), true],
  [
    "the form with a theme",
    async (service: Service) => `${await paymentPage(service)}&customStyle=%7B%22padding%22%3A%221rem%22%7D`,
    true,
  ],
  ["a page that is not there", async ({ url }: Service) => `${url}/nowhere`, false],
  ["a page without a payload", async ({ url }: Service) => `${url}/`, false],
] as const)("%s has a strict policy", async ([_, address, frame], { service }) => {
  const headers = await policyOf((await address(service)).split("#")[0] ?? "", frame);
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

test("other sites' pages get the form and the SDK, and nothing else of ours", async ({ service }) => {
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

test("what a page's policy forbids is reported and counted", async ({ service, browser }) => {
  const { page, pageErrors } = await openStandalone(service, browser);
  await page.evaluate(() => {
    const image = new Image();
    image.src = "https://elsewhere.example/pixel.gif";
  });
  const counted = async () => (await fetch(`${service.url}/metrics`)).text();
  await expect
    .poll(counted, { timeout: 20_000 })
    .toContain('cardform_csp_violations_total{directive="img-src"} 1');
  const reported = () => pageErrors.join("\n");
  await expect.poll(reported).toContain("policy: img-src forbids https://elsewhere.example");
  // It is what the test asked for, so the check at the end of a test must not find it.
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
  ] as const)("what %s may not do", async ([_, isEmbedded], { service, browser, merchant }) => {
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
        // Refused, which is what is told of.
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
