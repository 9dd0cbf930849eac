// Checks the headers of pages that the service serves over https with the rules of MDN's HTTP Observatory.

import { expect } from "vitest";

import { scan } from "../src/header-scan.ts";
import { type SecureService, startSecureService } from "../src/secure-service.ts";
import { test as base, startAndStop } from "../src/test.ts";

const test = base.extend("secureService", { scope: "file" }, startAndStop(startSecureService));

/** The results of a page without faults. */
const EXPECTED = {
  "content-security-policy": "csp-implemented-with-no-unsafe-default-src-none",
  cookies: "cookies-not-found",
  "cross-origin-resource-sharing": "cross-origin-resource-sharing-not-implemented",
  redirection: "redirection-not-needed-no-http",
  "referrer-policy": "referrer-policy-private",
  "strict-transport-security": "hsts-implemented-max-age-at-least-six-months",
  // Every script is on our own origin, and its element has the script's hash.
  "subresource-integrity": "sri-implemented-and-all-scripts-loaded-securely",
  "x-content-type-options": "x-content-type-options-nosniff",
  "x-frame-options": "x-frame-options-implemented-via-csp",
  // Merchants' pages with cross-origin isolation must be able to embed the form, too.
  "cross-origin-resource-policy": "corp-implemented-with-cross-origin",
};

test.for([
  [
    "the payment page, which stores the shopper's cookie id",
    ({ query }: SecureService) => `/${query}`,
    200,
    { cookies: "cookies-secure-with-httponly-sessions-and-samesite" },
  ],
  [
    "the payment page in a language, which it stores in a cookie",
    ({ query }: SecureService) => `/th-TH${query}`,
    200,
    { cookies: "cookies-secure-with-httponly-sessions-and-samesite" },
  ],
  ["a page without a payload", () => "/", 400, {}],
  ["a page that does not exist", () => "/nowhere/at/all", 404, {}],
] as const)("%s passes every rule", async ([_, path, status, differences], { secureService }) => {
  const { findings, ...response } = await scan(
    secureService.url + path(secureService),
    secureService.certificate,
  );
  expect(response).toEqual({ status, verified: true });
  expect(Object.fromEntries(findings.map(({ rule, result }) => [rule, result]))).toEqual({
    ...EXPECTED,
    ...differences,
  });
  expect(findings.filter(({ passed }) => !passed)).toEqual([]);
});
