// What the rules of MDN's HTTP Observatory find in pages that the service serves over its own https.

import { expect } from "vitest";

import { scan } from "../src/header-scan.ts";
import { type SecureService, startSecureService } from "../src/secure-service.ts";
import { test as base, startAndStop } from "../src/test.ts";

const test = base.extend("secure", { scope: "file" }, startAndStop(startSecureService));

/** What the scanner has to say of a page where nothing is wrong; whatever else it says is a finding. */
const CLEAN = {
  "content-security-policy": "csp-implemented-with-no-unsafe-default-src-none",
  cookies: "cookies-not-found",
  "cross-origin-resource-sharing": "cross-origin-resource-sharing-not-implemented",
  redirection: "redirection-not-needed-no-http",
  "referrer-policy": "referrer-policy-private",
  "strict-transport-security": "hsts-implemented-max-age-at-least-six-months",
  // Every script is our own, and its element names its hash.
  "subresource-integrity": "sri-implemented-and-all-scripts-loaded-securely",
  "x-content-type-options": "x-content-type-options-nosniff",
  "x-frame-options": "x-frame-options-implemented-via-csp",
  // Merchants' pages that isolate themselves embed the form, too.
  "cross-origin-resource-policy": "corp-implemented-with-cross-origin",
};

test.for([
  [
    "the payment page, which keeps the shopper's cookie id",
    ({ query }: SecureService) => `/${query}`,
    200,
    { cookies: "cookies-secure-with-httponly-sessions-and-samesite" },
  ],
  [
    "the payment page in a language, which it keeps in a cookie",
    ({ query }: SecureService) => `/th-TH${query}`,
    200,
    { cookies: "cookies-secure-with-httponly-sessions-and-samesite" },
  ],
  ["a page without a payload", () => "/", 400, {}],
  ["a page that is not there", () => "/nowhere/at/all", 404, {}],
] as const)("%s has no finding of the scanner", async ([_, path, status, otherwise], { secure }) => {
  const { findings, ...answer } = await scan(secure.url + path(secure), secure.certificate);
  expect(answer).toEqual({ status, verified: true });
  expect(Object.fromEntries(findings.map(({ rule, result }) => [rule, result]))).toEqual({
    ...CLEAN,
    ...otherwise,
  });
  expect(findings.filter(({ passed }) => !passed)).toEqual([]);
});
